"""The turns that an `ask` started, and which of them are worth waiting for (docs/mcp.md, "ask"). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from turns.state import TurnStatus


@dataclass(frozen=True, kw_only=True)
class Response:
    """The message that a completed turn ended with."""

    event_id: str
    seq: int
    content: str
    full_length: int
    """Of the whole text, in code points: the log's short copy of a very long one has less."""


@dataclass(frozen=True, kw_only=True)
class AskedTurn:
    """The newest try of one target."""

    target: str
    turn_id: str
    status: TurnStatus
    ahead: int = 0
    """Open turns of its agent that come first."""
    active_turn_id: str | None = None
    """What its agent works on."""
    why_it_rests: str = ""
    """While it is queued: a sentence, where its agent takes up nothing now."""
    is_callers: bool = False
    waits_for_caller: bool = False
    """By an `ask`, its own or one further down."""
    error_code: str = ""
    message: str = ""
    stop_reason: str = ""
    was_steered: bool = False
    """An observer has ended it and given its agent another turn."""
    response: Response | None = None

    @property
    def is_held_up(self) -> bool:
        """Its agent does not come to it soon."""
        return self.status is TurnStatus.QUEUED and (self.ahead > 0 or self.why_it_rests != "")

    @property
    def may_end_soon(self) -> bool:
        has_to_wait = self.is_held_up or self.is_callers or self.waits_for_caller
        return not (self.status.is_terminal or has_to_wait)


def to_wait_for(turns: Sequence[AskedTurn]) -> list[AskedTurn]:
    """Those whose end may come soon."""
    return [turn for turn in turns if turn.may_end_soon]


def to_wait_for_at_first(turns: Sequence[AskedTurn]) -> list[AskedTurn]:
    """The same for who has just asked: nothing if any of them is held up, since it can do something else meanwhile."""
    return [] if any(turn.is_held_up for turn in turns) else to_wait_for(turns)
