"""Taking part in a room: it is made if need be, and whoever takes part is seen in it."""

from rooms.bus.call import Call
from rooms.bus.folder import Home, Room
from rooms.bus.lock import Lock
from rooms.bus.state import next_seq, write_next_seq


def join(call: Call) -> str:
    """What to add to its name where nothing is found in it: who has mistaken it would read there for ever."""
    was_made = make_room(call.room)
    call.stay()
    return ", which was made just now" if was_made else ""


def make_room(room: Room) -> bool:
    """True when it was not there before."""
    if room.state.exists() or room.log.exists():
        return False
    Home(room.home).make()
    room.path.mkdir(parents=True, exist_ok=True)
    with Lock(room.lock):
        if room.state.exists() or room.log.exists():
            return False
        write_next_seq(room, next_seq(room))
    return True
