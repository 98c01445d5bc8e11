"""What a session/update of an agent says. Pure; one update at a time, without memory of a turn.

Agents invent kinds that are not in the specification and send empty chunks; neither is an error. A wrong type
where we need the value is a ProtocolViolation.
"""

from dataclasses import dataclass
from typing import Any

from adapters.acp.tool_calls import read_tool
from adapters.bounds import Bounded
from adapters.jsonrpc import ProtocolViolation
from adapters.reading import amount, count, maybe_object
from adapters.tools import ToolUpdate


@dataclass(frozen=True)
class MessageChunk:
    text: str


@dataclass(frozen=True)
class ThoughtChunk:
    text: str


@dataclass(frozen=True)
class UserChunk:
    """An echo of what we said, or history."""


@dataclass(frozen=True)
class PlanUpdate:
    entries: list[dict[str, object]]


@dataclass(frozen=True, kw_only=True)
class UsageUpdate:
    """Of the whole session so far. `cost_usd` is None for another currency, and for what is no sum of money."""

    used: int | None
    size: int | None
    cost_usd: float | None


@dataclass(frozen=True)
class OtherUpdate:
    """Known to be of no interest here: titles, commands, modes, options."""


@dataclass(frozen=True)
class UnknownUpdate:
    """Not in the specification that we know, or without what would make it usable."""


type Update = (
    MessageChunk | ThoughtChunk | UserChunk | ToolUpdate | PlanUpdate | UsageUpdate | OtherUpdate | UnknownUpdate
)

_OTHER = frozenset(
    {"available_commands_update", "session_info_update", "current_mode_update", "config_option_update", "model_update"}
)


def read_update(params: dict[str, Any]) -> tuple[str | None, Update]:
    """The session that a session/update is for, and what it says."""
    session_id, update = params.get("sessionId"), params.get("update")
    if session_id is not None and not isinstance(session_id, str):
        raise ProtocolViolation("a session id that is no string")
    if update is None:
        return session_id, UnknownUpdate()
    if not isinstance(update, dict):
        raise ProtocolViolation("an update that is no object")
    return session_id, _read_kind(update)


def _read_kind(update: dict[str, Any]) -> Update:
    match update.get("sessionUpdate"):
        case "agent_message_chunk":
            return MessageChunk(_content_text(update.get("content")))
        case "agent_thought_chunk":
            return ThoughtChunk(_content_text(update.get("content")))
        case "user_message_chunk":
            return UserChunk()
        case "tool_call" | "tool_call_update":
            return read_tool(update) or UnknownUpdate()
        case "plan":
            entries = update.get("entries")
            return PlanUpdate(_plan_entries(entries if isinstance(entries, list) else []))
        case "usage_update":
            return _read_usage(update)
        case str() as kind if kind in _OTHER:
            return OtherUpdate()
        case None | str():
            return UnknownUpdate()
        case _:
            raise ProtocolViolation("an update whose kind is no string")


def _content_text(content: object) -> str:
    """Text of one content block or of several; other content (images, links) has none."""
    match content:
        case None:
            return ""
        case list():
            return "".join(_content_text(block) for block in content)
        case {"text": str() as text}:
            return text
        case {"text": value} if value is not None:
            raise ProtocolViolation("a text that is no string")
        case dict():
            return ""
        case _:
            raise ProtocolViolation("content that is no object")


def _plan_entries(entries: list[object]) -> list[dict[str, object]]:
    bounded = Bounded()
    found: list[dict[str, object]] = []
    for entry in entries[:100]:
        if isinstance(entry, dict) and isinstance(entry.get("content"), str):
            kept = {key: bounded.text(entry[key]) for key in ("content", "status") if isinstance(entry.get(key), str)}
            found.append(dict(kept))
    return found


def _read_usage(update: dict[str, Any]) -> UsageUpdate:
    cost = maybe_object(update.get("cost"))
    dollars = amount(cost.get("amount")) if cost.get("currency", "USD") == "USD" else None
    return UsageUpdate(used=count(update.get("used")) or None, size=count(update.get("size")), cost_usd=dollars)
