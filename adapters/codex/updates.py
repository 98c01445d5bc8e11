"""What a notification of the app server says, and of which thread and turn. Pure; without memory of a turn.

A newer version has kinds that we do not know; those about an item or a turn are counted. A wrong type where we need
the value is a ProtocolViolation.
"""

from dataclasses import dataclass
from typing import Any

from adapters.bounds import Bounded
from adapters.codex.items import Item, read_item, text_of
from adapters.codex.messages import turn_id_of
from adapters.jsonrpc import Notification, ProtocolViolation
from adapters.reading import as_object, as_objects, maybe_object


@dataclass(frozen=True)
class MessageDelta:
    """A piece of a message."""

    item_id: str
    text: str


@dataclass(frozen=True)
class ThoughtDelta:
    """A piece of one part of a reasoning."""

    item_id: str
    kind: str
    part: int
    text: str


@dataclass(frozen=True)
class OutputDelta:
    """A piece of what a command prints."""

    item_id: str
    text: str


@dataclass(frozen=True)
class ItemTold:
    """An item that begins or is over."""

    item: Item
    is_over: bool


@dataclass(frozen=True)
class PlanTold:
    entries: list[dict[str, object]]


@dataclass(frozen=True)
class UsageTold:
    """`tokenUsage` as it came."""

    tokens: dict[str, Any]


@dataclass(frozen=True)
class ErrorTold:
    """An error; with `will_retry` the turn goes on by itself."""

    error: dict[str, Any]
    will_retry: bool


@dataclass(frozen=True)
class TurnEnded:
    """The turn is over; `text` is its last message, `error` the reason of a failed one."""

    status: str
    text: str
    error: dict[str, Any] | None


@dataclass(frozen=True)
class TurnBegun:
    """The turn runs."""


@dataclass(frozen=True)
class Alive:
    """Known to be of no interest here, but of the turn."""


@dataclass(frozen=True)
class UnknownUpdate:
    """About an item or a turn, in a way that we do not know."""


type What = (
    MessageDelta
    | ThoughtDelta
    | OutputDelta
    | ItemTold
    | PlanTold
    | UsageTold
    | ErrorTold
    | TurnEnded
    | TurnBegun
    | Alive
    | UnknownUpdate
)


@dataclass(frozen=True)
class Update:
    thread_id: str | None
    turn_id: str | None
    what: What


_ALIVE = frozenset(
    {
        "turn/diff/updated",
        "turn/moderationMetadata",
        "item/reasoning/summaryPartAdded",
        "item/commandExecution/terminalInteraction",
        "item/fileChange/outputDelta",
        "item/fileChange/patchUpdated",
        "item/mcpToolCall/progress",
        "item/autoApprovalReview/started",
        "item/autoApprovalReview/completed",
    }
)


def read_update(notification: Notification) -> Update | None:
    """None for what is about no turn: the account, MCP servers, warnings, names, extensions."""
    method, params = notification.method, notification.params
    what = _read(method, params)
    if what is None:
        return None
    turn = maybe_object(params.get("turn"))
    return Update(_id(params, "threadId"), _id(params, "turnId") or turn_id_of(turn), what)


def _read(method: str, params: dict[str, Any]) -> What | None:
    match method:
        case "item/agentMessage/delta" | "item/plan/delta":
            return MessageDelta(_item_id(params), text_of(params.get("delta")))
        case "item/reasoning/summaryTextDelta":
            return ThoughtDelta(
                _item_id(params), "summary", _index(params, "summaryIndex"), text_of(params.get("delta"))
            )
        case "item/reasoning/textDelta":
            return ThoughtDelta(
                _item_id(params), "content", _index(params, "contentIndex"), text_of(params.get("delta"))
            )
        case "item/commandExecution/outputDelta":
            return OutputDelta(_item_id(params), text_of(params.get("delta")))
        case "item/started" | "item/completed":
            is_over = method == "item/completed"
            item = params.get("item")
            return (
                UnknownUpdate()
                if item is None
                else ItemTold(read_item(as_object(item, "an item"), is_over=is_over), is_over)
            )
        case "turn/plan/updated":
            return PlanTold(_plan(as_objects(params.get("plan"))))
        case "thread/tokenUsage/updated":
            return UsageTold(maybe_object(params.get("tokenUsage")))
        case "error":
            return ErrorTold(maybe_object(params.get("error")), params.get("willRetry") is True)
        case "turn/started":
            return TurnBegun()
        case "turn/completed":
            return _read_end(as_object(params.get("turn"), "the turn"))
        case _ if method in _ALIVE:
            return Alive()
        case _ if method.startswith(("item/", "turn/")):
            return UnknownUpdate()
        case _:
            return None


def _read_end(turn: dict[str, Any]) -> TurnEnded:
    status, error = turn.get("status"), turn.get("error")
    if status is not None and not isinstance(status, str):
        raise ProtocolViolation("a status that is no string")
    texts = [text_of(item.get("text")) for item in as_objects(turn.get("items")) if item.get("type") == "agentMessage"]
    return TurnEnded(status or "completed", texts[-1] if texts else "", error if isinstance(error, dict) else None)


def _plan(steps: list[dict[str, Any]]) -> list[dict[str, object]]:
    bounded = Bounded()
    entries: list[dict[str, object]] = []
    for step in steps[:100]:
        told = {"content": step.get("step"), "status": step.get("status")}
        kept = {name: bounded.text(value) for name, value in told.items() if isinstance(value, str)}
        if "content" in kept:
            entries.append({**kept})
    return entries


def _id(params: dict[str, Any], name: str) -> str | None:
    value = params.get(name)
    if value is not None and not isinstance(value, str):
        raise ProtocolViolation(f"a {name} that is no string")
    return value


def _item_id(params: dict[str, Any]) -> str:
    return _id(params, "itemId") or ""


def _index(params: dict[str, Any], name: str) -> int:
    value = params.get(name)
    return value if isinstance(value, int) else 0
