"""What the room is told of work that the assistant gives to agents without a message (docs/mcp.md). Pure."""

from enum import StrEnum

from .body import CutWhenLong
from .vocabulary import EventType


class Operation(StrEnum):
    WORKER_DISPATCH = "worker_dispatch"
    WORKER_ASK = "worker_ask"
    DISPATCH_EVENT = "dispatch_event"
    """A message of the room was handed on; the envelope's forwardedEventId names it."""


class OperatorDispatch(CutWhenLong):
    """`content` is what the agents are given, as a message's is; who has got it stands in `targets` and in `to`."""

    event_type = EventType.OPERATOR_DISPATCH
    content: str
    operation: Operation
    prompt_length: int
    """Of the whole content, in code points."""
    targets: tuple[str, ...]
