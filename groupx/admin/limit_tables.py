"""Where agents were stopped by a limit of their chain, and where a person let them go on."""

from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from groupx.admin.commands import grant_limits, grant_limits_without_message
from groupx.admin.filters import choice_filter
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, json_column, link_column
from rooms.models import Actor, Event, SessionBinding
from turns.chain import ChainLimit
from turns.models import LoopStop, Turn

LISTED_CHARS = 80


def _excerpt(stop: LoopStop) -> str:
    content = str(stop.request.get("content", ""))
    return content if len(content) <= LISTED_CHARS else f"{content[:LISTED_CHARS]}…"


class WaitingFilter(SimpleListFilter):
    title, parameter_name = _("state"), "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str | Promise]]:
        return [("waits", _("waits")), ("granted", _("let go on"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(granted_at__isnull=self.value() == "waits") if self.value() else queryset


class LoopStopAdmin(ReadOnlyAdmin):
    list_display = (
        column("stop", _("stop"), lambda stop: stop.pk),
        column("limit", _("limit")),
        link_column("caller", _("caller"), Actor, lambda stop: stop.turn.target_id),
        column("targets", _("wanted to call"), lambda stop: ", ".join(stop.event.body["targets"])),
        column("excerpt", _("message"), _excerpt),
        column("state", _("state"), lambda stop: _("waits") if stop.granted_at is None else _("let go on")),
        link_column("turn", _("turn"), Turn),
        column("stopped_at", _("stopped (UTC)")),
        column("granted_at", _("let go on (UTC)")),
    )
    list_filter = (WaitingFilter, choice_filter("limit", _("limit"), ChainLimit))
    list_select_related = ("turn", "event")
    date_hierarchy = "stopped_at"
    ordering = ("-stopped_at",)
    search_fields = ("root_correlation_id__exact", "turn__turn_id__exact")
    search_help_text = _("An id of a turn or a correlation.")
    actions = (grant_limits, grant_limits_without_message)
    whole = ("request",)
    page = (
        link_column("event", _("its event"), Event),
        column("limit", _("limit")),
        column("grants", _("let go on before, times")),
        link_column("turn", _("turn"), Turn),
        link_column("binding", _("binding"), SessionBinding),
        column("command_type", _("command")),
        json_column("request", _("what waits")),
        column("stopped_at", _("stopped (UTC)")),
        column("granted_at", _("let go on (UTC)")),
        column("root_correlation_id", _("root correlation")),
    )


TABLES: dict[type, type[ReadOnlyAdmin]] = {LoopStop: LoopStopAdmin}
