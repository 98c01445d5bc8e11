"""The admin's actions on turns and agents: the person's commands, as REST gives them, one for each selected row.

Each is confirmed on a page of its own, and each row has its own result. The page carries a number, so that sending
it twice repeats no command (docs/protocol.md, "Commands").
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin import ActionLocation, ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from groupx.admin.shown import list_address, row_link
from groupx.kernel.clock import SystemClock
from groupx.kernel.errors import GroupXError
from memory import commands as memory_commands
from memory.models import IdentityRecord, MemoryRecord
from rooms.caller import web_caller
from rooms.requests import Command
from turns import commands
from turns.chain import ChainLimit
from turns.models import LoopStop
from turns.requests import GrantRequest

_CLOCK = SystemClock()
MOST_AT_ONCE = 100
EVERYWHERE = [ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM]

type RunCommand = Callable[[str, Command], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class ConfirmPage:
    """What `admin/confirm.html` may use, as `confirm`."""

    question: str | Promise
    warning: str | Promise
    rows: list[Model]
    action: str
    number: str
    """Stands in the id of each command."""
    list_address: str
    selected_name: str


def _cancel(turn_id: str, command: Command) -> dict[str, Any]:
    return commands.cancel(turn_id, command, caller=web_caller(), clock=_CLOCK).result


def _retry(turn_id: str, command: Command) -> dict[str, Any]:
    limits = settings.RUN.config.limits
    return commands.retry(turn_id, command, caller=web_caller(), limits=limits, clock=_CLOCK).result


def _restart(actor_id: str, command: Command) -> dict[str, Any]:
    return commands.restart(actor_id, command, caller=web_caller(), clock=_CLOCK).result


def _resume(actor_id: str, command: Command) -> dict[str, Any]:
    return commands.resume(actor_id, command, caller=web_caller(), days=settings.RUN.config.days, clock=_CLOCK).result


def _begin_afresh(actor_id: str, command: Command) -> dict[str, Any]:
    return commands.begin_afresh(actor_id, command, caller=web_caller(), clock=_CLOCK).result


def _grant(event_id: str, command: Command, *, without_message: bool = False) -> dict[str, Any]:
    stop = LoopStop.objects.get(pk=event_id)
    request = GrantRequest(
        client_command_id=command.client_command_id,
        root_correlation_id=stop.root_correlation_id,
        limit=ChainLimit(stop.limit),
        stopped_event_id=event_id,
        without_message=without_message,
    )
    limits = settings.RUN.config.limits
    return commands.grant(request, caller=web_caller(), limits=limits, clock=_CLOCK).result


def _retract_memory(pk: str, command: Command) -> dict[str, Any]:
    memory_id = MemoryRecord.objects.get(pk=pk).record_id
    return memory_commands.retract(memory_id, command, caller=web_caller(), clock=_CLOCK).result


def _retract_identity(pk: str, command: Command) -> dict[str, Any]:
    identity_id = IdentityRecord.objects.get(pk=pk).record_id
    return memory_commands.retract_who(identity_id, command, caller=web_caller(), clock=_CLOCK).result


@admin.action(description=gettext_lazy("Cancel turns"), location=EVERYWHERE)
def cancel_turns(model_admin: ModelAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
    def told(answer: dict[str, Any]) -> str:
        status = {"status": answer["status"]}
        return _("is %(status)s") % status if answer["accepted"] else _("had ended already: %(status)s") % status

    question = gettext_lazy("Cancel these turns?")
    warning = gettext_lazy("What an agent has done already stays done.")
    return _command(model_admin, request, rows, "cancel_turns", question, warning, _cancel, told)


@admin.action(description=gettext_lazy("Try turns again"), location=EVERYWHERE)
def retry_turns(model_admin: ModelAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
    def told(answer: dict[str, Any]) -> str:
        return _("is tried again by %(turn)s") % {"turn": answer["turnId"]}

    question = gettext_lazy("Try these turns again?")
    warning = gettext_lazy("The agents are given their messages once more. What they did the first time stays done.")
    return _command(model_admin, request, rows, "retry_turns", question, warning, _retry, told)


@admin.action(description=gettext_lazy("Restart agents"), location=EVERYWHERE)
def restart_agents(model_admin: ModelAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
    def told(answer: dict[str, Any]) -> str:
        return _("restarts")

    question = gettext_lazy("Restart these agents?")
    warning = gettext_lazy("A turn that an agent works on now is interrupted.")
    return _command(model_admin, request, rows, "restart_agents", question, warning, _restart, told)


@admin.action(description=gettext_lazy("Let agents go on"), location=EVERYWHERE)
def resume_agents(model_admin: ModelAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
    def told(answer: dict[str, Any]) -> str:
        return _("goes on") if answer["accepted"] else _("was neither paused nor given up")

    question = gettext_lazy("Let these agents go on?")
    warning = gettext_lazy("One that has reached its limit may use as much again today.")
    return _command(model_admin, request, rows, "resume_agents", question, warning, _resume, told)


@admin.action(description=gettext_lazy("Let them go on"), location=EVERYWHERE)
def grant_limits(model_admin: ModelAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
    def told(answer: dict[str, Any]) -> str:
        limit = {"limit": answer["limit"], "maximum": answer["maximum"]}
        if "messageEventId" in answer:
            return _("%(limit)s is %(maximum)s now; the message that waited is sent") % limit
        return _("%(limit)s is %(maximum)s now") % limit

    question = gettext_lazy("Let these agents go on?")
    warning = gettext_lazy("The message that waits is sent, and the limit allows as much again.")
    return _command(model_admin, request, rows, "grant_limits", question, warning, _grant, told)


@admin.action(description=gettext_lazy("Let them go on without the message that waits"), location=EVERYWHERE)
def grant_limits_without_message(
    model_admin: ModelAdmin, request: HttpRequest, rows: QuerySet[Any]
) -> HttpResponse | None:
    def told(answer: dict[str, Any]) -> str:
        return _("%(limit)s is %(maximum)s now") % {"limit": answer["limit"], "maximum": answer["maximum"]}

    question = gettext_lazy("Let these agents go on without the message that waits?")
    warning = gettext_lazy("The message that waits is dropped for good, and the limit allows as much again.")
    run = partial(_grant, without_message=True)
    return _command(model_admin, request, rows, "grant_limits_without_message", question, warning, run, told)


@admin.action(description=gettext_lazy("Begin fresh sessions"), location=EVERYWHERE)
def begin_fresh_sessions(model_admin: ModelAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
    def told(answer: dict[str, Any]) -> str:
        return _("begins a fresh session after the turn that it works on")

    question = gettext_lazy("Begin fresh sessions for these agents?")
    warning = gettext_lazy("What their present sessions have gathered is not in the new ones; the room is.")
    return _command(model_admin, request, rows, "begin_fresh_sessions", question, warning, _begin_afresh, told)


def _told_retracted(answer: dict[str, Any]) -> str:
    return _("is retracted")


_RETRACT = gettext_lazy("Retract these records?")
_RETRACTED_STAY = gettext_lazy("They reach no agent any more; what agents have read of them they may still know.")


@admin.action(description=gettext_lazy("Retract"), location=EVERYWHERE)
def retract_memory(model_admin: ModelAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
    run = _retract_memory
    return _command(model_admin, request, rows, "retract_memory", _RETRACT, _RETRACTED_STAY, run, _told_retracted)


@admin.action(description=gettext_lazy("Retract"), location=EVERYWHERE)
def retract_identity(model_admin: ModelAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
    run = _retract_identity
    return _command(model_admin, request, rows, "retract_identity", _RETRACT, _RETRACTED_STAY, run, _told_retracted)


def _command(
    model_admin: ModelAdmin,
    request: HttpRequest,
    rows: QuerySet[Any],
    action: str,
    question: str | Promise,
    warning: str | Promise,
    run: RunCommand,
    told: Callable[[dict[str, Any]], str],
) -> HttpResponse | None:
    selected = list(rows[: MOST_AT_ONCE + 1])
    if len(selected) > MOST_AT_ONCE:
        words = _("Select at most %(count)d at once; nothing was done.") % {"count": MOST_AT_ONCE}
        messages.error(request, words)
        return None
    if (number := request.POST.get("confirmed", "")).isalnum():
        for row in selected:
            _run_one(request, row, f"admin-{number[:32]}-{row.pk}"[:128], run, told)
        return redirect(list_address(model_admin.model))
    confirm = ConfirmPage(
        question=question,
        warning=warning,
        rows=selected,
        action=action,
        number=secrets.token_hex(8),
        list_address=list_address(model_admin.model),
        selected_name=ACTION_CHECKBOX_NAME,
    )
    context = {
        **model_admin.admin_site.each_context(request),
        "title": question,
        "confirm": confirm,
        "opts": model_admin.opts,
    }
    return TemplateResponse(request, "admin/confirm.html", context)


def _run_one(
    request: HttpRequest, row: Model, command_id: str, run: RunCommand, told: Callable[[dict[str, Any]], str]
) -> None:
    try:
        answer = run(str(row.pk), Command(client_command_id=command_id))
    except GroupXError as error:
        messages.error(request, _result(row, f"{error.message} ({error.code.value})"))
    else:
        messages.success(request, _result(row, told(answer)))


def _result(row: Model, words: str) -> SafeString:
    return format_html("{}: {}", row_link(type(row), row.pk, getattr(row, "record_id", None)), words)
