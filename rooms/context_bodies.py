"""What the room is told of its context: that it begins anew, and how its older part is being summed up. Pure."""

from typing import Literal

from .body import Body
from .vocabulary import EventType


class ContextReset(Body):
    """What later turns are given, and what is summed up, begins behind this seq. The transcript stays."""

    event_type = EventType.CONTEXT_RESET
    reset_through_seq: int
    superseded_summary_through_seq: int | None = None
    """Of the summary that counts no longer."""


class CompactionBody(Body):
    """Progress of one compaction. Never a prompt, a summary's text or what a CLI has printed."""

    operation: Literal["automatic", "manual"]
    """Before a turn that needs it, or because a person asked for it."""
    turn_id: str | None = None
    from_seq: int
    through_seq: int
    """What it covers."""
    actor_id: str | None = None
    """Who writes."""
    block: int | None = None
    blocks: int | None = None
    """Of how many parts, read one after the other, this is."""


class CompactionStarted(CompactionBody):
    """Again for each block."""

    event_type = EventType.CONTEXT_COMPACTION_STARTED


class CompactionRetrying(CompactionBody):
    """One agent's answer could not be used: the next one is asked, or all of them once more, later."""

    event_type = EventType.CONTEXT_COMPACTION_RETRYING
    attempt: int
    max_attempts: int
    next_attempt_at: str | None = None
    error_code: str
    message: str


class CompactionCompleted(CompactionBody):
    """The summary is written and stands."""

    event_type = EventType.CONTEXT_COMPACTION_COMPLETED


class CompactionFailed(CompactionBody):
    """Nothing has changed."""

    event_type = EventType.CONTEXT_COMPACTION_FAILED
    error_code: str
    message: str
