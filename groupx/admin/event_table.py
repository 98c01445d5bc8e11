"""The log's table: events, found by ids, by seq and by words of their text."""

import json
import re
from typing import Any

from django.db.models import Max, Q, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Left
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from groupx.admin.event_export import export_as_jsonl
from groupx.admin.filters import EventTypeFilter, actor_filter, choice_filter, room_ids
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, json_column, link_column, row_link, rows_column
from rooms.models import Actor, AgentInstance, Event, Room
from rooms.vocabulary import EventType, SourceKind
from turns.models import Turn, TurnAttempt

EXCERPT_CHARS = 120
MOST_SEARCHED = 100_000
"""Events that are read through for words; a date or a filter begins with the newest event that it leaves."""
MOST_DIGITS = 18
"""Of a row's number or a seq; longer ones exceed what the database can hold."""
_ID = re.compile(r"(evt|turn|corr)_[0-9a-f]+")
TRANSIENT = {
    EventType.TURN_CONTENT_DELTA,
    EventType.TURN_REASONING_DELTA,
    EventType.TURN_PROGRESS,
    EventType.TOOL_PROGRESS,
    EventType.ADAPTER_HEARTBEAT,
    EventType.SESSION_RETRYING,
    EventType.CONTEXT_COMPACTION_STARTED,
    EventType.CONTEXT_COMPACTION_RETRYING,
    EventType.CONTEXT_COMPACTION_COMPLETED,
    EventType.CONTEXT_COMPACTION_FAILED,
    EventType.SETUP_SAVED,
}


class KnownTypes(EventTypeFilter):
    values = tuple(kind.value for kind in EventType if kind not in TRANSIENT)


class EventAdmin(ReadOnlyAdmin):
    list_display = (
        column("seq", _("seq")),
        column("occurred_at", _("time (UTC)")),
        column("type", _("type")),
        link_column("actor", _("actor"), Actor),
        link_column("turn", _("turn"), Turn, lambda event: event.of_turn),
        column("said", _("text"), lambda event: event.said),
    )
    list_filter = (
        KnownTypes,
        actor_filter("actor"),
        choice_filter("source_kind", _("source"), [kind.value for kind in SourceKind]),
    )
    date_hierarchy = "occurred_at"
    ordering = ("-id",)
    search_fields = ("event_id",)
    search_help_text = _("An id of an event, a turn or a correlation, a seq, or words of the newest 100,000 events.")
    actions = (export_as_jsonl,)
    whole = ("body",)
    page = (
        column("event_id", _("event id")),
        column("seq", _("seq")),
        link_column("room", _("room"), Room),
        column("type", _("type")),
        column("occurred_at", _("time (UTC)")),
        link_column("actor", _("actor"), Actor),
        link_column("instance_id", _("agent process"), AgentInstance, lambda event: event.instance_id),
        column("to", _("to"), lambda event: ", ".join(event.to)),
        column("source_kind", _("source")),
        link_column("turn", _("turn"), Turn, lambda event: event.shown_body.get("turnId")),
        link_column("attempt", _("attempt"), TurnAttempt, lambda event: event.shown_body.get("attemptId")),
        rows_column(
            "turns",
            _("turns for it"),
            lambda event: event.turns.order_by("created_at"),
            source_event=lambda event: event.event_id,
        ),
        rows_column(
            "attempts",
            _("attempts for it"),
            lambda event: TurnAttempt.objects.filter(turn__source_event=event.event_id).order_by("prepared_at"),
            turn__source_event=lambda event: event.event_id,
        ),
        rows_column(
            "memory",
            _("memory learnt from it"),
            lambda event: event.memoryrecords.defer("content").order_by("-id"),
            source_event=lambda event: event.event_id,
        ),
        rows_column(
            "identity",
            _("identity learnt from it"),
            lambda event: event.identityrecords.defer("content").order_by("-id"),
            source_event=lambda event: event.event_id,
        ),
        column("causation_id", _("caused by"), lambda event: _event_or_turn(event.causation_id)),
        column("reply_to_event_id", _("reply to"), lambda event: _event_or_turn(event.reply_to_event_id)),
        column("forwarded_event_id", _("forwards"), lambda event: _event_or_turn(event.forwarded_event_id)),
        rows_column(
            "correlation",
            _("same correlation"),
            lambda event: Event.objects.filter(correlation_id=event.correlation_id).without_bodies().order_by("seq"),
            correlation_id=lambda event: event.correlation_id,
        ),
        column("root_correlation_id", _("root correlation")),
        json_column("body", _("body"), lambda event: event.shown_body),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        return super().get_queryset(request).without_bodies()

    def with_texts(self, rows: QuerySet[Event]) -> QuerySet[Event]:
        shown = Event.objects.without_bodies().filter(pk__in=list(rows.values_list("pk", flat=True))).order_by("-pk")
        return shown.annotate(of_turn=shown_value("turnId"), said=Left(shown_value("content"), EXCERPT_CHARS))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Event | None:
        """By row, or by the event's own id as other tables know it."""
        events = Event.objects.with_shown_body().without_bodies()
        is_row = object_id.isdecimal() and len(object_id) <= MOST_DIGITS
        return events.filter(Q(pk=int(object_id)) if is_row else Q(event_id=object_id)).first()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Event], search_term: str
    ) -> tuple[QuerySet[Event], bool]:
        term = search_term.strip()
        return (queryset.filter(_condition(term, queryset)) if term else queryset), False


def shown_value(key: str, event: str = "") -> Coalesce:
    """A value of an event's body, taken from the cut one where there is one: the whole may have megabytes. `event`
    leads to it from another table."""
    return Coalesce(KeyTextTransform(key, f"{event}cut_body"), KeyTextTransform(key, f"{event}body"))


def _condition(term: str, events: QuerySet[Event]) -> Q:
    """Ids by their indexes; anything else is looked for in the stored text of the newest of these events."""
    if _ID.fullmatch(term):
        turn = Turn.objects.filter(turn_id=term).values_list("correlation_id", "source_event_id").first()
        if turn is not None:
            correlation_id, source = turn
            return Q(event_id=source) | Q(correlation_id=correlation_id, body__turnId=term)
        return Q(event_id=term) | Q(correlation_id=term)
    if term.isdecimal() and len(term) <= MOST_DIGITS:
        return Q(seq=int(term), room__in=room_ids())
    newest = events.aggregate(pk=Max("pk"))["pk"] or 0
    # stored as ASCII: other characters stand there escaped
    return Q(
        pk__in=Event.objects.filter(pk__gt=newest - MOST_SEARCHED)
        .annotate(text=Cast("body", TextField()))
        .filter(text__icontains=json.dumps(term)[1:-1])
        .values("pk")
    )


def _event_or_turn(identifier: str | None) -> Any:
    if not identifier:
        return None
    model = {"evt": Event, "turn": Turn}.get(identifier.partition("_")[0])
    return row_link(model, identifier) if model else identifier
