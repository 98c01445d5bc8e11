"""What clients are told of the room's context: how much of it there is, what became of a command on it. Pure."""

from typing import NotRequired, TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER


@with_config(ANSWER)
class ContextUsage(TypedDict):
    """What a turn that knows nothing of the room yet would be given of it, in characters. An estimate, never tokens:
    identity, memory and what an agent's own session holds are not in it."""

    roomId: str
    throughSeq: int
    """The newest event that is taken into account."""
    estimatedCharacters: int
    """Of the summary and of what was said after it, as entries of a packet."""
    maxCharacters: int
    """`limits.contextCharacters`."""
    compactionTriggerCharacters: int
    """A turn to which more would have to be told waits until the older part is summed up."""
    utilizationPercent: float
    """Of `maxCharacters`; may be over 100."""
    uncompactedMessageCount: int
    """Messages and dispatches behind the summary and the reset."""
    summaryThroughSeq: NotRequired[int]
    """What the summary stands for ends here."""
    summaryCreatedAt: NotRequired[str]
    resetThroughSeq: NotRequired[int]
    """Nothing at or below it is given to a later turn."""
    resetAt: NotRequired[str]
    compactable: bool
    """A compaction would find something to sum up."""


class ContextResetDone(ContextUsage):
    """As the context is now."""

    reset: bool
    """False where nothing was said since the last reset: then nothing has happened."""


class ContextCompacted(ContextUsage):
    """As the context is now."""

    compacted: bool
    """False where there was nothing to sum up."""
