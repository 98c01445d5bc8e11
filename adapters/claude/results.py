"""How a turn of Claude Code ended, by its result. Pure.

A success may be an error (`is_error`), an error a limit that was set, and an end by somebody's interrupt comes as an
error too.
"""

import json
from typing import Any

from adapters.claude.frames import INPUT_TOKENS, context_of
from adapters.contract import UsageReported
from adapters.endings import PromptReply
from adapters.jsonrpc import RpcError
from adapters.reading import amount, count, maybe_object, short_text
from groupx.kernel.text import clip

STOP_REASONS = {"max_tokens": "max_tokens", "refusal": "refusal", "model_context_window_exceeded": "max_tokens"}
"""Those that are worth a note; with any other the model had its say."""
MAX_ERROR_CHARS = 10_000


def ending_of(result: dict[str, Any], retry_after_seconds: float | None = None) -> PromptReply | RpcError:
    """`retry_after_seconds`: when the account's limit that was told of meanwhile is over."""
    subtype, reason = result.get("subtype"), str(result.get("terminal_reason"))
    if subtype == "error_max_turns":
        return PromptReply(stop_reason="max_turn_requests")
    if reason.startswith("aborted"):
        return PromptReply(stop_reason="cancelled")
    if result.get("is_error") is True or str(subtype).startswith("error"):
        told = {"status": result.get("api_error_status"), "retry_after": retry_after_seconds}
        data = {name: value for name, value in told.items() if value is not None}
        return RpcError(0, _words_of(result) or f"It ended with “{short_text(subtype) or 'an error'}”.", data)
    return PromptReply(stop_reason=STOP_REASONS.get(str(result.get("stop_reason")), "end_turn"))


def answer_of(result: dict[str, Any]) -> str:
    """The model's last words; not when they tell of an error."""
    text = result.get("result")
    return text if isinstance(text, str) and not result.get("is_error") else ""


class Costs:
    """Sums of a process, split into its turns."""

    def __init__(self) -> None:
        self._usd = 0.0

    def usage_of(self, result: dict[str, Any], context_used: int | None) -> UsageReported:
        tokens = maybe_object(result.get("usage"))
        inputs = [number for name in INPUT_TOKENS if (number := count(tokens.get(name))) is not None]
        given, total = sum(inputs), context_of(tokens)
        return UsageReported(
            input_tokens=given if total else None,
            cached_tokens=count(tokens.get("cache_read_input_tokens")) if total else None,
            output_tokens=count(tokens.get("output_tokens")) if total else None,
            reasoning_tokens=count(maybe_object(tokens.get("output_tokens_details")).get("thinking_tokens")) or None,
            total_tokens=total,
            cost_usd=self._turn_usd(result),
            context_used=context_used,
            context_size=_context_size(result),
        )

    def _turn_usd(self, result: dict[str, Any]) -> float | None:
        sum_usd = amount(result.get("total_cost_usd"))
        if sum_usd is None:
            return None
        spent, self._usd = sum_usd - self._usd, sum_usd
        return spent if spent >= 0 else None


def _context_size(result: dict[str, Any]) -> int | None:
    """Of the model that gave the most: others only help."""
    models = [maybe_object(model) for model in maybe_object(result.get("modelUsage")).values()]
    main = max(models, key=lambda model: count(model.get("outputTokens")) or 0, default={})
    return count(main.get("contextWindow")) or None


def _words_of(result: dict[str, Any]) -> str:
    text = result.get("result")
    if not isinstance(text, str) or not text.strip():
        errors = result.get("errors")
        texts = [error for error in errors if isinstance(error, str)] if isinstance(errors, list) else []
        text = "; ".join(texts)
    return clip(_without_json(text.strip()), MAX_ERROR_CHARS)


def _without_json(text: str) -> str:
    """“API Error: 400 {…}” with what the service said in place of its JSON."""
    head, brace, tail = text.partition("{")
    if not brace:
        return text
    try:
        body = maybe_object(json.loads(brace + tail))
    except (ValueError, RecursionError):
        return text
    said = maybe_object(body.get("error")).get("message") or body.get("message")
    return f"{head}{said}" if isinstance(said, str) and said else text
