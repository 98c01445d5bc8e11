"""Stable error codes and the one exception that carries them.

Domain code raises `GroupXError`; nobody returns error values. What a code means to an HTTP client, an
MCP client or a shell stands in `problems.py`; what it means to a person stands in docs/errors.md.
"""

from enum import StrEnum

from .text import clip


class ErrorCode(StrEnum):
    # requests
    INVALID_ENVELOPE = "INVALID_ENVELOPE"
    SENDER_FIELD_FORBIDDEN = "SENDER_FIELD_FORBIDDEN"
    ORIGIN_FORBIDDEN = "ORIGIN_FORBIDDEN"
    UNKNOWN_TARGET = "UNKNOWN_TARGET"
    UNKNOWN_ACTOR = "UNKNOWN_ACTOR"
    NOT_FOUND = "NOT_FOUND"
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    CLIENT_COMMAND_CONFLICT = "CLIENT_COMMAND_CONFLICT"
    DUPLICATE_DISPATCH = "DUPLICATE_DISPATCH"
    STORE_CONFLICT = "STORE_CONFLICT"
    RUNTIME_SCOPE_MISMATCH = "RUNTIME_SCOPE_MISMATCH"
    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    ADDRESS_TOO_LONG = "ADDRESS_TOO_LONG"
    UNSUPPORTED_MEDIA_TYPE = "UNSUPPORTED_MEDIA_TYPE"
    HEADERS_TOO_LARGE = "HEADERS_TOO_LARGE"
    QUEUE_CAPACITY_REACHED = "QUEUE_CAPACITY_REACHED"
    CAUSAL_CYCLE = "CAUSAL_CYCLE"
    ROOT_TURN_LIMIT_REACHED = "ROOT_TURN_LIMIT_REACHED"
    HOP_LIMIT_REACHED = "HOP_LIMIT_REACHED"
    STEER_LIMIT_REACHED = "STEER_LIMIT_REACHED"
    SUPERVISION_PAIR_INVALID = "SUPERVISION_PAIR_INVALID"
    SUPERVISION_WATCH_REQUIRED = "SUPERVISION_WATCH_REQUIRED"
    SUPERVISION_STEER_REQUIRED = "SUPERVISION_STEER_REQUIRED"
    MCP_BINDING_MISMATCH = "MCP_BINDING_MISMATCH"
    MCP_UNAVAILABLE = "MCP_UNAVAILABLE"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    SESSION_NOT_AVAILABLE = "SESSION_NOT_AVAILABLE"
    RUNTIME_CLOSING = "RUNTIME_CLOSING"
    MEMBER_NOT_WAKEABLE = "MEMBER_NOT_WAKEABLE"
    BUS_UNAVAILABLE = "BUS_UNAVAILABLE"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    # how a turn can fail
    UNEXPECTED_NATIVE_INTERACTION = "UNEXPECTED_NATIVE_INTERACTION"
    NATIVE_POLICY_BLOCKED = "NATIVE_POLICY_BLOCKED"
    NATIVE_EMPTY_RESPONSE = "NATIVE_EMPTY_RESPONSE"
    NATIVE_ERROR = "NATIVE_ERROR"
    NATIVE_AUTH_REQUIRED = "NATIVE_AUTH_REQUIRED"
    NATIVE_RATE_LIMITED = "NATIVE_RATE_LIMITED"
    NATIVE_CONTEXT_FULL = "NATIVE_CONTEXT_FULL"
    NATIVE_EXITED = "NATIVE_EXITED"
    NATIVE_SESSION_LOST = "NATIVE_SESSION_LOST"
    NATIVE_START_FAILED = "NATIVE_START_FAILED"
    NATIVE_CANCELLED = "NATIVE_CANCELLED"
    COMMAND_NOT_FOUND = "COMMAND_NOT_FOUND"
    PROTOCOL_INVALID_MESSAGE = "PROTOCOL_INVALID_MESSAGE"
    TRANSPORT_MODE_MISMATCH = "TRANSPORT_MODE_MISMATCH"
    CONTEXT_BUDGET_EXCEEDED = "CONTEXT_BUDGET_EXCEEDED"
    SPEND_LIMIT_REACHED = "SPEND_LIMIT_REACHED"
    TURN_INTERRUPTED = "TURN_INTERRUPTED"
    TURN_CANCELLED = "TURN_CANCELLED"
    TURN_CANCEL_TIMEOUT = "TURN_CANCEL_TIMEOUT"
    TURN_FIRST_EVENT_TIMEOUT = "TURN_FIRST_EVENT_TIMEOUT"
    TURN_IDLE_TIMEOUT = "TURN_IDLE_TIMEOUT"
    TURN_TIME_LIMIT = "TURN_TIME_LIMIT"
    AGENT_REMOVED = "AGENT_REMOVED"
    AGENT_RESTARTED = "AGENT_RESTARTED"
    ROOM_RESTORED = "ROOM_RESTORED"
    # commands in a terminal
    CONFIG_INVALID = "CONFIG_INVALID"
    PORT_IN_USE = "PORT_IN_USE"
    RUNTIME_LOCKED = "RUNTIME_LOCKED"
    START_FAILED = "START_FAILED"
    FILE_REFUSED = "FILE_REFUSED"
    STORE_INVALID = "STORE_INVALID"


ISSUE_CHARS = 200


class GroupXError(Exception):
    """A refusal or failure with a stable code, a plain sentence and JSON-serialisable details."""

    def __init__(self, code: ErrorCode, message: str, **details: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def invalid(message: str, path: str = "") -> GroupXError:
    """One refused field, in the shape that clients get for many: `details.issues[{path, message}]`."""
    return GroupXError(ErrorCode.INVALID_ENVELOPE, message, issues=[issue(path, message)])


def issue(path: str, message: str) -> dict[str, str]:
    """A refusal never repeats a request at length: whoever sends a megabyte as a name gets little of it back."""
    return {"path": clip(path, ISSUE_CHARS), "message": clip(message, ISSUE_CHARS)}
