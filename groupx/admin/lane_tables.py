"""Lanes and how far the sessions of their agents have been told the log."""

from django.utils.translation import gettext_lazy as _

from groupx.admin.commands import begin_fresh_sessions, restart_agents, resume_agents
from groupx.admin.filters import actor_filter, choice_filter
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, json_column, link_column, rows_column
from rooms.models import Actor, AgentInstance, Room, SessionBinding
from turns.models import CliVersion, DeliveryCursor, Lane, Turn
from turns.state import LaneStatus


class LaneAdmin(ReadOnlyAdmin):
    list_display = (
        column("lane", _("lane"), lambda lane: lane.pk),
        column("status", _("status")),
        column("status_text", _("says")),
        column("worker_pid", _("worker's pid")),
        link_column("instance", _("agent process"), AgentInstance),
        column("changed_at", _("changed (UTC)")),
    )
    list_filter = (choice_filter("status", _("status"), LaneStatus),)
    ordering = ("actor__roster_position", "actor_id")
    search_fields = ("actor__actor_id", "actor__display_name")
    actions = (resume_agents, begin_fresh_sessions, restart_agents)
    whole = ("last_error",)
    page = (
        link_column("actor", _("agent"), Actor),
        column("status", _("status")),
        column("status_text", _("says")),
        json_column("last_error", _("last error")),
        column("worker_pid", _("worker's pid")),
        link_column("instance", _("agent process"), AgentInstance),
        link_column("cli", _("CLI"), CliVersion),
        column("pause_kind", _("pauses for")),
        column("paused_until", _("paused until (UTC)")),
        column("pause_words", _("because")),
        column("went_on_day", _("let go on past its limit, day")),
        column("went_on_tokens", _("at tokens")),
        column("went_on_cost_usd", _("at cost (USD)")),
        column("restart_generation", _("restarts asked for")),
        column("resume_generation", _("let go on so often")),
        column("fresh_generation", _("fresh sessions asked for")),
        column("changed_at", _("changed (UTC)")),
        rows_column(
            "queue",
            _("open turns"),
            lambda lane: Turn.objects.filter(target=lane.pk, ended_at=None).order_by("enqueue_seq"),
            target=lambda lane: lane.pk,
            ended_at__isnull=lambda lane: True,
        ),
    )


class DeliveryCursorAdmin(ReadOnlyAdmin):
    list_display = (
        column("cursor", _("cursor"), lambda cursor: cursor.pk),
        link_column("actor", _("agent"), Actor),
        column("native_session_id", _("native session")),
        column("last_delivered_seq", _("given through seq")),
        column("last_summary_seq", _("of it summed up through seq")),
    )
    list_filter = (actor_filter("actor"),)
    ordering = ("-id",)
    search_fields = ("native_session_id",)
    page = (
        link_column("room", _("room"), Room),
        link_column("actor", _("agent"), Actor),
        column("native_session_id", _("native session")),
        column("last_delivered_seq", _("given through seq")),
        column("last_summary_seq", _("of it summed up through seq")),
        rows_column(
            "bindings",
            _("bindings"),
            lambda cursor: SessionBinding.objects.filter(
                actor=cursor.actor_id, native_session_id=cursor.native_session_id
            ),
            native_session_id=lambda cursor: cursor.native_session_id,
        ),
    )


TABLES: dict[type, type[ReadOnlyAdmin]] = {Lane: LaneAdmin, DeliveryCursor: DeliveryCursorAdmin}
