"""Turns and what belongs to them: attempts, packets, what they used."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from groupx.admin.commands import cancel_turns, retry_turns
from groupx.admin.filters import actor_filter, choice_filter
from groupx.admin.omission_words import in_words
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, json_column, link_column, rows_column, text_column
from memory.models import Summary
from rooms.models import Actor, AgentInstance, Event, Room, SessionBinding
from turns.models import (
    FIGURES,
    AttemptPacket,
    PartialText,
    Turn,
    TurnAttempt,
    TurnUsage,
)
from turns.state import DeliveryCertainty, DispatchPhase, TurnStatus


class TurnAdmin(ReadOnlyAdmin):
    list_display = (
        column("turn_id", _("turn")),
        column("status", _("status")),
        link_column("target", _("agent"), Actor),
        link_column("source_event", _("for the event"), Event),
        column("error_code", _("error code")),
        column("created_at", _("created (UTC)")),
        column("seconds", _("seconds"), lambda turn: seconds_between(turn.created_at, turn.ended_at)),
    )
    list_filter = (choice_filter("status", _("status"), TurnStatus), actor_filter("target"))
    date_hierarchy = "created_at"
    ordering = ("-created_at",)
    search_fields = ("turn_id__exact", "correlation_id__exact", "source_event__event_id__exact", "error_code__exact")
    search_help_text = _("An id of a turn, a correlation or an event, or an error code.")
    actions = (cancel_turns, retry_turns)
    whole = ("message",)
    page = (
        column("turn_id", _("turn")),
        column("status", _("status")),
        link_column("target", _("agent"), Actor),
        link_column("source_event", _("for the event"), Event),
        rows_column(
            "attempts", _("attempts"), lambda turn: turn.attempts.order_by("number"), turn=lambda turn: turn.pk
        ),
        column("created_at", _("created (UTC)")),
        column("ended_at", _("ended (UTC)")),
        column("seconds", _("seconds"), lambda turn: seconds_between(turn.created_at, turn.ended_at)),
        column("error_code", _("error code")),
        text_column("message", _("message")),
        column("stop_reason", _("stop reason")),
        json_column("used", _("use"), lambda turn: _used(turn)),
        link_column("retry_of", _("tries again"), Turn),
        rows_column("retries", _("tried again by"), lambda turn: turn.retries.all(), retry_of=lambda turn: turn.pk),
        link_column("parent_turn", _("asked for by"), Turn),
        rows_column(
            "children",
            _("asked for"),
            lambda turn: turn.children.order_by("created_at"),
            parent_turn=lambda turn: turn.pk,
        ),
        rows_column(
            "events",
            _("its events"),
            lambda turn: (
                Event.objects.filter(correlation_id=turn.correlation_id, body__turnId=turn.pk)
                .without_bodies()
                .order_by("seq")
            ),
            q=lambda turn: turn.pk,
        ),
        link_column("room", _("room"), Room),
        column("transport", _("transport")),
        column("command_type", _("command")),
        column("hop_count", _("hops")),
        column("enqueue_seq", _("queued at seq")),
        column("correlation_id", _("correlation")),
        column("root_correlation_id", _("root correlation")),
    )


class TurnAttemptAdmin(ReadOnlyAdmin):
    list_display = (
        column("attempt_id", _("attempt")),
        link_column("turn", _("turn"), Turn),
        column("number", _("number")),
        column("dispatch_phase", _("phase")),
        column("delivery_certainty", _("delivery")),
        column("prepared_at", _("prepared (UTC)")),
        column("seconds", _("seconds"), lambda attempt: seconds_between(attempt.prepared_at, attempt.ended_at)),
    )
    list_filter = (
        choice_filter("dispatch_phase", _("phase"), DispatchPhase),
        choice_filter("delivery_certainty", _("delivery"), DeliveryCertainty),
    )
    date_hierarchy = "prepared_at"
    ordering = ("-prepared_at",)
    search_fields = ("attempt_id__exact", "turn__turn_id__exact", "native_turn_id__exact")
    search_help_text = _("An id of an attempt or a turn.")
    whole = ("partial_text",)
    page = (
        column("attempt_id", _("attempt")),
        link_column("turn", _("turn"), Turn),
        column("number", _("number")),
        column("dispatch_phase", _("phase")),
        column("delivery_certainty", _("delivery")),
        rows_column(
            "packet",
            _("packet"),
            lambda attempt: AttemptPacket.objects.filter(attempt=attempt).defer("text"),
            attempt=lambda attempt: attempt.pk,
        ),
        link_column("binding", _("binding"), SessionBinding),
        link_column("instance", _("agent process"), AgentInstance),
        column("native_turn_id", _("native turn")),
        column(
            "context", _("context, seq"), lambda attempt: _range(attempt.context_after_seq, attempt.context_through_seq)
        ),
        column("summary_through_seq", _("summed up through seq")),
        link_column("summary", _("by the summary"), Summary, lambda attempt: _summary_of(attempt)),
        column("omissions", _("left out"), lambda attempt: in_words(_omissions_of(attempt))),
        column("prepared_at", _("prepared (UTC)")),
        column("invoked_at", _("prompt sent (UTC)")),
        column("started_at", _("started (UTC)")),
        column("ended_at", _("ended (UTC)")),
        json_column("cancel_steps", _("steps of the cancel")),
        text_column("partial_text", _("text so far")),
        rows_column(
            "pieces",
            _("pieces of a running text"),
            lambda attempt: PartialText.objects.filter(attempt=attempt).defer("text").order_by("position"),
            attempt=lambda attempt: attempt.pk,
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[TurnAttempt]:
        return super().get_queryset(request).defer("partial_text")


class AttemptPacketAdmin(ReadOnlyAdmin):
    list_display = (
        column("packet", _("packet of"), lambda packet: packet.pk),
        link_column("turn", _("turn"), Turn, lambda packet: packet.attempt.turn_id),
        column("characters", _("characters"), lambda packet: packet.characters),
        column("sent", _("prompt sent (UTC)"), lambda packet: packet.attempt.invoked_at),
    )
    ordering = ("-attempt__prepared_at",)
    search_fields = ("attempt__attempt_id__exact", "attempt__turn__turn_id__exact")
    search_help_text = _("An id of an attempt or a turn.")
    whole = ("text",)
    page = (
        link_column("attempt", _("attempt"), TurnAttempt),
        link_column("turn", _("turn"), Turn, lambda packet: packet.attempt.turn_id),
        link_column("binding", _("binding"), SessionBinding, lambda packet: packet.attempt.binding_id),
        link_column("instance", _("agent process"), AgentInstance, lambda packet: packet.attempt.instance_id),
        column("characters", _("characters"), lambda packet: packet.characters),
        column("left_out", _("left out"), lambda packet: in_words(packet.omissions)),
        text_column("text", _("what the agent was given")),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[AttemptPacket]:
        rows = super().get_queryset(request).select_related("attempt").defer("text", "attempt__partial_text")
        return rows.annotate(characters=Length("text"))


class TurnUsageAdmin(ReadOnlyAdmin):
    list_display = (
        link_column("turn", _("turn"), Turn),
        link_column("actor", _("agent"), Actor),
        column("ended_at", _("ended (UTC)")),
        column("input_tokens", _("input tokens")),
        column("output_tokens", _("output tokens")),
        column("total_tokens", _("tokens")),
        column("cost_usd", _("cost (USD)")),
    )
    list_filter = (actor_filter("actor"),)
    date_hierarchy = "ended_at"
    ordering = ("-ended_at",)
    search_fields = ("turn__turn_id__exact",)
    search_help_text = _("An id of a turn.")
    page = (
        link_column("turn", _("turn"), Turn),
        link_column("actor", _("agent"), Actor),
        column("ended_at", _("ended (UTC)")),
        column("input_tokens", _("input tokens")),
        column("cached_tokens", _("of these from the cache")),
        column("output_tokens", _("output tokens")),
        column("reasoning_tokens", _("of these thoughts")),
        column("total_tokens", _("tokens")),
        column("cost_usd", _("cost (USD)")),
        column("context_used", _("tokens in its context")),
        column("context_size", _("its context holds")),
    )


class PartialTextAdmin(ReadOnlyAdmin):
    list_display = (
        column("piece", _("piece"), lambda piece: piece.pk),
        link_column("attempt", _("attempt"), TurnAttempt),
        column("position", _("position")),
    )
    ordering = ("-id",)
    search_fields = ("attempt__attempt_id__exact",)
    search_help_text = _("An id of an attempt.")
    whole = ("text",)
    page = (*list_display, text_column("text", _("text")))

    def get_queryset(self, request: HttpRequest) -> QuerySet[PartialText]:
        return super().get_queryset(request).defer("text")


def _summary_of(attempt: TurnAttempt) -> int | None:
    """The one that its packet stood on: the same reach is not summed up twice."""
    if attempt.summary_through_seq is None:
        return None
    reach = Summary.objects.filter(room=attempt.turn.room_id, through_seq=attempt.summary_through_seq)
    return reach.order_by("-id").values_list("pk", flat=True).first()


def _omissions_of(attempt: TurnAttempt) -> Mapping[str, int]:
    return AttemptPacket.objects.filter(attempt=attempt).values_list("omissions", flat=True).first() or {}


def _used(turn: Turn) -> dict[str, Any]:
    """What its agent told."""
    told = TurnUsage.objects.filter(turn=turn).values(*FIGURES).first() or {}
    return {name: value for name, value in told.items() if value is not None}


def seconds_between(begin: Any, end: Any) -> str | None:
    return f"{(end - begin).total_seconds():.1f}" if begin and end else None


def _range(after: int | None, through: int) -> str:
    return f"{(after or 0) + 1} – {through}"


TABLES: dict[type, type[ReadOnlyAdmin]] = {
    Turn: TurnAdmin,
    TurnAttempt: TurnAttemptAdmin,
    AttemptPacket: AttemptPacketAdmin,
    PartialText: PartialTextAdmin,
    TurnUsage: TurnUsageAdmin,
}
