"""The words of the side conversation: who speaks, how a question stands, what the brain does. Pure."""

from enum import StrEnum


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class QuestionState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    ANSWERED = "answered"
    FAILED = "failed"
    CANCELLED = "cancelled"


class BrainStatus(StrEnum):
    STARTING = "starting"
    READY = "ready"
    WORKING = "working"
    FAILED = "failed"
    STOPPED = "stopped"
