"""What is known of the CLIs of the room, per version: docs/protocol.md, "Capabilities"."""

from django.utils.translation import gettext_lazy as _

from adapters.contract import Capability, Evidence
from groupx.admin.filters import choice_filter
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, link_column, rows_column
from turns.evidence import Source
from turns.models import CapabilityEvidence, CliVersion


class CliVersionAdmin(ReadOnlyAdmin):
    list_display = (
        column("cli", _("CLI"), str),
        column("driver", _("driver")),
        column("version", _("version")),
        column("launch", _("way of starting")),
        column("first_seen_at", _("first seen (UTC)")),
    )
    ordering = ("-first_seen_at",)
    search_fields = ("driver", "program", "version")
    page = (
        *list_display,
        rows_column("lanes", _("lanes"), lambda cli: cli.lanes.order_by("actor_id"), cli=lambda cli: cli.pk),
        rows_column(
            "capabilities",
            _("capabilities"),
            lambda cli: cli.capabilities.order_by("capability"),
            cli=lambda cli: cli.pk,
        ),
    )


class CapabilityEvidenceAdmin(ReadOnlyAdmin):
    list_display = (
        column("known", _("capability"), str),
        link_column("cli", _("CLI"), CliVersion),
        column("evidence", _("evidence")),
        column("source", _("seen in")),
        column("seen_at", _("since (UTC)")),
    )
    list_filter = (
        choice_filter("capability", _("capability"), [known.value for known in Capability]),
        choice_filter("evidence", _("evidence"), [evidence.value for evidence in Evidence]),
        choice_filter("source", _("seen in"), [source.value for source in Source]),
    )
    ordering = ("-seen_at", "-id")
    search_fields = ("capability", "cli__driver", "cli__program")
    page = list_display


TABLES: dict[type, type[ReadOnlyAdmin]] = {
    CliVersion: CliVersionAdmin,
    CapabilityEvidence: CapabilityEvidenceAdmin,
}
