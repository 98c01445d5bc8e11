"""A call of a tool is a sign of life of its turn: the lane is told when it begins and when it ends (edge).

Nothing is written for it. A lane that is not connected hears nothing, and keeps to what the agent's CLI tells it.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from rooms.announcements import LaneAction, LaneSignal, tell
from turns.member import Member


class OpenCalls:
    """How many calls each turn has under way; one for each server process.

    The number is told, not the change: a signal that is lost is mended by the next one.
    """

    def __init__(self) -> None:
        self._of_turn: Counter[str] = Counter()

    @contextmanager
    def one_of(self, member: Member) -> Iterator[None]:
        """While this call of its lasts."""
        turn_id = member.turn.turn_id
        self._of_turn[turn_id] += 1
        self._tell(member)
        try:
            yield
        finally:
            self._of_turn[turn_id] -= 1
            self._tell(member)
            if not self._of_turn[turn_id]:
                del self._of_turn[turn_id]

    def _tell(self, member: Member) -> None:
        turn_id = member.turn.turn_id
        tell(LaneSignal(member.caller.actor.actor_id, LaneAction.CALLS, turn_id, self._of_turn[turn_id]))
