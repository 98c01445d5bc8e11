"""Days as people count them (groupx/kernel/days.py). Our contract: docs/protocol.md, "Use"."""

import time
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.kernel.days import LocalDays

SHANGHAI, BERLIN, CAIRO, HAVANA = (
    LocalDays(ZoneInfo(name)) for name in ("Asia/Shanghai", "Europe/Berlin", "Africa/Cairo", "America/Havana")
)


def test_a_day_in_shanghai_begins_while_it_is_still_yesterday_in_utc():
    assert SHANGHAI.start_of(date(2026, 11, 30)) == datetime(2026, 11, 29, 16, tzinfo=UTC)
    assert SHANGHAI.day_of(datetime(2026, 11, 29, 15, 59, 59, tzinfo=UTC)) == date(2026, 11, 29)
    assert SHANGHAI.day_of(datetime(2026, 11, 29, 16, tzinfo=UTC)) == date(2026, 11, 30)


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 28), 24), (date(2026, 3, 29), 23), (date(2026, 10, 25), 25)])
def test_a_day_in_berlin_is_as_long_as_the_clock_makes_it(day: date, hours: int):
    begin = BERLIN.start_of(day)
    assert BERLIN.end_of(begin) - begin == timedelta(hours=hours)


def test_a_midnight_that_the_clock_jumps_over_begins_when_it_has_jumped():
    """Cairo, 24 April 2026: 00:00 is 01:00."""
    begin = CAIRO.start_of(date(2026, 4, 24))
    assert begin.astimezone(CAIRO.zone).hour == 1
    assert CAIRO.day_of(begin - timedelta(microseconds=1)) == date(2026, 4, 23)


def test_of_a_midnight_that_comes_twice_the_first_counts():
    """Havana, 1 November 2026: 01:00 is 00:00 again."""
    begin = HAVANA.start_of(date(2026, 11, 1))
    assert HAVANA.end_of(begin) - begin == timedelta(hours=25)


ZONES = (
    "UTC",
    "Asia/Shanghai",
    "Europe/Berlin",
    "Africa/Cairo",
    "America/Havana",
    "Asia/Kathmandu",
    "Pacific/Auckland",
)


SECONDS = st.integers(631_152_000, 3_786_912_000)
"""From 1990 to 2090."""


@given(st.sampled_from(ZONES), SECONDS)
def test_every_moment_lies_in_the_day_that_it_is_said_to_lie_in(zone: str, seconds: int):
    moment = datetime.fromtimestamp(seconds, UTC)
    days = LocalDays(ZoneInfo(zone))
    day = days.day_of(moment)
    begin, end = days.start_of(day), days.end_of(moment)
    assert begin <= moment < end
    assert end == days.start_of(day + timedelta(days=1))
    assert days.day_of(begin) == day != days.day_of(end)


@pytest.fixture
def in_shanghai(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_without_a_zone_the_systems_days_are_meant(in_shanghai: None):
    days = LocalDays()
    assert days.start_of(date(2026, 11, 30)) == datetime(2026, 11, 29, 16, tzinfo=UTC)
    assert days.day_of(datetime(2026, 11, 29, 16, tzinfo=UTC)) == date(2026, 11, 30)
