"""What an agent's dated memory is made of: one source per completed turn, and how the writing of a day goes."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from rooms.models import Actor, Event


class RollupSource(models.Model):
    """A completed turn that its agent is to remember: where its message and answer stand. No text is copied."""

    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    source_event = models.ForeignKey(Event, on_delete=models.PROTECT, to_field="event_id", related_name="+")
    response_event = models.OneToOneField(Event, on_delete=models.PROTECT, to_field="event_id", related_name="+")
    seq = models.BigIntegerField()
    """Of the answer."""
    source_chars = models.IntegerField()
    response_chars = models.IntegerField()
    day = models.DateField()
    """On which it completed, in the room's time zone."""
    created_at = models.DateTimeField()
    rolled_at = models.DateTimeField(null=True)
    record = models.ForeignKey(
        "memory.MemoryRecord", on_delete=models.PROTECT, null=True, related_name="rollup_sources"
    )
    """What it went into; none where nothing of its batch was worth keeping."""

    class Meta:
        verbose_name, verbose_name_plural = _("source of dated memory"), _("sources of dated memory")
        constraints = [
            models.CheckConstraint(
                condition=Q(record__isnull=True) | Q(rolled_at__isnull=False), name="rollup_source_went_in_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(source_chars__gte=0, response_chars__gte=0), name="rollup_source_chars_are_not_negative"
            ),
        ]
        indexes = [
            # an idle lane asks what waits
            models.Index(
                fields=["actor", "day", "seq"], condition=Q(rolled_at__isnull=True), name="pending_rollup_sources"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor_id} {self.day} {self.seq}"


class RollupState(models.Model):
    """How the writing of one day's memory goes: its failures, when it is tried next, whether it is wanted now."""

    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    day = models.DateField()
    failures = models.IntegerField(default=0)
    """In a row."""
    next_attempt_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(null=True)
    """Since when a compaction wants to pass what is pending."""
    last_error = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name, verbose_name_plural = _("writing of dated memory"), _("writing of dated memory")
        constraints = [
            models.UniqueConstraint(fields=["actor", "day"], name="one_rollup_state_per_agent_and_day"),
            models.CheckConstraint(condition=Q(failures__gte=0), name="rollup_failures_are_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_id} {self.day}"
