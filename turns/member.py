"""An agent in its turn: who calls one of the room's tools, and out of which turn. Pure."""

from dataclasses import dataclass

from rooms.caller import Caller
from turns.state import CommandType


@dataclass(frozen=True, kw_only=True)
class CallersTurn:
    """The turn that a command of an agent comes from: the parent of what it starts."""

    turn_id: str
    source_event_id: str
    correlation_id: str
    root_correlation_id: str
    hop_count: int
    command_type: CommandType


@dataclass(frozen=True, kw_only=True)
class Member:
    """`caller` is known by the binding alone, `turn` is looked up: neither can be given in a call."""

    caller: Caller
    turn: CallersTurn
