"""When a day of dated memory is written (memory/rollup_due.py). Pure; our contract: docs/memory.md, "Dated memory"."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.kernel.days import LocalDays
from memory.rollup_due import LONGEST_PAUSE, PendingDay, due_at, first_due, pause_after

UTC_DAYS, SHANGHAI, BERLIN = (LocalDays(ZoneInfo(name)) for name in ("UTC", "Asia/Shanghai", "Europe/Berlin"))
TODAY = date(2026, 11, 30)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
QUIET = NOON + timedelta(minutes=5)


def pending(day: date = TODAY, *, sources: int = 1, characters: int = 100, **more) -> PendingDay:
    return PendingDay(day=day, sources=sources, characters=characters, **more)


@pytest.mark.parametrize(
    ("sources", "characters", "due"),
    [
        (1, 10, MIDNIGHT),
        (7, 15_999, MIDNIGHT),
        (8, 10, QUIET),
        (1, 16_000, QUIET),
        (200, 1_000_000, QUIET),
    ],
)
def test_a_day_is_written_when_enough_has_come_together_and_it_was_quiet_for_five_minutes(sources, characters, due):
    assert due_at(pending(sources=sources, characters=characters), NOON, UTC_DAYS) == due


def test_every_activity_puts_the_quiet_off_but_not_beyond_the_days_end():
    full = pending(sources=8)
    assert due_at(full, NOON + timedelta(hours=1), UTC_DAYS) == QUIET + timedelta(hours=1)
    assert due_at(full, MIDNIGHT - timedelta(minutes=1), UTC_DAYS) == MIDNIGHT


def test_little_is_written_when_the_day_is_over_where_its_people_live():
    assert due_at(pending(), NOON, SHANGHAI) == datetime(2026, 11, 30, 16, tzinfo=UTC)
    assert due_at(pending(), NOON, BERLIN) == datetime(2026, 11, 30, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "ends_at"),
    [
        (date(2026, 3, 28), datetime(2026, 3, 28, 23, tzinfo=UTC)),
        (date(2026, 3, 29), datetime(2026, 3, 29, 22, tzinfo=UTC)),  # 23 hours long
        (date(2026, 10, 24), datetime(2026, 10, 24, 22, tzinfo=UTC)),
        (date(2026, 10, 25), datetime(2026, 10, 25, 23, tzinfo=UTC)),  # 25 hours long
    ],
)
def test_a_day_on_which_the_clock_is_changed_ends_when_it_does(day, ends_at):
    assert due_at(pending(day), ends_at - timedelta(hours=12), BERLIN) == ends_at


def test_a_compaction_that_waits_makes_a_day_due_at_once():
    asked = pending(asked_at=NOON)
    assert due_at(asked, NOON, UTC_DAYS) == NOON


def test_a_day_that_failed_is_left_alone_until_its_next_attempt_whatever_makes_it_due():
    later = MIDNIGHT + timedelta(minutes=30)
    for day in (pending(), pending(sources=8), pending(asked_at=NOON)):
        assert due_at(replace(day, next_attempt_at=later), NOON, UTC_DAYS) == later
    assert due_at(pending(next_attempt_at=NOON), NOON, UTC_DAYS) == MIDNIGHT, "no reason to write it earlier"


def test_a_day_that_failed_holds_up_no_other():
    yesterday = pending(TODAY - timedelta(days=1), next_attempt_at=NOON + timedelta(hours=1))
    today = pending(sources=8)

    assert first_due([yesterday, today], NOON, UTC_DAYS) == (QUIET, today)


def test_of_days_that_are_due_together_the_older_comes_first():
    asked = [pending(TODAY - timedelta(days=back), asked_at=NOON - timedelta(days=9)) for back in range(3)]
    found = first_due(asked, NOON, UTC_DAYS)
    assert found and found[1].day == TODAY - timedelta(days=2)


def test_where_nothing_waits_nothing_is_due():
    assert first_due([], NOON, UTC_DAYS) is None


def test_after_three_tries_the_pause_doubles_from_a_minute_to_an_hour():
    minutes = [pause_after(failures).total_seconds() / 60 for failures in range(1, 12)]
    assert minutes == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]


@given(st.integers(0, 10**9))
def test_no_number_of_failures_makes_a_pause_longer_than_the_longest(failures: int):
    assert timedelta() <= pause_after(failures) <= LONGEST_PAUSE


@given(
    st.builds(
        pending,
        st.dates(date(2020, 1, 1), date(2030, 1, 1)),
        sources=st.integers(1, 20),
        characters=st.integers(1, 40_000),
    ),
    st.integers(0, 86_400),
    st.sampled_from([UTC_DAYS, SHANGHAI, BERLIN]),
)
def test_every_day_is_due_when_it_has_ended_at_the_latest(day: PendingDay, seconds: int, days: LocalDays):
    activity = days.start_of(day.day) + timedelta(seconds=seconds)
    assert due_at(day, activity, days) <= days.start_of(day.day + timedelta(days=1))
