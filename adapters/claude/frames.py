"""What one frame of Claude Code says. Pure; without memory of a turn.

Versions add kinds of frames; those are not errors. A wrong type where we need the value is a ProtocolViolation.
"""

from dataclasses import dataclass, field
from typing import Any

from adapters.claude import tool_calls
from adapters.contract import ProgressReported, ToolStatus
from adapters.jsonrpc import ProtocolViolation
from adapters.reading import amount, as_objects, count, maybe_object, short_text
from adapters.tools import ToolUpdate


@dataclass(frozen=True, kw_only=True)
class Init:
    """Said at the begin of each turn."""

    session_id: str | None
    cwd: str | None
    mode: str | None
    mcp_status: dict[str, str]


@dataclass(frozen=True)
class PromptTold:
    """What became of a prompt: “queued”, “started”, then “completed” or “cancelled”, or a word of a newer version."""

    prompt_id: str
    state: str


@dataclass(frozen=True)
class MessageBegins:
    message_id: str | None


@dataclass(frozen=True)
class BlockBegins:
    """Of text."""


@dataclass(frozen=True)
class TextPiece:
    text: str


@dataclass(frozen=True)
class ThoughtPiece:
    text: str


@dataclass(frozen=True)
class ToolsTold:
    updates: list[ToolUpdate]
    inside: str | None = None
    """The call that is a sub-agent, for tools of its."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """Of the model, whole or one block of it; what was streamed of it comes again here."""

    message_id: str | None
    texts: list[str]
    thoughts: list[str]
    tools: list[ToolUpdate]
    context_used: int | None = None


@dataclass(frozen=True)
class ErrorMessage:
    """An error in the guise of a message of the model; the result of the turn tells it again."""

    kind: str


@dataclass(frozen=True)
class Limit:
    """The account's limit is reached."""

    resets_at: float | None
    """Seconds since the epoch."""


@dataclass(frozen=True)
class Result:
    """The end of a turn."""

    fields: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Nested:
    """Words of a sub-agent, which are not the answer, or anything else that only shows life."""


@dataclass(frozen=True)
class Other:
    """Known to be of no interest, or between turns."""


@dataclass(frozen=True)
class Unknown:
    """Of a newer version."""


type Frame = (
    Init
    | PromptTold
    | MessageBegins
    | BlockBegins
    | TextPiece
    | ThoughtPiece
    | ToolsTold
    | Message
    | ErrorMessage
    | Limit
    | ProgressReported
    | Result
    | Nested
    | Other
    | Unknown
)

_OTHER = frozenset(
    {
        "auth_status",
        "control_cancel_request",
        "keep_alive",
        "prompt_suggestion",
        "tool_use_summary",
        "transcript_mirror",
    }
)


def read_frame(kind: str, frame: dict[str, Any]) -> Frame:
    inside = short_text(frame.get("parent_tool_use_id"))
    match kind:
        case "system":
            return _read_system(frame)
        case "stream_event":
            return Nested() if inside else _read_event(_object(frame.get("event"), "an event"))
        case "assistant":
            return _read_assistant(frame, inside)
        case "user":
            return _read_user(frame, inside)
        case "result":
            return Result(frame)
        case "rate_limit_event":
            return _read_rate_limit(maybe_object(frame.get("rate_limit_info")))
        case "tool_progress":
            return Nested()
        case "command_lifecycle":
            return PromptTold(str(frame.get("command_uuid")), str(frame.get("state")))
        case _ if kind in _OTHER:
            return Other()
        case _:
            return Unknown()


def _read_system(frame: dict[str, Any]) -> Frame:
    match frame.get("subtype"):
        case "init":
            servers = as_objects(frame.get("mcp_servers"))
            return Init(
                session_id=_text(frame.get("session_id"), "a session id"),
                cwd=short_text(frame.get("cwd")),
                mode=short_text(frame.get("permissionMode")),
                mcp_status={str(server.get("name")): str(server.get("status")) for server in servers},
            )
        case "api_retry":
            return _progress(
                "retry",
                attempt=count(frame.get("attempt")),
                maxRetries=count(frame.get("max_retries")),
                delayMs=amount(frame.get("retry_delay_ms")),
                status=count(frame.get("error_status")),
                error=short_text(frame.get("error")),
            )
        case "compact_boundary":
            about = maybe_object(frame.get("compact_metadata"))
            trigger, before = short_text(about.get("trigger")), count(about.get("pre_tokens"))
            return _progress("compaction", trigger=trigger, tokensBefore=before)
        case "status" | "task_progress" | "task_updated" | "thinking_tokens":
            return Nested() if frame.get("status") else Other()
        case _:
            return Other()


def _read_event(event: dict[str, Any]) -> Frame:
    match event.get("type"):
        case "message_start":
            return MessageBegins(_text(maybe_object(event.get("message")).get("id"), "a message id"))
        case "content_block_start":
            block = maybe_object(event.get("content_block"))
            if tool_calls.is_call(block):
                return _tools(tool_calls.read_call(block, ToolStatus.PENDING))
            return BlockBegins() if block.get("type") == "text" else Nested()
        case "content_block_delta":
            delta = maybe_object(event.get("delta"))
            match delta.get("type"):
                case "text_delta":
                    return TextPiece(_text(delta.get("text"), "a text") or "")
                case "thinking_delta":
                    return ThoughtPiece(_text(delta.get("thinking"), "a thought") or "")
        case _:
            pass
    return Nested()


def _read_assistant(frame: dict[str, Any], inside: str | None) -> Frame:
    message = _object(frame.get("message"), "a message")
    blocks = as_objects(message.get("content"))
    calls = [tool_calls.read_call(block, ToolStatus.RUNNING) for block in blocks if tool_calls.is_call(block)]
    calls += [tool_calls.read_outcome(block) for block in blocks if tool_calls.is_outcome(block)]
    if inside:
        return _tools(*calls, inside=inside)
    if frame.get("error") or frame.get("isApiErrorMessage") is True:
        return ErrorMessage(short_text(frame.get("error")) or "unknown")
    content = message.get("content")
    texts = [content] if isinstance(content, str) else _texts(blocks, "text")
    return Message(
        message_id=_text(message.get("id"), "a message id"),
        texts=texts,
        thoughts=_texts(blocks, "thinking"),
        tools=[call for call in calls if call is not None],
        context_used=context_of(maybe_object(message.get("usage"))),
    )


def _read_user(frame: dict[str, Any], inside: str | None) -> Frame:
    """Outcomes of tools, our own words again, or what the CLI says in the person's name."""
    blocks = as_objects(maybe_object(frame.get("message")).get("content"))
    outcomes = (tool_calls.read_outcome(block) for block in blocks if tool_calls.is_outcome(block))
    return _tools(*outcomes, inside=inside)


def _read_rate_limit(info: dict[str, Any]) -> Frame:
    match info.get("status"):
        case "rejected":
            return Limit(amount(info.get("resetsAt")))
        case "allowed_warning":
            kind, used = short_text(info.get("rateLimitType")), amount(info.get("utilization"))
            return _progress("rate_limit", type=kind, used=used)
        case _:
            return Other()


def context_of(usage: dict[str, Any]) -> int | None:
    """Tokens of one request with its answer, those from a cache included."""
    numbers = [count(usage.get(name)) for name in (*INPUT_TOKENS, "output_tokens")]
    return sum(number or 0 for number in numbers) or None


INPUT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _progress(kind: str, **told: object) -> ProgressReported:
    return ProgressReported(kind, {name: value for name, value in told.items() if value is not None})


def _tools(*updates: ToolUpdate | None, inside: str | None = None) -> Frame:
    known = [update for update in updates if update is not None]
    return ToolsTold(known, inside) if known else Nested()


def _texts(blocks: list[dict[str, Any]], kind: str) -> list[str]:
    return [text for block in blocks if block.get("type") == kind and (text := _text(block.get(kind), f"a {kind}"))]


def _text(value: object, what: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ProtocolViolation(f"{what} that is no string")
    return value


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProtocolViolation(f"{what} that is no object")
    return value
