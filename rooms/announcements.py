"""Telling this process that something was committed, or happens. A hint to look; the table is the truth.

Actions announce inside their transaction; listeners are called after the commit, in the thread that
committed, and must return at once (a loop is reached by `call_soon_threadsafe`). Other processes hear by a
lane's `committed` frame or see the database change.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from .transactions import after_commit


@dataclass(frozen=True)
class Committed:
    """The room's log reached this seq."""

    room_id: str
    seq: int


class LaneAction(StrEnum):
    WAKE = "wake"
    CANCEL = "cancel"
    ORDERS = "orders"
    """Its row says what is asked of it: to restart, to go on, to begin a fresh session."""
    CALLS = "calls"
    """A call of its turn to one of the room's tools has begun or ended."""
    CARD = "card"
    """Nothing for the lane itself: what its card shows has changed."""


@dataclass(frozen=True)
class LaneSignal:
    actor_id: str
    action: LaneAction
    turn_id: str | None = None
    open_calls: int = 0
    """Of CALLS: how many the turn has under way now."""


type Announcement = Committed | LaneSignal
_listeners: list[Callable[[Announcement], None]] = []


def listen(listener: Callable[[Announcement], None]) -> Callable[[], None]:
    """Call `listener` for every announcement from now on; gives the function that ends it."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def announce(announcement: Announcement) -> None:
    after_commit(lambda: tell(announcement))


def tell(announcement: Announcement) -> None:
    """At once and in this thread: of what no transaction decides."""
    for listener in list(_listeners):
        listener(announcement)
