"""Which open turn waits for which, through queues, watches and asks. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class OpenTurn:
    """A turn that has not ended."""

    turn_id: str
    target: str
    asked_by: str | None = None
    """The turn that waits for its answer."""


def waits_for(
    turn_id: str, awaited_turn_id: str, turns: Sequence[OpenTurn], watches: Mapping[str, Sequence[str]]
) -> bool:
    """Whether the first turn comes no further before the second one has ended. `turns` are all open ones, in the order
    of their lanes; `watches` has the turns that each watch turn watches."""
    before = _awaited(turns, watches)
    found, ahead = {turn_id}, [turn_id]
    while ahead:
        for awaited in before.get(ahead.pop(), ()):
            if awaited == awaited_turn_id:
                return True
            if awaited not in found:
                found.add(awaited)
                ahead.append(awaited)
    return False


def _awaited(turns: Sequence[OpenTurn], watches: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Turn -> those it waits for at once: the one before it in its lane, those it watches, those it asked for."""
    before = {turn.turn_id: list(watches.get(turn.turn_id, ())) for turn in turns}
    last_of_lane: dict[str, str] = {}
    for turn in turns:
        if turn.target in last_of_lane:
            before[turn.turn_id].append(last_of_lane[turn.target])
        last_of_lane[turn.target] = turn.turn_id
        if turn.asked_by in before:
            before[turn.asked_by].append(turn.turn_id)
    return before
