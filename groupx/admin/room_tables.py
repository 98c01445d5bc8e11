"""The room's tables: the log and who appears in it."""

import json
import re
from typing import Any

from django.db.models import Q, QuerySet, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce, Left
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from groupx.admin.event_export import export_as_jsonl
from groupx.admin.filters import EventTypeFilter, actor_filter, choice_filter, room_ids
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, flag_column, json_column, link_column, row_link, rows_column, text_column
from rooms.models import Actor, AgentInstance, ClientCommand, Event, Room, SessionBinding, Store
from rooms.vocabulary import ActorKind, EventType, SourceKind
from turns.models import DeliveryCursor, Lane, Turn, TurnAttempt

EXCERPT_CHARS = 120
_ID = re.compile(r"(evt|turn|corr)_[0-9a-f]+")
TRANSIENT = {
    EventType.TURN_CONTENT_DELTA,
    EventType.TURN_REASONING_DELTA,
    EventType.TURN_PROGRESS,
    EventType.TOOL_PROGRESS,
    EventType.ADAPTER_HEARTBEAT,
    EventType.SESSION_RETRYING,
}
COMMANDS = ("message", "turn.cancel", "turn.retry", "agent.restart")


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
    search_help_text = _("An id of an event, a turn or a correlation, a seq, or words of the text.")
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
        column("causation_id", _("caused by"), lambda event: _event_or_turn(event.causation_id)),
        column("reply_to_event_id", _("reply to"), lambda event: _event_or_turn(event.reply_to_event_id)),
        column("forwarded_event_id", _("forwards"), lambda event: _event_or_turn(event.forwarded_event_id)),
        rows_column(
            "correlation",
            _("same correlation"),
            lambda event: _without_bodies(Event.objects.filter(correlation_id=event.correlation_id)).order_by("seq"),
            correlation_id=lambda event: event.correlation_id,
        ),
        column("root_correlation_id", _("root correlation")),
        json_column("body", _("body"), lambda event: event.shown_body),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        return _without_bodies(super().get_queryset(request))

    def with_texts(self, rows: QuerySet[Event]) -> QuerySet[Event]:
        shown = _without_bodies(Event.objects.filter(pk__in=list(rows.values_list("pk", flat=True)))).order_by("-pk")
        return shown.annotate(of_turn=_shown("turnId"), said=Left(_shown("content"), EXCERPT_CHARS))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Event | None:
        """By row, or by the event's own id as other tables know it."""
        events = Event.objects.with_shown_body().defer("body", "cut_body")
        return events.filter(Q(pk=int(object_id)) if object_id.isdecimal() else Q(event_id=object_id)).first()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Event], search_term: str
    ) -> tuple[QuerySet[Event], bool]:
        term = search_term.strip()
        return (queryset.filter(_condition(term)) if term else queryset), False


def _shown(key: str) -> Coalesce:
    """A value of the body, taken from the cut one where there is one: the whole may have megabytes."""
    return Coalesce(KT(f"cut_body__{key}"), KT(f"body__{key}"))


def _without_bodies(events: QuerySet[Event]) -> QuerySet[Event]:
    return events.defer("body", "cut_body")


def _condition(term: str) -> Q:
    """Ids by their indexes; anything else is looked for in the stored text of the bodies."""
    if _ID.fullmatch(term):
        turn = Turn.objects.filter(turn_id=term).values_list("correlation_id", "source_event_id").first()
        if turn is not None:
            correlation_id, source = turn
            return Q(event_id=source) | Q(correlation_id=correlation_id, body__turnId=term)
        return Q(event_id=term) | Q(correlation_id=term)
    if term.isdecimal() and len(term) < 19:
        return Q(seq=int(term), room__in=room_ids())
    # stored as ASCII: other characters stand there escaped
    return Q(
        pk__in=Event.objects.annotate(text=Cast("body", TextField()))
        .filter(text__icontains=json.dumps(term)[1:-1])
        .values("pk")
    )


def _event_or_turn(identifier: str | None) -> Any:
    if not identifier:
        return None
    model = {"evt": Event, "turn": Turn}.get(identifier.partition("_")[0])
    return row_link(model, identifier) if model else identifier


class RoomAdmin(ReadOnlyAdmin):
    list_display = (column("room_id", _("id")), column("title", _("title")), column("last_seq", _("newest seq")))
    ordering = ("room_id",)
    search_fields = ("room_id", "title")
    page = (
        column("room_id", _("id")),
        column("title", _("title")),
        column("last_seq", _("newest seq")),
        column("created_at", _("created (UTC)")),
        rows_column(
            "events",
            _("newest events"),
            lambda room: room.events.defer("body", "cut_body").order_by("-seq"),
            room=lambda room: room.pk,
        ),
        rows_column(
            "turns", _("newest turns"), lambda room: room.turns.order_by("-created_at"), room=lambda room: room.pk
        ),
    )


class ActorAdmin(ReadOnlyAdmin):
    list_display = (
        column("actor_id", _("id")),
        column("display_name", _("name")),
        column("kind", _("kind")),
        column("driver", _("driver")),
        column("cwd", _("folder")),
        flag_column("enabled", _("enabled")),
    )
    list_filter = (choice_filter("kind", _("kind"), [kind.value for kind in ActorKind]),)
    ordering = ("roster_position", "actor_id")
    search_fields = ("actor_id", "display_name")
    whole = ("identity",)
    page = (
        column("actor_id", _("id")),
        column("display_name", _("name")),
        column("kind", _("kind")),
        column("driver", _("driver")),
        column("cwd", _("folder")),
        text_column("identity", _("identity")),
        rows_column("lane", _("lane"), lambda actor: Lane.objects.filter(actor=actor), actor=lambda actor: actor.pk),
        rows_column(
            "turns", _("newest turns"), lambda actor: actor.turns.order_by("-created_at"), target=lambda actor: actor.pk
        ),
        rows_column(
            "instances",
            _("agent processes"),
            lambda actor: actor.instances.order_by("-started_at"),
            actor=lambda actor: actor.pk,
        ),
        rows_column(
            "bindings", _("bindings"), lambda actor: actor.bindings.order_by("-opened_at"), actor=lambda actor: actor.pk
        ),
        rows_column(
            "cursors",
            _("delivery cursors"),
            lambda actor: DeliveryCursor.objects.filter(actor=actor).order_by("-last_delivered_seq"),
            actor=lambda actor: actor.pk,
        ),
    )


class AgentInstanceAdmin(ReadOnlyAdmin):
    list_display = (
        column("instance_id", _("id")),
        link_column("actor", _("agent"), Actor),
        column("agent_name", _("program")),
        column("agent_version", _("version")),
        column("pid", _("pid")),
        column("started_at", _("started (UTC)")),
        column("ended_at", _("ended (UTC)")),
        column("exit_code", _("exit code")),
    )
    list_filter = (actor_filter("actor"),)
    date_hierarchy = "started_at"
    ordering = ("-started_at",)
    search_fields = ("instance_id__exact", "agent_name", "agent_version")
    page = (
        *list_display,
        rows_column(
            "bindings", _("bindings"), lambda run: run.bindings.order_by("-opened_at"), instance=lambda run: run.pk
        ),
        rows_column(
            "attempts",
            _("attempts"),
            lambda run: TurnAttempt.objects.filter(instance=run).order_by("-prepared_at"),
            instance=lambda run: run.pk,
        ),
    )


class SessionBindingAdmin(ReadOnlyAdmin):
    list_display = (
        column("binding_id", _("id")),
        link_column("actor", _("actor"), Actor),
        link_column("instance", _("agent process"), AgentInstance),
        column("native_session_id", _("native session")),
        column("opened_at", _("opened (UTC)")),
        column("closed_at", _("closed (UTC)")),
    )
    list_filter = (actor_filter("actor"),)
    date_hierarchy = "opened_at"
    ordering = ("-opened_at",)
    search_fields = ("binding_id__exact", "native_session_id")
    page = (
        *list_display,
        column("opened_seq", _("opened at seq")),
        flag_column("is_resumable", _("can be resumed")),
        column("cwd", _("folder")),
        rows_column(
            "attempts",
            _("attempts"),
            lambda binding: TurnAttempt.objects.filter(binding=binding).order_by("-prepared_at"),
            binding=lambda binding: binding.pk,
        ),
        rows_column(
            "receipts",
            _("receipts"),
            lambda binding: ClientCommand.objects.filter(binding=binding).order_by("-id"),
            binding=lambda binding: binding.pk,
        ),
    )


class ClientCommandAdmin(ReadOnlyAdmin):
    list_display = (
        column("client_command_id", _("command id")),
        column("command_type", _("command")),
        link_column("binding", _("binding"), SessionBinding),
        column("created_at", _("time (UTC)")),
    )
    list_filter = (choice_filter("command_type", _("command"), COMMANDS),)
    ordering = ("-id",)
    search_fields = ("client_command_id__exact",)
    whole = ("result",)
    page = (
        *list_display,
        column("payload_hash", _("hash of the request")),
        text_column("result", _("answer")),
    )


class StoreAdmin(ReadOnlyAdmin):
    list_display = (
        column("epoch", _("epoch")),
        column("boot_id", _("boot")),
        flag_column("closed_cleanly", _("closed in order")),
    )
    search_fields = ("epoch",)
    page = list_display


TABLES: dict[type, type[ReadOnlyAdmin]] = {
    Event: EventAdmin,
    Room: RoomAdmin,
    Actor: ActorAdmin,
    AgentInstance: AgentInstanceAdmin,
    SessionBinding: SessionBindingAdmin,
    ClientCommand: ClientCommandAdmin,
    Store: StoreAdmin,
}
