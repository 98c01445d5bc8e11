"""What an agent in a turn may ask of the room. The arguments of its tools are these shapes."""

from typing import Annotated, Any

from pydantic import Field

from groupx.kernel.config import MAX_MESSAGE_CHARACTERS
from groupx.kernel.shapes import OwnShape, Says, Text
from rooms.requests import MAX_SEQ, CommandId, EventId
from turns.requests import Supervision, Targets

MAX_WAIT_MS = 60_000
"""Clients give a call up after a minute."""

MOST_READ = 200

Content = Annotated[Text, Says(maxLength=MAX_MESSAGE_CHARACTERS)]
WaitMs = Annotated[int, Field(ge=1, le=MAX_WAIT_MS)]


class PublishRequest(OwnShape):
    content: Content
    reply_to_event_id: EventId | None = None
    client_command_id: CommandId

    def canonical(self) -> dict[str, Any]:
        return {"content": self.content, "replyToEventId": self.reply_to_event_id}


class SendRequest(OwnShape):
    to: Targets
    content: Content
    reply_to_event_id: EventId | None = None
    forwarded_event_id: EventId | None = None
    supervision: Supervision | None = None
    client_command_id: CommandId

    def canonical(self) -> dict[str, Any]:
        """As sent, with the order of targets left out."""
        return {
            "to": sorted(self.to),
            "content": self.content,
            "replyToEventId": self.reply_to_event_id,
            "forwardedEventId": self.forwarded_event_id,
            "supervision": self.supervision and self.supervision.canonical(),
        }


class AskRequest(SendRequest):
    timeout_ms: WaitMs | None = None
    cancel_on_timeout: bool = False

    def canonical(self) -> dict[str, Any]:
        return {**super().canonical(), "timeoutMs": self.timeout_ms, "cancelOnTimeout": self.cancel_on_timeout}


class CollectRequest(OwnShape):
    message_event_id: EventId
    timeout_ms: WaitMs | None = None


class ReadRequest(OwnShape):
    after_seq: (
        Annotated[int, Field(ge=0, le=MAX_SEQ, description="nextAfterSeq of the last read; 0 is the beginning.")] | None
    ) = None
    limit: Annotated[int, Field(ge=1, le=MOST_READ, description="How many events at most; usually 50.")] | None = None
    correlation_id: Annotated[Text, Field(max_length=64)] | None = None
