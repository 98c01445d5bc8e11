"""What a lane tells of a turn that runs: which one it is, and what it has said. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from .envelope import ActorRef


class DeltaKind(StrEnum):
    CONTENT = "content"
    REASONING = "reasoning"


@dataclass(frozen=True, kw_only=True)
class LiveTurn:
    """A turn that began to run. `actor` is the agent, with its instance."""

    turn_id: str
    actor: ActorRef
    correlation_id: str
    root_correlation_id: str


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """What a turn has said of one kind, told in deltas 0 … `next_chunk` - 1: the beginning that is shown, and the
    length of the whole (0 when that is all)."""

    text: str = ""
    length: int = 0
    next_chunk: int = 0


NOTHING_YET = Spoken()
