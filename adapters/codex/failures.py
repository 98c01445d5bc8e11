"""What an error of a turn means for a person, by the kind that Codex gives it and by its words. Pure."""

from typing import Any

from adapters.codex.program import CODEX
from adapters.contract import Failed
from adapters.failures import (
    context_full,
    failure_of,
    overloaded,
    rate_limited,
    readable,
    retry_after_seconds,
    sign_in_needed,
)
from adapters.jsonrpc import RpcError
from adapters.reading import count, maybe_object
from groupx.kernel.text import clip, storable

KIND_CHARS = 64
_LIMITS = ("usageLimitExceeded", "rateLimitExceeded", "sessionBudgetExceeded")
_AT_CAPACITY = ("serverOverloaded", "policyCapacityUnavailable", "flexUnavailable")
_OVERLOADED_STATUS = (502, 503, 529)


def failure_of_turn(error: dict[str, Any], seconds_to_reset: float | None = None) -> Failed:
    """`error` has {message, codexErrorInfo, additionalDetails}, each of which may be missing.

    `seconds_to_reset`: when the account's limit that was reached begins anew, as far as Codex told.
    """
    rpc_error = _as_rpc(error)
    kind, status = kind_of(error)
    message = explained(error)
    seconds = retry_after_seconds(rpc_error)
    if kind == "unauthorized" or status == 401:
        return sign_in_needed(message, CODEX.sign_in)
    if kind in _LIMITS or status == 429:
        return rate_limited(message, seconds if seconds is not None else seconds_to_reset)
    if kind == "contextWindowExceeded":
        return context_full(message)
    if kind in _AT_CAPACITY or status in _OVERLOADED_STATUS:
        return overloaded(message, seconds)
    return failure_of(RpcError(0, message, rpc_error.data), CODEX.sign_in)


def explained(error: dict[str, Any]) -> str:
    """Its words, which Codex rewrites, with the kind that they had."""
    kind, status = kind_of(error)
    marks = [mark for mark in (kind if kind != "other" else None, f"HTTP {status}" if status else None) if mark]
    words = readable(_as_rpc(error))
    return f"{words} ({', '.join(marks)})" if marks else words


def kind_of(error: dict[str, Any]) -> tuple[str | None, int | None]:
    """The name of `codexErrorInfo`, and the HTTP status beside it."""
    info = error.get("codexErrorInfo")
    if isinstance(info, str):
        return clip(storable(info), KIND_CHARS), None
    if isinstance(info, dict) and info:
        name, facts = next(iter(info.items()))
        return clip(storable(name), KIND_CHARS), count(maybe_object(facts).get("httpStatusCode"))
    return None, None


def _as_rpc(error: dict[str, Any]) -> RpcError:
    message = error.get("message")
    return RpcError(0, message if isinstance(message, str) else "", {"details": error.get("additionalDetails")})
