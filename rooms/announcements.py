"""Telling this process that something was committed. A hint to look; the table is the truth.

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
    CARD = "card"
    """Nothing for the lane itself: what its card shows has changed."""


@dataclass(frozen=True)
class LaneSignal:
    actor_id: str
    action: LaneAction
    turn_id: str | None = None


type Announcement = Committed | LaneSignal
_listeners: list[Callable[[Announcement], None]] = []


def listen(listener: Callable[[Announcement], None]) -> Callable[[], None]:
    """Call `listener` for every announcement from now on; gives the function that ends it."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def announce(announcement: Announcement) -> None:
    after_commit(lambda: _tell(announcement))


def _tell(announcement: Announcement) -> None:
    for listener in list(_listeners):
        listener(announcement)
