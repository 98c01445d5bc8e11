"""Where agents were stopped by a limit, and where a person let them go on."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from rooms.models import Event, SessionBinding

from .chain import ChainLimit
from .state import CommandType

CALLS = [CommandType.SEND.value, CommandType.ASK.value, CommandType.STEER.value]


class LoopStop(models.Model):
    """Agents reached a limit of one root; what one of them wanted to say waits for a person. One for each limit and
    each time that a person let them go on."""

    event = models.OneToOneField(
        Event, on_delete=models.PROTECT, to_field="event_id", primary_key=True, related_name="loop_stop"
    )
    """Its routing.loop_stopped."""
    root_correlation_id = models.CharField(max_length=64)
    limit = models.CharField(max_length=20, choices=[(limit.value, limit.value) for limit in ChainLimit])
    grants = models.IntegerField()
    """How often a person had raised this limit by then."""
    turn = models.ForeignKey("turns.Turn", on_delete=models.PROTECT, related_name="loop_stops")
    """The turn that the message comes from …"""
    binding = models.ForeignKey(SessionBinding, on_delete=models.PROTECT, related_name="+")
    """… through this session …"""
    command_type = models.CharField(max_length=20, choices=[(name, name) for name in CALLS])
    request = models.JSONField()
    """… as it was sent."""
    stopped_at = models.DateTimeField()
    granted_at = models.DateTimeField(null=True)
    """When a person let them go on."""

    class Meta:
        verbose_name, verbose_name_plural = _("stop at a limit"), _("stops at limits")
        constraints = [
            # also finds the grants of a root
            models.UniqueConstraint(
                fields=["root_correlation_id", "limit", "grants"], name="one_stop_per_limit_and_grant"
            ),
            models.CheckConstraint(
                condition=Q(limit__in=sorted(limit.value for limit in ChainLimit)), name="loop_stop_limit_is_known"
            ),
            models.CheckConstraint(condition=Q(command_type__in=CALLS), name="loop_stop_holds_a_call"),
            models.CheckConstraint(condition=Q(grants__gte=0), name="loop_stop_grants_are_counted"),
        ]

    def __str__(self) -> str:
        return f"{self.root_correlation_id} {self.limit} {self.grants}"
