"""Where later turns' context begins: summaries, the floor of a reset; and what agents' dated memory is made of."""

from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import Model, QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from groupx.admin.filters import actor_filter, choice_filter
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import Shown, column, link_column, row_link, rows_column, text_column
from memory.models import CompactionLease, ContextFloor, MemoryRecord, RollupSource, RollupState, Summary
from memory.vocabulary import SummaryStatus
from rooms.models import Actor, Event, Room
from rooms.vocabulary import CONTEXT_TYPES

EXCERPT_CHARS = 120


def event_column(name: str, label: str | Promise, seq: Shown) -> Shown:
    """A link to the room's event with this seq."""

    def event_id(row: Any) -> str | None:
        return Event.objects.filter(room=row.room_id, seq=seq(row)).values_list("event_id", flat=True).first()

    return link_column(name, label, Event, event_id)


class SummaryAdmin(ReadOnlyAdmin):
    list_display = (
        column("summary_id", _("id")),
        column("status", _("status")),
        column("from_seq", _("from seq")),
        column("through_seq", _("through seq")),
        link_column("writer", _("author"), Actor),
        column("created_at", _("created (UTC)")),
        column("text", _("text"), lambda summary: summary.excerpt),
    )
    list_filter = (choice_filter("status", _("status"), SummaryStatus), actor_filter("writer"))
    date_hierarchy = "created_at"
    ordering = ("-id",)
    search_fields = ("summary_id__exact", "content")
    search_help_text = _("An id of a summary, or words of its text.")
    whole = ("content",)
    page = (
        *list_display[:-1],
        column("superseded_at", _("superseded (UTC)")),
        link_column("supersedes", _("took in"), Summary),
        rows_column(
            "successor",
            _("superseded by"),
            lambda summary: summary.superseded_by.defer("content"),
            supersedes=lambda summary: summary.pk,
        ),
        event_column("first", _("first event"), lambda summary: summary.from_seq),
        event_column("last", _("last event"), lambda summary: summary.through_seq),
        rows_column(
            "covered",
            _("stands for"),
            lambda summary: (
                Event.objects.filter(
                    room=summary.room_id,
                    type__in=CONTEXT_TYPES,
                    seq__gte=summary.from_seq,
                    seq__lte=summary.through_seq,
                )
                .without_bodies()
                .order_by("-seq")
            ),
            seq__gte=lambda summary: summary.from_seq,
            seq__lte=lambda summary: summary.through_seq,
        ),
        link_column("room", _("room"), Room),
        text_column("content", _("text")),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Summary]:
        return super().get_queryset(request).annotate(excerpt=Left("content", EXCERPT_CHARS)).defer("content")


class ContextFloorAdmin(ReadOnlyAdmin):
    list_display = (
        link_column("room", _("room"), Room),
        column("reset_through_seq", _("nothing is given through seq")),
    )
    ordering = ("room_id",)
    search_fields = ("room__room_id__exact",)
    page = (*list_display, event_column("last", _("last event"), lambda floor: floor.reset_through_seq))


class CompactionLeaseAdmin(ReadOnlyAdmin):
    list_display = (link_column("room", _("room"), Room), column("expires_at", _("runs out (UTC)")))
    ordering = ("room_id",)
    search_fields = ("room__room_id__exact",)
    page = list_display


class RolledFilter(SimpleListFilter):
    title, parameter_name = _("state"), "state"
    conditions: dict[str, dict[str, Any]] = {
        "waits": {"rolled_at__isnull": True},
        "kept": {"record__isnull": False},
        "nothing": {"rolled_at__isnull": False, "record__isnull": True},
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str | Promise]]:
        return [("waits", _("waits")), ("kept", _("remembered")), ("nothing", _("not worth keeping"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**self.conditions[self.value()]) if self.value() in self.conditions else queryset


class RollupSourceAdmin(ReadOnlyAdmin):
    list_display = (
        column("source", _("source"), lambda source: source.pk),
        link_column("actor", _("agent"), Actor),
        column("day", _("day")),
        link_column("source_event", _("message"), Event),
        link_column("response_event", _("answer"), Event),
        column("rolled_at", _("looked at (UTC)")),
        column("record", _("went into"), lambda source: _link(source.record)),
    )
    list_filter = (RolledFilter, actor_filter("actor"))
    list_select_related = ("record",)
    date_hierarchy = "created_at"
    ordering = ("-id",)
    search_fields = ("source_event__event_id__exact", "response_event__event_id__exact", "record__record_id__exact")
    search_help_text = _("An id of an event or of a record.")
    page = (
        link_column("actor", _("agent"), Actor),
        column("day", _("day")),
        link_column("source_event", _("message"), Event),
        column("source_chars", _("characters of the message")),
        link_column("response_event", _("answer"), Event),
        column("response_chars", _("characters of the answer")),
        column("seq", _("seq of the answer")),
        column("created_at", _("created (UTC)")),
        column("rolled_at", _("looked at (UTC)")),
        column("record", _("went into"), lambda source: _link(source.record)),
        rows_column(
            "writing",
            _("writing of its day"),
            lambda source: RollupState.objects.filter(actor=source.actor_id, day=source.day),
            actor=lambda source: source.actor_id,
            day=lambda source: source.day,
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[RollupSource]:
        return super().get_queryset(request).select_related("record").defer("record__content")


class RollupStateAdmin(ReadOnlyAdmin):
    list_display = (
        column("state", _("writing"), lambda state: state.pk),
        link_column("actor", _("agent"), Actor),
        column("day", _("day")),
        column("failures", _("failed in a row")),
        column("next_attempt_at", _("tried again (UTC)")),
        column("asked_at", _("wanted by a compaction since (UTC)")),
        column("last_error", _("last error")),
    )
    list_filter = (actor_filter("actor"),)
    ordering = ("-day", "-id")
    search_fields = ("actor__actor_id__exact", "last_error")
    page = (
        *list_display[1:],
        rows_column(
            "sources",
            _("its sources"),
            lambda state: RollupSource.objects.filter(actor=state.actor_id, day=state.day).order_by("-id"),
            actor=lambda state: state.actor_id,
            day=lambda state: state.day,
        ),
        rows_column(
            "records",
            _("what was written"),
            lambda state: (
                MemoryRecord.objects.filter(scope_id=state.actor_id, day=state.day).defer("content").order_by("-id")
            ),
            scope_id=lambda state: state.actor_id,
            day=lambda state: state.day,
        ),
    )


def _link(record: Model | None) -> Any:
    return None if record is None else row_link(type(record), record.pk, str(record))


TABLES: dict[type, type[ReadOnlyAdmin]] = {
    Summary: SummaryAdmin,
    ContextFloor: ContextFloorAdmin,
    CompactionLease: CompactionLeaseAdmin,
    RollupSource: RollupSourceAdmin,
    RollupState: RollupStateAdmin,
}
