"""The admin's start page: the room at a glance (our contract: docs/admin.md, "At a glance")."""

import re
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from groupx.admin.charts import HEIGHT, WIDTH, lying_width, stacked_bars
from groupx.admin.commands import ConfirmPage
from groupx.admin.dates import chosen_period, period_of
from groupx.admin.glance import ErrorRow, Glance, LaneRow, Span, in_words, size_of_database
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import GroupXConfig
from tests import given
from tests.console.test_page import Elements
from turns.figures import HOURS, TurnFact, figures_of, first_hour, percentile, spans_of
from turns.state import TurnStatus

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


# ---------------------------------------------------------------- figures
def fact(minutes_ago: float, status: TurnStatus, *, took: float | None = None, code: str = "") -> TurnFact:
    created_at = NOW - timedelta(minutes=minutes_ago)
    ended_at = created_at + timedelta(seconds=took) if took is not None else None
    return TurnFact(created_at=created_at, ended_at=ended_at, status=status, error_code=code)


def test_turns_are_counted_in_the_hour_they_were_asked_for() -> None:
    facts = [
        fact(1, TurnStatus.COMPLETED, took=2),
        fact(29, TurnStatus.QUEUED),
        fact(31, TurnStatus.FAILED, took=5, code="NATIVE_ERROR"),
        fact(23 * 60 + 30, TurnStatus.CANCELLED, took=1, code="TURN_CANCELLED"),
        fact(24 * 60, TurnStatus.COMPLETED, took=1),  # too old
        fact(-60, TurnStatus.COMPLETED, took=1),  # the clock was set back
    ]
    figures = figures_of(facts, NOW)
    assert len(figures.hours) == HOURS and figures.hours[0].begin == first_hour(NOW)
    counted = {hour.begin.hour: (hour.completed, hour.ended_otherwise, hour.still_open) for hour in figures.hours}
    assert (counted[12], counted[11], counted[13]) == ((1, 0, 1), (0, 1, 0), (0, 1, 0))
    assert figures.turns == 4
    assert sorted(figures.errors) == [("NATIVE_ERROR", 1), ("TURN_CANCELLED", 1)]
    assert (figures.median_seconds, figures.p95_seconds) == (2.0, 2.0)


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [([], 50, None), ([7.0], 95, 7.0), ([1.0, 2.0], 50, 1.0), ([float(n) for n in range(1, 101)], 95, 95.0)],
)
def test_a_percentile_is_one_of_the_values(values: list[float], percent: int, expected: float | None) -> None:
    assert percentile(values, percent) == expected


def test_each_span_holds_its_upper_bound() -> None:
    assert spans_of([0, 1, 1.1, 600, 601]) == (2, 1, 0, 0, 0, 0, 1, 1)


# ---------------------------------------------------------------- drawings
def test_bars_stand_on_one_another_inside_the_drawing() -> None:
    bars = stacked_bars([(1, 1), (0, 0), (3, 1)])
    assert [bar.part for bar in bars] == [0, 1, 0, 1]
    for bar in bars:
        assert float(bar.x) >= 0 and float(bar.x) + float(bar.width) <= WIDTH
        assert float(bar.y) >= 0 and float(bar.y) + float(bar.height) <= HEIGHT
    assert float(bars[2].y) == float(bars[3].y) + float(bars[3].height)


def test_the_smallest_count_can_be_seen_and_nothing_is_drawn_of_nothing() -> None:
    assert float(stacked_bars([(1,), (100_000,)])[0].height) > 1
    assert float(lying_width(1, 100_000)) > 1
    assert stacked_bars([(0,), (0,)]) == [] == stacked_bars([])


@pytest.mark.parametrize(("seconds", "words"), [(None, "–"), (0.04, "0.0 s"), (59.9, "59.9 s"), (61, "1 min 1 s")])
def test_durations_are_short(seconds: float | None, words: str) -> None:
    assert in_words(seconds) == words


# ---------------------------------------------------------------- files
def test_the_size_is_that_of_all_files_of_the_database(tmp_path: Path) -> None:
    path = tmp_path / "groupx.db"
    assert size_of_database(path) == 0
    path.write_bytes(b"x" * 10)
    path.with_name("groupx.db-wal").write_bytes(b"x" * 5)
    assert size_of_database(path) == 15


# ---------------------------------------------------------------- dates
@pytest.mark.parametrize(
    ("kind", "begin", "following"),
    [
        ("day", datetime(2024, 2, 29, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC)),
        ("month", datetime(2024, 2, 1, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC)),
        ("year", datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_moment_lies_in_its_period(kind: str, begin: datetime, following: datetime) -> None:
    assert period_of(datetime(2024, 2, 29, 23, 59, tzinfo=UTC), kind) == (begin, following)


def test_the_address_names_a_period() -> None:
    assert chosen_period("at", {}) == (datetime(1, 1, 1, tzinfo=UTC), None)
    assert chosen_period("at", {"at__year": "2024"})[1] == datetime(2025, 1, 1, tzinfo=UTC)
    assert chosen_period("at", {"at__year": "2024", "at__month": "12"})[1] == datetime(2025, 1, 1, tzinfo=UTC)


# ---------------------------------------------------------------- the page
@pytest.fixture
def busy_room(room: GroupXConfig) -> GroupXConfig:
    """As it is now: the page knows the last day only."""
    clock = SystemClock()
    given.completed_turn("builder", clock=clock)
    given.cancelled(given.queued_turn("reviewer", clock=clock), clock=clock)
    given.queued_turn("scribe", clock=clock)
    return room


def test_the_page_shows_lanes_queues_figures_and_versions(busy_room: GroupXConfig, person: Client) -> None:
    page = person.get("/admin/")
    glance = page.context["glance"]
    assert [lane.card.display_name for lane in glance.lanes] == ["Builder", "Reviewer", "Scribe", "Retired"]
    assert [lane.card.queue_length for lane in glance.lanes] == [0, 0, 1, 0]
    assert (glance.turns, glance.last_backup) == (3, None)
    assert [name for name, _ in glance.versions][:4] == ["GroupX", "Python", "Django", "SQLite"]
    for words in ("switched off", "never", "TURN_CANCELLED"):
        assert words in page.content.decode()


def test_each_drawing_says_in_words_what_it_shows(busy_room: GroupXConfig, person: Client) -> None:
    page = Elements(person.get("/admin/").content.decode())
    for tag, attributes in page.elements:
        if tag == "svg" and attributes.get("class", "") != "base-svgs":
            assert attributes.get("aria-hidden") == "true" or attributes.get("aria-label")


def test_an_empty_room_has_a_start_page_too(room: GroupXConfig, person: Client) -> None:
    page = person.get("/admin/").content.decode()
    assert "Nothing: no turn failed" in page


def test_the_page_costs_the_same_for_any_room(
    busy_room: GroupXConfig, person: Client, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(15) as few:
        person.get("/admin/")
    for _ in range(10):
        given.completed_turn("builder", clock=SystemClock())
    with django_assert_max_num_queries(len(few)):
        person.get("/admin/")


# ---------------------------------------------------------------- the policy
PAGES = ("index", "login", "turns_turn_changelist", "turns_lane_changelist", "rooms_event_changelist")


@pytest.mark.parametrize("name", PAGES)
def test_pages_of_the_admin_obey_the_rooms_policy(name: str, busy_room: GroupXConfig, person: Client) -> None:
    if name == "login":
        person.logout()
    answer = person.get(reverse(f"admin:{name}"))
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    for tag, attributes in Elements(answer.content.decode()).elements:
        assert tag != "style"
        assert tag != "script" or attributes.get("src")
        assert not [name for name in attributes if name == "style" or name.startswith("on")]


@pytest.mark.parametrize(
    ("shapes", "template"),
    [(("glance", Glance), "index"), (("confirm", ConfirmPage), "confirm"), (("lane", LaneRow), "index"),
     (("error", ErrorRow), "index"), (("span", Span), "index")],
)  # fmt: skip
def test_a_template_uses_exactly_what_its_context_has(shapes: tuple[str, type], template: str) -> None:
    name, shape = shapes
    text = (ROOT / "templates" / "admin" / f"{template}.html").read_text()
    assert set(re.findall(rf"(?<!/)\b{name}\.(\w+)", text)) == {field.name for field in fields(shape)}
