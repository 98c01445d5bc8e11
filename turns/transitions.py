"""The one place where a turn's status changes: a compare-and-set along the table in state.py."""

from functools import cache

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.prepared import PreparedUpdate
from rooms.transactions import joins
from turns.models import Turn
from turns.state import TurnStatus, sources_of


def move_turn(
    turn_id: str, new: TurnStatus, *, only_from: frozenset[TurnStatus] | None = None, **changes: object
) -> None:
    """Make the turn `new`, with further column changes in the same statement.

    Raises:
        GroupXError: STORE_CONFLICT when the turn is in no status from which this move is allowed.
    """
    joins()
    allowed = sources_of(new) & (only_from if only_from is not None else frozenset(TurnStatus))
    if _move(allowed, tuple(changes)).update_rows(turn_id, status=new.value, **changes) != 1:
        raise GroupXError(ErrorCode.STORE_CONFLICT, f"The turn cannot become {new.value} any more.", turnId=turn_id)


@cache
def _move(allowed: frozenset[TurnStatus], columns: tuple[str, ...]) -> PreparedUpdate:
    statuses = sorted(old.value for old in allowed)
    return PreparedUpdate(lambda turn_id: Turn.objects.filter(turn_id=turn_id, status__in=statuses), "status", *columns)
