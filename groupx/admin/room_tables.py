"""The room's tables but the log: who appears in it, by which process and session, and what was commanded."""

from django.utils.translation import gettext_lazy as _

from groupx.admin.event_table import EventAdmin
from groupx.admin.filters import actor_filter, choice_filter
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, flag_column, link_column, rows_column, text_column
from memory.models import RollupState, Summary
from rooms.command_names import CommandName
from rooms.models import Actor, AgentInstance, ClientCommand, Event, Room, SessionBinding, Store
from rooms.vocabulary import ActorKind
from turns.models import AgentJob, DeliveryCursor, Lane, TurnAttempt


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
            lambda room: room.events.without_bodies().order_by("-seq"),
            room=lambda room: room.pk,
        ),
        rows_column(
            "turns", _("newest turns"), lambda room: room.turns.order_by("-created_at"), room=lambda room: room.pk
        ),
        rows_column(
            "summaries",
            _("newest summaries"),
            lambda room: Summary.objects.filter(room=room).defer("content").order_by("-id"),
            room=lambda room: room.pk,
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
        rows_column(
            "jobs",
            _("newest jobs"),
            lambda actor: (
                AgentJob.objects.filter(actor=actor).defer("prompt", "answer", "message").order_by("-created_at")
            ),
            actor=lambda actor: actor.pk,
        ),
        rows_column(
            "rollups",
            _("writing of dated memory"),
            lambda actor: RollupState.objects.filter(actor=actor).order_by("-day"),
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
    list_filter = (choice_filter("command_type", _("command"), CommandName),)
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
