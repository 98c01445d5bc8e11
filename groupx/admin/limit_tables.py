"""Where agents were stopped by a limit of their chain, and where a person let them go on."""

from django.utils.translation import gettext_lazy as _

from groupx.admin.commands import grant_limits, grant_limits_without_message
from groupx.admin.filters import choice_filter
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, json_column, link_column
from rooms.models import Event, SessionBinding
from turns.chain import ChainLimit
from turns.models import LoopStop, Turn


class LoopStopAdmin(ReadOnlyAdmin):
    list_display = (
        column("stop", _("stop"), lambda stop: stop.pk),
        column("limit", _("limit")),
        link_column("turn", _("turn"), Turn),
        column("stopped_at", _("stopped (UTC)")),
        column("granted_at", _("let go on (UTC)")),
    )
    list_filter = (choice_filter("limit", _("limit"), ChainLimit),)
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
