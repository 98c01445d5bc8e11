"""Which turns wait for another one: up the chain of `ask`, as long as each was asked by the one before."""

from dataclasses import dataclass

from rooms.prepared import PreparedSelect
from turns.models import Turn
from turns.state import CommandType


@dataclass(frozen=True, kw_only=True)
class Asker:
    turn_id: str
    actor_id: str


_PARENT_THAT_ASKED = PreparedSelect(
    lambda turn_id: Turn.objects.filter(
        turn_id=turn_id, command_type=CommandType.ASK.value, parent_turn__ended_at=None
    ).values_list("parent_turn_id", "parent_turn__target_id")
)


def askers_of(turn_id: str) -> list[Asker]:
    """The turns that wait, or may come to wait, for the end of this one, nearest first.

    An `ask` makes its caller's turn wait for the new one, a `send` does not; who has ended waits for nothing.
    """
    found: list[Asker] = []
    while (parent := _PARENT_THAT_ASKED.fetch_first(turn_id)) is not None and parent[0] is not None:
        turn_id, actor_id = parent
        found.append(Asker(turn_id=turn_id, actor_id=actor_id))
    return found
