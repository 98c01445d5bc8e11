"""The words of the side conversation: who speaks, how a question stands, what the brain does. Pure."""

from dataclasses import dataclass
from enum import StrEnum

MAX_STORED_CHARACTERS = 1_048_576
"""Of an answer; a question may have as many as any message."""
BRAIN = "__assistant__"
"""What its process and its CLI are called among those of agents; no agent may be called so."""


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class QuestionState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    ANSWERED = "answered"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        return self in (QuestionState.WAITING, QuestionState.RUNNING)


class BrainStatus(StrEnum):
    STARTING = "starting"
    READY = "ready"
    WORKING = "working"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, kw_only=True)
class QuestionEnd:
    """`answer` of one that was answered; `error_code` and `message` of one that failed."""

    state: QuestionState
    answer: str = ""
    error_code: str = ""
    message: str = ""
    hint: str = ""
