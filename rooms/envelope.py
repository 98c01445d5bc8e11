"""The envelope: what one event is on the wire (docs/protocol.md, "Envelope"). Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from groupx.kernel.clock import iso

from .answers import Event, EventActor
from .vocabulary import MAIN_ROOM, SCHEMA, ActorKind, Durability, SourceKind

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # json.dumps would make one for each call

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

    def wire(self) -> EventActor:
        shown: EventActor = {"actorId": self.actor_id, "kind": self.kind, "displayName": self.display_name}
        if self.instance_id:
            shown["instanceId"] = self.instance_id
        return shown


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

    def wire(self) -> Event:
        """camelCase; optional fields are absent, not null (but `seq` of a transient event)."""
        shown: Event = {
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
            "durability": self.durability,
            "body": dict(self.body),
            "provenance": {"sourceKind": self.source_kind},
        }
        if self.reply_to_event_id:
            shown["replyToEventId"] = self.reply_to_event_id
        if self.forwarded_event_id:
            shown["forwardedEventId"] = self.forwarded_event_id
        if self.causation_id:
            shown["causationId"] = self.causation_id
        return shown

    def shortened(self) -> "Envelope":
        """With long text cut and marked: what a page need not show at once (docs/protocol.md, "Long text")."""
        body = shorten_body(self.body)
        return self if body is self.body else replace(self, body=body)


def shorten_body(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """`content` or `partialText` cut to SHOWN_CHARS, a tool's `details` to the same in all; marked with
    `truncated` and `fullLength`."""
    for name in ("content", "partialText"):
        text = body.get(name)
        if isinstance(text, str) and len(text) > SHOWN_CHARS:
            return {**body, name: text[:SHOWN_CHARS], "truncated": True, "fullLength": len(text)}
    details = body.get("details")
    if details and (full_length := len(dump(details))) > SHOWN_CHARS:
        return {**body, "details": _cut_details(details), "truncated": True, "fullLength": full_length}
    return body


def _cut_details(details: Mapping[str, Any]) -> dict[str, Any]:
    """Short values stay; long texts are cut to an equal share; long structures become the cut text of their JSON."""
    share = SHOWN_CHARS // max(len(details), 1) - 100
    cut: dict[str, Any] = {}
    for key, value in details.items():
        text = value if isinstance(value, str) else dump(value)
        cut[key] = value if len(text) <= share else text[:share]
    return cut


def dump(value: Any) -> str:
    """JSON on one line, as short as it gets."""
    return _JSON.encode(value)
