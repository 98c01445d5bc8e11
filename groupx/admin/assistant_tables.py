"""The conversation with the assistant beside the room, and how its brain is."""

from django.utils.translation import gettext_lazy as _

from assistant.models import AssistantBrain, AssistantMessage
from assistant.state import QuestionState, Role
from groupx.admin.filters import choice_filter
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, flag_column, json_column, rows_column, text_column
from groupx.admin.turn_tables import seconds_between

LISTED_CHARS = 80


def _excerpt(message: AssistantMessage) -> str:
    text = message.content
    return text if len(text) <= LISTED_CHARS else f"{text[:LISTED_CHARS]}…"


class AssistantMessageAdmin(ReadOnlyAdmin):
    list_display = (
        column("message_id", _("id")),
        column("role", _("who")),
        column("excerpt", _("message"), _excerpt),
        column("state", _("state")),
        column("error_code", _("error code")),
        column("created_at", _("created (UTC)")),
        column("seconds", _("seconds"), lambda message: seconds_between(message.taken_at, message.ended_at)),
    )
    list_filter = (choice_filter("role", _("who"), Role), choice_filter("state", _("state"), QuestionState))
    date_hierarchy = "created_at"
    ordering = ("-id",)
    search_fields = ("message_id__exact", "client_command_id__exact", "error_code__exact")
    search_help_text = _("An id of a message, a clientCommandId or an error code.")
    page = (
        *list_display,
        column("client_command_id", _("id of the command")),
        column("runs", _("asked, times")),
        column("taken_at", _("taken (UTC)")),
        flag_column("is_cancel_asked", _("is to be stopped")),
        column("ended_at", _("ended (UTC)")),
        text_column("error_message", _("message")),
        text_column("hint", _("what to do")),
        rows_column(
            "same",
            _("question and answer"),
            lambda message: AssistantMessage.objects.filter(client_command_id=message.client_command_id),
            client_command_id=lambda message: message.client_command_id,
        ),
        text_column("content", _("text")),
    )


class AssistantBrainAdmin(ReadOnlyAdmin):
    list_display = (
        column("status", _("status")),
        column("status_text", _("in words")),
        column("driver", _("driver")),
        column("pid", _("process")),
        column("changed_at", _("changed (UTC)")),
    )
    search_fields = ("status__exact", "driver__exact")
    search_help_text = _("A status or a driver.")
    page = (
        *list_display,
        column("cwd", _("folder")),
        column("cli", _("CLI")),
        column("native_session_id", _("session of its CLI")),
        json_column("last_error", _("last error")),
    )


TABLES: dict[type, type[ReadOnlyAdmin]] = {
    AssistantMessage: AssistantMessageAdmin,
    AssistantBrain: AssistantBrainAdmin,
}
