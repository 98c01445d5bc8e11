"""What clients may ask of turns. The same shapes for REST and MCP."""

import re
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.json_schema import WithJsonSchema

from groupx.kernel.config import AGENT_ID, MAX_MESSAGE_CHARACTERS
from groupx.kernel.shapes import FROM_DIGITS, OwnShape, Says, Text
from rooms.requests import Command, EventId, RoomQuery
from turns.chain import ChainLimit

MAX_TARGETS = 32
MAX_OBSERVERS = 4
EVERYONE = "@all"


def _agent_target(value: str) -> str:
    if value == EVERYONE:
        return value
    prefix, _, agent_id = value.partition(":")
    if prefix != "agent" or not AGENT_ID.fullmatch(agent_id):
        raise ValueError("must be agent:<id> or, alone, @all")
    return value


def _distinct(values: list[str]) -> list[str]:
    if len(set(values)) != len(values):
        raise ValueError("names a target twice")
    return values


def _everyone_alone(values: list[str]) -> list[str]:
    if EVERYONE in values and len(values) > 1:
        raise ValueError("@all already means everyone; it stands alone")
    return values


Target = Annotated[str, AfterValidator(_agent_target)]
Targets = Annotated[
    list[Target],
    Field(min_length=1, max_length=MAX_TARGETS),
    AfterValidator(_distinct),
    AfterValidator(_everyone_alone),
    WithJsonSchema(
        {
            "description": f"One to {MAX_TARGETS} agents; {EVERYONE}, alone, is every enabled one.",
            "anyOf": [
                {
                    "type": "array",
                    "items": {"type": "string", "pattern": f"^agent:{AGENT_ID.pattern}$"},
                    "minItems": 1,
                    "maxItems": MAX_TARGETS,
                    "uniqueItems": True,
                },
                {"type": "array", "items": {"const": EVERYONE}, "minItems": 1, "maxItems": 1},
            ],
        }
    ),
]


def _agents_alone(values: list[str]) -> list[str]:
    if EVERYONE in values:
        raise ValueError(f"names agents; {EVERYONE} cannot observe")
    return values


class Supervision(OwnShape):
    """Observers of a message's turns: each gets a turn of its own, in which it watches and may steer them."""

    observers: Annotated[
        list[Target],
        Field(min_length=1, max_length=MAX_OBSERVERS),
        AfterValidator(_distinct),
        AfterValidator(_agents_alone),
        WithJsonSchema(
            {
                "description": f"One to {MAX_OBSERVERS} enabled agents, none of which is in `to` or sends the message.",
                "type": "array",
                "items": {"type": "string", "pattern": f"^agent:{AGENT_ID.pattern}$"},
                "minItems": 1,
                "maxItems": MAX_OBSERVERS,
                "uniqueItems": True,
            }
        ),
    ]
    mode: Literal["live_steer"]

    def canonical(self) -> dict[str, Any]:
        return {"observers": sorted(self.observers), "mode": self.mode}


def _iso_day(value: object) -> object:
    if isinstance(value, str) and _ISO_DAY.fullmatch(value):
        with suppress(ValueError):
            return date.fromisoformat(value)
    raise ValueError("must be a day, as in 2026-11-30")


_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MOST_DAYS = 366


class UsageQuery(RoomQuery):
    """GET /api/usage"""

    days: Annotated[int, Field(ge=1, le=MOST_DAYS, description="How many days, the last one counted."), FROM_DIGITS] = 7
    last_day: (
        Annotated[date, BeforeValidator(_iso_day), Field(description="The last day; without it today.")] | None
    ) = None
    agent: Annotated[str, Field(description="One agent's actor id; without it all.")] | None = None


class GrantRequest(Command):
    """POST /api/limits/grant"""

    root_correlation_id: Annotated[Text, Field(min_length=1, max_length=64)]
    limit: Annotated[ChainLimit, Field(strict=False)]
    stopped_event_id: Annotated[
        EventId | None, Field(description="The stop that is meant: another one, since then, is not let go.")
    ] = None
    without_message: Annotated[
        bool, Field(description="Raise the limit and drop the message that waits, say because it cannot be sent.")
    ] = False

    def canonical(self) -> dict[str, Any]:
        return {
            "rootCorrelationId": self.root_correlation_id,
            "limit": self.limit.value,
            **({"stoppedEventId": self.stopped_event_id} if self.stopped_event_id else {}),
            **({"withoutMessage": True} if self.without_message else {}),
        }


class MessageDraft(OwnShape):
    """POST /api/preview, and what every message has. `replyToEventId` changes no target."""

    to: Targets
    content: Annotated[Text, Says(maxLength=MAX_MESSAGE_CHARACTERS)]
    reply_to_event_id: EventId | None = None
    room_id: Literal["room:main"] | None = None


class SendMessage(Command, MessageDraft):
    """POST /api/messages. Text wakes nobody."""

    forwarded_event_id: EventId | None = None
    supervision: Supervision | None = None

    def canonical(self) -> dict[str, Any]:
        """What the receipt's hash covers: as sent, with the order of targets left out."""
        return {
            "to": sorted(self.to),
            "content": self.content,
            "replyToEventId": self.reply_to_event_id,
            "roomId": self.room_id,
            **({"forwardedEventId": self.forwarded_event_id} if self.forwarded_event_id else {}),
            **({"supervision": self.supervision.canonical()} if self.supervision else {}),
        }
