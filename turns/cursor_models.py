"""What a native session has been given of the room."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from rooms.models import Actor, Room


class DeliveryCursor(models.Model):
    """Up to which seq a native session has been given the room. Only ever moves forward."""

    room = models.ForeignKey(Room, on_delete=models.PROTECT)
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT)
    native_session_id = models.TextField()
    last_delivered_seq = models.BigIntegerField()
    last_summary_seq = models.BigIntegerField(default=0)
    """Up to where it was given a summary instead; 0 for none."""

    class Meta:
        verbose_name, verbose_name_plural = _("delivery cursor"), _("delivery cursors")
        constraints = [
            models.UniqueConstraint(fields=["room", "actor", "native_session_id"], name="one_cursor_per_session"),
            models.CheckConstraint(
                condition=Q(last_summary_seq__gte=0, last_summary_seq__lte=F("last_delivered_seq")),
                name="cursor_summary_is_within_what_was_delivered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor_id} → {self.last_delivered_seq}"
