"""The room's count of events is set to what is there, after somebody has changed the database from outside."""

from django.db.models import Max

from rooms.actions.seed_room import renew_epoch
from rooms.models import Event, Room
from rooms.transactions import durable


@durable
def mend_last_seq() -> int:
    """Give the number of rooms that were wrong. Readers begin anew: what they have read may not be what is there."""
    mended = 0
    for room in Room.objects.all():
        newest = Event.objects.filter(room=room).aggregate(newest=Max("seq"))["newest"] or 0
        if room.last_seq != newest:
            Room.objects.filter(room_id=room.room_id).update(last_seq=newest)
            mended += 1
    if mended:
        renew_epoch()
    return mended
