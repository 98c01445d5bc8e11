"""Where the context of later turns begins: the summary of what was said before, and the floor of a reset."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length
from django.db.models.lookups import GreaterThan, LessThanOrEqual
from django.utils.translation import gettext_lazy as _

from rooms.models import Actor, Room

from .vocabulary import MAX_SUMMARY_CHARACTERS, SummaryStatus


class Summary(models.Model):
    """Stands for all that the room said from one seq through another. One counts per room; it takes in the one before
    it. Never edited: a trigger refuses everything but the step from active to superseded."""

    summary_id = models.CharField(max_length=64, unique=True)
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="+")
    writer = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    from_seq = models.BigIntegerField()
    through_seq = models.BigIntegerField()
    content = models.TextField()
    status = models.CharField(
        max_length=10, choices=[(s.value, s.value) for s in SummaryStatus], default=SummaryStatus.ACTIVE.value
    )
    supersedes = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="superseded_by")
    """The summary that it took in."""
    created_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name, verbose_name_plural = _("summary"), _("summaries")
        constraints = [
            models.UniqueConstraint(
                fields=["room"], condition=Q(status=SummaryStatus.ACTIVE.value), name="one_active_summary_per_room"
            ),
            models.UniqueConstraint(
                fields=["supersedes"], condition=Q(supersedes__isnull=False), name="one_successor_per_summary"
            ),
            models.CheckConstraint(
                condition=Q(status=SummaryStatus.ACTIVE.value, superseded_at__isnull=True)
                | Q(status=SummaryStatus.SUPERSEDED.value, superseded_at__isnull=False),
                name="summary_has_a_time_exactly_when_superseded",
            ),
            models.CheckConstraint(
                condition=Q(from_seq__gt=0, from_seq__lte=F("through_seq")), name="summary_covers_a_range"
            ),
            models.CheckConstraint(
                condition=Q(
                    GreaterThan(Length("content"), 0), LessThanOrEqual(Length("content"), MAX_SUMMARY_CHARACTERS)
                ),
                name="summary_content_is_bounded",
            ),
        ]
        indexes = [
            # the summary that a packet of an earlier moment stands on
            models.Index(fields=["room", "-through_seq"], name="summary_by_reach"),
        ]

    def __str__(self) -> str:
        return self.summary_id


class ContextFloor(models.Model):
    """Up to which seq the room's context was reset: nothing at or below it is given to a later turn or summed up."""

    room = models.OneToOneField(Room, on_delete=models.PROTECT, primary_key=True, related_name="+")
    reset_through_seq = models.BigIntegerField()

    class Meta:
        verbose_name, verbose_name_plural = _("start of the context"), _("starts of the context")

    def __str__(self) -> str:
        return f"{self.room_id} → {self.reset_through_seq}"


class CompactionLease(models.Model):
    """Who sums the room up now, in whichever process: one at a time. One that is not renewed runs out."""

    room = models.OneToOneField(Room, on_delete=models.PROTECT, primary_key=True, related_name="+")
    token = models.CharField(max_length=64)
    expires_at = models.DateTimeField()

    class Meta:
        verbose_name, verbose_name_plural = _("compaction under way"), _("compactions under way")

    def __str__(self) -> str:
        return self.room_id
