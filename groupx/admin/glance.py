"""The admin's start page: the room at a glance. Everything on it is bounded, whatever the room holds."""

import platform
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import django
from django.contrib.admin.utils import quote
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from groupx import __version__
from groupx.admin.charts import Bar, lying_width, stacked_bars
from groupx.backups import last_backup
from groupx.kernel.config import RunConfig
from groupx.store_files import with_side_files
from rooms.fragments import AgentCard, all_cards
from rooms.queries import epoch, last_seq
from turns.activity import figures_of_the_day
from turns.figures import SPANS_SECONDS, Figures, Hour
from turns.models import Lane

SPAN_WORDS: tuple[str | Promise, ...] = (
    gettext_lazy("under 1 s"),
    gettext_lazy("1 to 3 s"),
    gettext_lazy("3 to 10 s"),
    gettext_lazy("10 to 30 s"),
    gettext_lazy("30 to 60 s"),
    gettext_lazy("1 to 3 min"),
    gettext_lazy("3 to 10 min"),
    gettext_lazy("over 10 min"),
)
assert len(SPAN_WORDS) == len(SPANS_SECONDS) + 1


@dataclass(frozen=True, kw_only=True)
class LaneRow:
    card: AgentCard
    program: str
    """The CLI and its version, as it told."""
    address: str
    open_turns: str


@dataclass(frozen=True, kw_only=True)
class Span:
    words: str | Promise
    count: int


@dataclass(frozen=True, kw_only=True)
class ErrorRow:
    code: str
    count: int
    width: str
    address: str


@dataclass(frozen=True, kw_only=True)
class Glance:
    """What `admin/index.html` may use, as `glance`."""

    now: datetime
    lanes: list[LaneRow]
    turns: int
    hours: Sequence[Hour]
    hour_bars: list[Bar]
    busiest: int
    median: str
    p95: str
    spans: list[Span]
    span_bars: list[Bar]
    errors: list[ErrorRow]
    database_bytes: int
    database_path: Path
    events: int
    last_backup: datetime | None
    versions: list[tuple[str, str]]


def glance_at(run: RunConfig, now: datetime) -> Glance:
    figures = figures_of_the_day(now)
    return Glance(
        now=now,
        lanes=_lanes(),
        turns=figures.turns,
        hours=figures.hours,
        hour_bars=stacked_bars([(hour.completed, hour.ended_otherwise, hour.still_open) for hour in figures.hours]),
        busiest=max(hour.total for hour in figures.hours),
        median=in_words(figures.median_seconds),
        p95=in_words(figures.p95_seconds),
        spans=[Span(words=words, count=count) for words, count in zip(SPAN_WORDS, figures.spans, strict=True)],
        span_bars=stacked_bars([(count,) for count in figures.spans]),
        errors=_errors(figures),
        database_bytes=size_of_database(run.database_path),
        database_path=run.database_path,
        events=last_seq(),
        last_backup=backup.made_at if (backup := last_backup(run)) else None,
        versions=[
            ("GroupX", __version__),
            ("Python", platform.python_version()),
            ("Django", django.get_version()),
            ("SQLite", sqlite3.sqlite_version),
            (_("Epoch"), epoch()),
        ],
    )


def _lanes() -> list[LaneRow]:
    told = Lane.objects.values_list("actor_id", "instance__agent_name", "instance__agent_version")
    programs = {actor_id: " ".join(filter(None, (name, version))) for actor_id, name, version in told}
    turns = reverse("admin:turns_turn_changelist")
    return [
        LaneRow(
            card=card,
            program=programs.get(card.actor_id, ""),
            address=reverse("admin:rooms_actor_change", args=[quote(card.actor_id)]),
            open_turns=f"{turns}?target={card.actor_id}&ended_at__isnull=True",
        )
        for card in all_cards()
    ]


def _errors(figures: Figures) -> list[ErrorRow]:
    most = max((count for _code, count in figures.errors), default=0)
    turns = reverse("admin:turns_turn_changelist")
    return [
        ErrorRow(code=code, count=count, width=lying_width(count, most), address=f"{turns}?error_code={code}")
        for code, count in figures.errors
    ]


def size_of_database(path: Path) -> int:
    """With the files that SQLite keeps beside it."""
    return sum(file.stat().st_size for file in with_side_files(path) if file.is_file())


def in_words(seconds: float | None) -> str:
    """A duration short enough for a tile."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return _("%(seconds)s s") % {"seconds": f"{seconds:.1f}"}
    return _("%(minutes)d min %(seconds)d s") % {"minutes": seconds // 60, "seconds": seconds % 60}
