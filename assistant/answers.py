"""The side conversation as clients see it. Pure."""

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, Protocol, TypedDict

from groupx.kernel.clock import iso

from .state import BrainStatus, QuestionState, Role


class ErrorTold(TypedDict):
    code: str
    message: str
    hint: NotRequired[str]


class BrainError(ErrorTold):
    exitCode: NotRequired[int]
    output: str
    """The last words of its program."""


class AssistantTold(TypedDict):
    configured: bool
    """Whether this run has an assistant."""
    name: str
    driver: NotRequired[str]
    status: BrainStatus
    statusText: str
    activeClientCommandId: NotRequired[str]
    """Of the question that it works on."""
    lastError: NotRequired[BrainError]


class MessageTold(TypedDict):
    messageId: str
    role: Role
    content: str
    clientCommandId: str
    createdAt: str
    state: NotRequired[QuestionState]
    """Of a question."""
    error: NotRequired[ErrorTold]
    """Of a question that failed."""


class MessageList(TypedDict):
    items: Sequence[MessageTold]


class Answered(TypedDict):
    question: MessageTold
    reply: MessageTold


class CancelTold(TypedDict):
    accepted: bool
    """False when there was nothing to stop."""
    clientCommandId: NotRequired[str]


# ---------------------------------------------------------------- the stream: `event:` names, `data:` shapes
class DeltaTold(TypedDict):
    """`assistant.delta`."""

    clientCommandId: str
    chunkIndex: int
    text: str
    replace: NotRequired[Literal[True]]
    """The whole text so far: when a question is begun with, and first on a stream that comes later."""
    truncated: NotRequired[Literal[True]]
    """More was said than is shown here."""


class ActivityTold(TypedDict):
    """`assistant.activity`."""

    clientCommandId: str
    text: str


class MessageNews(TypedDict):
    """`assistant.message`."""

    item: MessageTold


class StoredMessage(Protocol):
    """What `item_of` reads of a row."""

    message_id: str
    role: str
    content: str
    client_command_id: str
    created_at: Any
    state: str
    error_code: str
    error_message: str
    hint: str


def item_of(message: StoredMessage) -> MessageTold:
    item: MessageTold = {
        "messageId": message.message_id,
        "role": Role(message.role),
        "content": message.content,
        "clientCommandId": message.client_command_id,
        "createdAt": iso(message.created_at),
    }
    if message.state:
        item["state"] = QuestionState(message.state)
    if message.state == QuestionState.FAILED:
        item["error"] = {"code": message.error_code, "message": message.error_message}
        if message.hint:
            item["error"]["hint"] = message.hint
    return item
