"""What is known of the CLIs of this room, per version. Changed by `actions/note_evidence.py` only."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from adapters.contract import Capability, Evidence

from .evidence import Source

SEEN_IN_TURNS = [Source.TURN.value, Source.CHECK.value]


class CliVersion(models.Model):
    """One version of a CLI, as it is started here."""

    driver = models.CharField(max_length=40)
    program = models.CharField(max_length=120, blank=True)
    """As it calls itself; what was started, where it does not."""
    launch = models.CharField(max_length=64, blank=True)
    """Of the open driver: tells apart what is started with other arguments or another mode."""
    version = models.CharField(max_length=120, blank=True)
    """As it tells it with a session; empty where it does not."""
    first_seen_at = models.DateTimeField()

    class Meta:
        verbose_name, verbose_name_plural = _("version of a CLI"), _("versions of CLIs")
        constraints = [
            models.UniqueConstraint(fields=["driver", "program", "launch", "version"], name="one_row_per_cli_version")
        ]

    def __str__(self) -> str:
        return " ".join(filter(None, (self.program or self.driver, self.version)))


class CapabilityEvidence(models.Model):
    """How it is known that this version is able to something, or not."""

    cli = models.ForeignKey(CliVersion, on_delete=models.PROTECT, related_name="capabilities")
    capability = models.CharField(max_length=16, choices=[(c.value, c.value) for c in Capability])
    evidence = models.CharField(max_length=16, choices=[(e.value, e.value) for e in Evidence])
    source = models.CharField(max_length=16, choices=[(s.value, s.value) for s in Source])
    seen_at = models.DateTimeField()
    """When it came to be known in this way."""

    class Meta:
        verbose_name, verbose_name_plural = _("capability"), _("capabilities")
        constraints = [
            models.UniqueConstraint(fields=["cli", "capability"], name="one_evidence_per_capability"),
            models.CheckConstraint(
                condition=Q(capability__in=sorted(c.value for c in Capability)), name="capability_is_known"
            ),
            models.CheckConstraint(
                condition=Q(evidence__in=sorted(e.value for e in Evidence)), name="evidence_is_known"
            ),
            models.CheckConstraint(
                condition=Q(source=Source.HANDSHAKE.value, evidence__in=["unsupported", "documented", "probed"])
                | Q(source__in=SEEN_IN_TURNS, evidence__in=["unsupported", "verified"]),
                name="verified_is_seen_in_a_turn",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.capability}: {self.evidence}"
