"""The envelope: what one event is on the wire (docs/protocol.md, "Envelope"). Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from groupx.kernel.clock import iso

from .vocabulary import MAIN_ROOM, SCHEMA, ActorKind, Durability, SourceKind

SHOWN_CHARS = 262_144
"""Longer contents and tool details are cut in streams, bootstrap and history; one event is given whole."""


@dataclass(frozen=True, kw_only=True)
class ActorRef:
    actor_id: str
    display_name: str
    instance_id: str | None = None

    @property
    def kind(self) -> ActorKind:
        return ActorKind(self.actor_id.partition(":")[0])

    def wire(self) -> dict[str, str]:
        shown = {"actorId": self.actor_id, "kind": self.kind.value, "displayName": self.display_name}
        return shown | ({"instanceId": self.instance_id} if self.instance_id else {})


@dataclass(frozen=True, kw_only=True)
class Envelope:
    event_id: str
    seq: int | None
    type: str
    actor: ActorRef
    correlation_id: str
    root_correlation_id: str
    occurred_at: datetime
    body: Mapping[str, Any]
    source_kind: SourceKind
    room_id: str = MAIN_ROOM
    to: tuple[str, ...] = ()
    reply_to_event_id: str | None = None
    forwarded_event_id: str | None = None
    causation_id: str | None = None

    @property
    def durability(self) -> Durability:
        return Durability.TRANSIENT if self.seq is None else Durability.DURABLE

    def wire(self) -> dict[str, Any]:
        """camelCase; optional fields are absent, not null (but `seq` of a transient event)."""
        shown: dict[str, Any] = {
            "schema": SCHEMA,
            "eventId": self.event_id,
            "seq": self.seq,
            "roomId": self.room_id,
            "type": self.type,
            "actor": self.actor.wire(),
            "to": list(self.to),
            "correlationId": self.correlation_id,
            "rootCorrelationId": self.root_correlation_id,
            "occurredAt": iso(self.occurred_at),
            "durability": self.durability.value,
            "body": dict(self.body),
            "provenance": {"sourceKind": self.source_kind.value},
        }
        optional = {
            "replyToEventId": self.reply_to_event_id,
            "forwardedEventId": self.forwarded_event_id,
            "causationId": self.causation_id,
        }
        return shown | {key: value for key, value in optional.items() if value}

    def shortened(self) -> "Envelope":
        """With long text cut and marked: what a page need not show at once (docs/protocol.md, "Long text")."""
        body = shorten_body(self.body)
        return self if body is self.body else replace(self, body=body)


def shorten_body(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """`content` cut to SHOWN_CHARS with `truncated` and `fullLength`; a tool's long `details` strings likewise."""
    content = body.get("content")
    if isinstance(content, str) and len(content) > SHOWN_CHARS:
        return {**body, "content": content[:SHOWN_CHARS], "truncated": True, "fullLength": len(content)}
    partial = body.get("partialText")
    if isinstance(partial, str) and len(partial) > SHOWN_CHARS:
        return {**body, "partialText": partial[:SHOWN_CHARS], "truncated": True, "fullLength": len(partial)}
    details = body.get("details")
    if details and (full_length := len(dump(details))) > SHOWN_CHARS:
        kept = {key: value for key, value in details.items() if not isinstance(value, str | list | dict)}
        return {**body, "details": kept, "truncated": True, "fullLength": full_length}
    return body


def dump(value: Any) -> str:
    """JSON on one line, as short as it gets."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
