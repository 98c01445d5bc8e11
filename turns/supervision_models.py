"""Which turns watch which: the pairings of one command, for as long as its turns are there."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from rooms.models import Event

from .state import SupervisionMode, SupervisionRole


class SupervisionPair(models.Model):
    """What one command paired: each of its observers watches each of its workers."""

    pair_id = models.CharField(primary_key=True, max_length=64)
    """Event id of its supervision.paired."""
    task = models.ForeignKey(Event, on_delete=models.PROTECT, to_field="event_id", related_name="+")
    brief = models.OneToOneField(Event, on_delete=models.PROTECT, to_field="event_id", related_name="+")
    """What the watch turns were made for."""
    mode = models.CharField(max_length=16, choices=[(mode.value, mode.value) for mode in SupervisionMode])
    created_at = models.DateTimeField()

    class Meta:
        verbose_name, verbose_name_plural = _("supervision"), _("supervisions")
        constraints = [
            models.CheckConstraint(
                condition=Q(mode__in=sorted(mode.value for mode in SupervisionMode)), name="supervision_mode_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.pair_id


class PairedTurn(models.Model):
    """A turn of a pairing, and what it is in it. Retries and turns that steers queue join the same pairing."""

    turn = models.OneToOneField("turns.Turn", on_delete=models.PROTECT, primary_key=True, related_name="paired")
    pair = models.ForeignKey(SupervisionPair, on_delete=models.PROTECT, related_name="paired_turns")
    role = models.CharField(max_length=8, choices=[(role.value, role.value) for role in SupervisionRole])
    steers = models.PositiveIntegerField(default=0)
    """How often this turn was steered, by whichever observer."""
    was_interrupted = models.BooleanField(default=False)
    """A steer has ended it, nobody else."""

    class Meta:
        verbose_name, verbose_name_plural = _("turn of a supervision"), _("turns of supervisions")
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=sorted(role.value for role in SupervisionRole)), name="supervision_role_is_known"
            ),
            models.CheckConstraint(
                condition=Q(role=SupervisionRole.WORKER.value) | Q(steers=0, was_interrupted=False),
                name="only_workers_are_steered",
            ),
            models.CheckConstraint(
                condition=Q(was_interrupted=False) | Q(steers__gt=0), name="supervision_interrupt_is_a_steer"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.turn_id} ({self.role})"
