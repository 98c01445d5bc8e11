"""What an agent's error means for a person: code, readable sentence, what to do next. Pure.

By code and by text, since neither alone tells: the same number stands for a missing login in one agent and
for anything at all in the next.
"""

import json
import re
from collections.abc import Iterator

from adapters.contract import Failed
from adapters.framing import plain
from adapters.jsonrpc import RpcError
from groupx.kernel.errors import ErrorCode
from groupx.kernel.text import clip, storable

MESSAGE_CHARS = 500
MAX_NUMBER = 1_000_000
"""A status or a delay in seconds above it is none."""
AUTH_REQUIRED = -32000
"""ACP's code for it; many agents use the number for everything."""

_SIGN_IN = re.compile(
    r"\b401\b|unauthori[sz]ed|unauthenticated|authentication (?:required|failed|error)|auth[_ ]required"
    r"|not (?:logged|signed) in|(?:please |must |need to )(?:log|sign) ?in|run \S+ (?:auth )?login"
    r"|(?:log|sign)[ -]?in (?:required|again|first)"
    r"|(?:invalid|missing|incorrect|expired|no) (?:api[ -_]?key|credential)"
    r"|login (?:has )?expired|token (?:has )?expired",
    re.I,
)
_SIGN_IN_LOOSE = re.compile(r"auth|log[ -]?in|sign[ -]?in|credential|api[ -_]?key", re.I)
_RATE = re.compile(
    r"\b429\b|rate.?limit|too many requests|quota|usage limit|insufficient.?(?:balance|credit)"
    r"|hit your .{0,20}limit|(?:hour|session|weekly) limit|credit balance is too low",
    re.I,
)
_CONTEXT = re.compile(
    r"context.{0,12}(?:length|window|limit|too (?:long|large))|(?:maximum|max) context|prompt is too (?:long|large)"
    r"|input is too long|too many (?:input )?tokens|token limit exceeded",
    re.I,
)
_OVERLOADED = re.compile(r"\b(?:529|503|502)\b|overloaded|high demand|at capacity|temporarily unavailable", re.I)
_LOST = re.compile(
    r"(?:session|conversation|thread).{0,80}(?:not found|unknown|not exist|no longer|expired|not loaded)"
    r"|(?:no such|unknown|no|invalid) (?:session|conversation|thread)\b",
    re.I,
)
_POLICY = re.compile(
    r"\bpolic(?:y|ies)\b|administrator|managed (?:setting|config)|organi[sz]ation"
    r"|forbidden by|disabled by|not permitted",
    re.I,
)
_WAIT = re.compile(
    r"(?:retry|try again)(?! at\b| on\b)[^0-9]{0,20}(\d+(?:\.\d+)?)\s*(ms|milli|s\b|sec|m\b|min|h\b|hour)?", re.I
)
_UNIT_SECONDS = {"ms": 0.001, "milli": 0.001, "m": 60.0, "min": 60.0, "h": 3600.0, "hour": 3600.0}
_GENERIC = re.compile(r"(?:internal|server|unknown|unexpected|an|request)? ?(?:error|failed)?(?: occurred)?[.!]?", re.I)
_PREFIX = re.compile(r"^(?:internal (?:server )?error|error)\s*:\s*(?=\S)", re.I)
_NESTED = ("message", "details", "detail", "error", "errorMessage", "reason", "description", "cause", "data")


def failure_of(error: RpcError, sign_in: str | None = None) -> Failed:
    """How a turn ends on this error."""
    message = readable(error)
    # a status as a field counts as if the text named it
    known = f"{message} {error.message} {_status(error.data)}"
    if _is_sign_in(error.code, known):
        return sign_in_needed(message, sign_in)
    if _RATE.search(known):
        return rate_limited(message, retry_after_seconds(error))
    if _CONTEXT.search(known):
        return context_full(message)
    if _LOST.search(known):
        hint = "The next message starts a fresh session."
        return Failed(code=ErrorCode.NATIVE_SESSION_LOST, message=message, hint=hint, session_lost=True)
    if _OVERLOADED.search(known):
        return overloaded(message, retry_after_seconds(error))
    return Failed(
        code=ErrorCode.NATIVE_ERROR,
        message=message,
        hint="Try again; if it stays, run the agent by itself to see more.",
    )


# ---------------------------------------------------------------- for agents that say which kind it is
def sign_in_needed(message: str, sign_in: str | None) -> Failed:
    hint = sign_in or "Sign in with the agent's own command in a terminal, then try again."
    return Failed(code=ErrorCode.NATIVE_AUTH_REQUIRED, message=message, hint=hint)


def rate_limited(message: str, retry_after_seconds: float | None) -> Failed:
    return Failed(
        code=ErrorCode.NATIVE_RATE_LIMITED,
        message=message,
        hint="The model service limits this account; wait, or use another account or model.",
        retry_after_seconds=retry_after_seconds,
    )


def context_full(message: str) -> Failed:
    hint = "The conversation has become too long for the model. Begin a fresh session, then retry."
    return Failed(code=ErrorCode.NATIVE_CONTEXT_FULL, message=message, hint=hint)


def overloaded(message: str, retry_after_seconds: float | None) -> Failed:
    hint = "The model service is overloaded; try again in a moment."
    return Failed(code=ErrorCode.NATIVE_ERROR, message=message, hint=hint, retry_after_seconds=retry_after_seconds)


def error_of_text(text: str) -> RpcError:
    """An error that an agent put somewhere as words, or as the JSON of one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return RpcError(0, text)
    code, message = value.get("code"), value.get("message")
    return RpcError(code if isinstance(code, int) else 0, message if isinstance(message, str) else "", value)


def says_sign_in(text: str) -> bool:
    """For what a process printed before it ended."""
    return _SIGN_IN.search(text) is not None


def says_session_lost(text: str) -> bool:
    return _LOST.search(text) is not None


def says_policy_forbids(error: RpcError) -> bool:
    return _POLICY.search(f"{error.message} {readable(error)}") is not None


def readable(error: RpcError) -> str:
    """The agent's own words, the most telling of a nested error, as one line of at most 500 characters."""
    outer = _clean(error.message)
    if outer.startswith("{"):
        texts = list(_texts(outer))
        outer = next((text for text in texts if not _GENERIC.fullmatch(text)), texts[0] if texts else "")
    outer = _PREFIX.sub("", outer)
    if not outer or _GENERIC.fullmatch(outer):
        outer = next((text for text in _texts(error.data) if not _GENERIC.fullmatch(text)), outer)
    return clip(outer or f"The agent reported error {error.code} without a reason.", MESSAGE_CHARS)


def retry_after_seconds(error: RpcError) -> float | None:
    """The delay that the agent passed on, as a field or in words."""
    found = _field(error.data, ("retryAfterSeconds", "retry_after_seconds", "retryAfter", "retry_after", "retry-after"))
    if found is None:
        found_ms = _field(error.data, ("retryAfterMs", "retry_after_ms"))
        found = found_ms / 1000 if found_ms is not None else None
    if found is not None:
        return found
    match = _WAIT.search(error.message) or _WAIT.search(readable(error))
    if match is None:
        return None
    seconds = float(match[1]) * _UNIT_SECONDS.get((match[2] or "s").lower(), 1.0)
    return seconds if seconds < MAX_NUMBER else None


def _is_sign_in(code: int, text: str) -> bool:
    if _SIGN_IN.search(text):
        return True
    return code == AUTH_REQUIRED and _SIGN_IN_LOOSE.search(text) is not None


def _texts(value: object, depth: int = 0) -> Iterator[str]:
    """The sentences in an error's data, outer ones first; text that is JSON again is looked into."""
    if depth > 4:
        return
    match value:
        case str():
            text = _clean(value)
            if text.startswith("{"):
                try:
                    yield from _texts(json.loads(text), depth + 1)
                except (ValueError, RecursionError):
                    yield text
            elif text:
                yield text
        case dict():
            for name in _NESTED:
                yield from _texts(value.get(name), depth + 1)
        case list():
            for inner in value[:5]:
                yield from _texts(inner, depth + 1)


def _clean(text: str) -> str:
    text = " ".join(storable(plain(text[:10_000])).split())
    return "" if "[object Object]" in text else text


def _field(value: object, names: tuple[str, ...], depth: int = 0) -> float | None:
    if not isinstance(value, dict) or depth > 3:
        return None
    for name in names:
        try:
            seconds = float(value[name])
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        if 0 <= seconds < MAX_NUMBER:
            return seconds
    return next((found for inner in value.values() if (found := _field(inner, names, depth + 1)) is not None), None)


def _status(data: object) -> str:
    found = _field(data, ("http_status", "httpStatus", "statusCode", "status_code", "status"))
    return "" if found is None else str(int(found))
