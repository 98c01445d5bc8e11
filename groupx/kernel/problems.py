"""What an error code means outside: HTTP status and process exit code. One table for all surfaces.

Statuses are those of docs/errors.md, "Refusals of requests". Codes that only ever end a turn have a row too: a missing
row is a programming error, not a guess.
"""

from dataclasses import dataclass

from .errors import ErrorCode, GroupXError


@dataclass(frozen=True)
class Problem:
    http_status: int
    exit_code: int = 1


_TURN_FAILURE = Problem(http_status=409)

PROBLEMS: dict[ErrorCode, Problem] = {
    ErrorCode.INVALID_ENVELOPE: Problem(400, 2),
    ErrorCode.SENDER_FIELD_FORBIDDEN: Problem(400),
    ErrorCode.ORIGIN_FORBIDDEN: Problem(403),
    ErrorCode.UNKNOWN_TARGET: Problem(404),
    ErrorCode.UNKNOWN_ACTOR: Problem(404),
    ErrorCode.NOT_FOUND: Problem(404),
    ErrorCode.METHOD_NOT_ALLOWED: Problem(405),
    ErrorCode.CLIENT_COMMAND_CONFLICT: Problem(409),
    ErrorCode.DUPLICATE_DISPATCH: Problem(409),
    ErrorCode.STORE_CONFLICT: Problem(409),
    ErrorCode.RUNTIME_SCOPE_MISMATCH: Problem(409),
    ErrorCode.MESSAGE_TOO_LARGE: Problem(413),
    ErrorCode.ADDRESS_TOO_LONG: Problem(414),
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: Problem(415),
    ErrorCode.QUEUE_CAPACITY_REACHED: Problem(429),
    ErrorCode.CAUSAL_CYCLE: Problem(409),
    ErrorCode.ROOT_TURN_LIMIT_REACHED: Problem(429),
    ErrorCode.HOP_LIMIT_REACHED: Problem(429),
    ErrorCode.STEER_LIMIT_REACHED: Problem(429),
    ErrorCode.SUPERVISION_PAIR_INVALID: Problem(400),
    ErrorCode.SUPERVISION_WATCH_REQUIRED: Problem(409),
    ErrorCode.SUPERVISION_STEER_REQUIRED: Problem(409),
    ErrorCode.HEADERS_TOO_LARGE: Problem(431),
    ErrorCode.MCP_BINDING_MISMATCH: Problem(400),
    ErrorCode.ASSISTANT_NOT_CONFIGURED: Problem(409),
    ErrorCode.MCP_UNAVAILABLE: Problem(503),
    ErrorCode.STORE_UNAVAILABLE: Problem(503),
    ErrorCode.SESSION_NOT_AVAILABLE: Problem(503),
    ErrorCode.RUNTIME_CLOSING: Problem(503),
    ErrorCode.MEMBER_NOT_WAKEABLE: Problem(409),
    ErrorCode.BUS_UNAVAILABLE: Problem(503),
    ErrorCode.INTERNAL_ERROR: Problem(500),
    ErrorCode.UNEXPECTED_NATIVE_INTERACTION: _TURN_FAILURE,
    ErrorCode.NATIVE_POLICY_BLOCKED: _TURN_FAILURE,
    ErrorCode.NATIVE_EMPTY_RESPONSE: _TURN_FAILURE,
    ErrorCode.NATIVE_ERROR: _TURN_FAILURE,
    ErrorCode.NATIVE_AUTH_REQUIRED: _TURN_FAILURE,
    ErrorCode.NATIVE_RATE_LIMITED: _TURN_FAILURE,
    ErrorCode.NATIVE_CONTEXT_FULL: _TURN_FAILURE,
    ErrorCode.NATIVE_EXITED: _TURN_FAILURE,
    ErrorCode.NATIVE_SESSION_LOST: _TURN_FAILURE,
    ErrorCode.NATIVE_START_FAILED: _TURN_FAILURE,
    ErrorCode.NATIVE_CANCELLED: _TURN_FAILURE,
    ErrorCode.COMMAND_NOT_FOUND: _TURN_FAILURE,
    ErrorCode.PROTOCOL_INVALID_MESSAGE: _TURN_FAILURE,
    ErrorCode.TRANSPORT_MODE_MISMATCH: _TURN_FAILURE,
    ErrorCode.CONTEXT_BUDGET_EXCEEDED: _TURN_FAILURE,
    ErrorCode.CONTEXT_COMPACTION_FAILED: Problem(503),
    ErrorCode.SPEND_LIMIT_REACHED: _TURN_FAILURE,
    ErrorCode.TURN_INTERRUPTED: _TURN_FAILURE,
    ErrorCode.TURN_CANCELLED: _TURN_FAILURE,
    ErrorCode.TURN_CANCEL_TIMEOUT: _TURN_FAILURE,
    ErrorCode.TURN_FIRST_EVENT_TIMEOUT: _TURN_FAILURE,
    ErrorCode.TURN_IDLE_TIMEOUT: _TURN_FAILURE,
    ErrorCode.TURN_TIME_LIMIT: _TURN_FAILURE,
    ErrorCode.AGENT_REMOVED: _TURN_FAILURE,
    ErrorCode.AGENT_RESTARTED: _TURN_FAILURE,
    ErrorCode.ROOM_RESTORED: _TURN_FAILURE,
    ErrorCode.CONFIG_INVALID: Problem(503, 2),
    ErrorCode.PORT_IN_USE: Problem(503, 1),
    ErrorCode.RUNTIME_LOCKED: Problem(503, 1),
    ErrorCode.START_FAILED: Problem(503, 1),
    ErrorCode.FILE_REFUSED: Problem(409, 1),
    ErrorCode.STORE_INVALID: Problem(503, 1),
}


def problem_of(error: GroupXError) -> Problem:
    return PROBLEMS[error.code]


def error_body(error: GroupXError) -> dict[str, object]:
    """`{"error": {"code", "message", "details"?}}`, the one error shape of REST (docs/errors.md)."""
    body: dict[str, object] = {"code": error.code.value, "message": error.message}
    if error.details:
        body["details"] = error.details
    return {"error": body}
