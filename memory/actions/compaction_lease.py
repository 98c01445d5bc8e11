"""Who may sum the room up now: one compaction at a time, in whichever process. A lease that is not renewed runs out."""

from datetime import timedelta

from django.db.models import Q

from groupx.kernel.clock import Clock
from memory.models import CompactionLease
from memory.queries.compaction import LEASE_SECONDS
from rooms.transactions import durable
from rooms.vocabulary import MAIN_ROOM


@durable
def take_lease(token: str, *, clock: Clock) -> bool:
    """True when `token` holds the lease from now on; False while somebody else does."""
    now = clock.now()
    longest = now + timedelta(seconds=LEASE_SECONDS)
    free = Q(token=token) | Q(expires_at__lte=now) | Q(expires_at__gt=longest)  # as `is_held` says of one row
    if CompactionLease.objects.filter(free, room_id=MAIN_ROOM).update(token=token, expires_at=longest):
        return True
    _, is_new = CompactionLease.objects.get_or_create(
        room_id=MAIN_ROOM, defaults={"token": token, "expires_at": longest}
    )
    return is_new


@durable
def renew_lease(token: str, *, clock: Clock) -> bool:
    """False when it ran out and another one has taken it."""
    expires_at = clock.now() + timedelta(seconds=LEASE_SECONDS)
    return CompactionLease.objects.filter(room_id=MAIN_ROOM, token=token).update(expires_at=expires_at) == 1


@durable
def give_lease_back(token: str) -> None:
    """Whoever waits may begin. One that was lost stays with its new holder."""
    CompactionLease.objects.filter(room_id=MAIN_ROOM, token=token).delete()
