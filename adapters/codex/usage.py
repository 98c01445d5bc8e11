"""Tokens of a turn out of the sums that Codex tells of a thread, and when an account's limits begin anew. Pure."""

from typing import Any

from adapters.contract import UsageReported
from adapters.reading import count, maybe_object

_NAMES = ("inputTokens", "cachedInputTokens", "outputTokens", "reasoningOutputTokens", "totalTokens")
type Sums = tuple[int | None, ...]
_UNKNOWN: Sums = (None,) * len(_NAMES)


class ThreadUsage:
    """Each report tells the sums of the thread (`total`) and of its newest request (`last`); a turn has several.

    After a resume the sum before the turn is what is left without the first of its requests.
    """

    def __init__(self, *, is_fresh: bool) -> None:
        self._sums: Sums | None = (0,) * len(_NAMES) if is_fresh else None
        self._before: Sums | None = self._sums
        self._used: Sums = _UNKNOWN

    def begin_turn(self) -> None:
        self._before, self._used = self._sums, _UNKNOWN

    def told(self, usage: dict[str, Any]) -> UsageReported:
        """What the open turn has used so far, all its requests together."""
        total, last = _sums(usage.get("total")), _sums(usage.get("last"))
        before = self._before = _minus(total, last) if self._before is None else self._before
        self._sums = total
        if _says_that_the_window_is_full(last):
            self._before = tuple(
                a - (b or 0) if a is not None else None for a, b in zip(total, self._used, strict=True)
            )
        else:
            used = _minus(total, before)
            # a request that was cut is not counted, which does not mean that it was free
            self._used = used if any(used) else _UNKNOWN
        given, cached, said, thought, together = self._used
        return UsageReported(
            input_tokens=given,
            cached_tokens=cached,
            output_tokens=said,
            reasoning_tokens=thought,
            total_tokens=together,
            context_used=last[-1] or None,
            context_size=count(usage.get("modelContextWindow")) or None,
        )


def _says_that_the_window_is_full(last: Sums) -> bool:
    """Of a request that was refused as too long, Codex tells a total that fills the model's window, made of nothing:
    no token of it was used."""
    given, _cached, said, _thought, together = last
    return bool(together) and given == 0 and said == 0


def seconds_to_reset(rate_limits: dict[str, Any], now_seconds: float) -> float | None:
    """When the last of the exhausted windows begins anew, None where none is; `now_seconds` since the epoch."""
    windows = [maybe_object(rate_limits.get(name)) for name in ("primary", "secondary")]
    resets = [
        resets_at - now_seconds
        for window in windows
        if (count(window.get("usedPercent")) or 0) >= 100 and (resets_at := count(window.get("resetsAt")))
    ]
    return max((seconds for seconds in resets if seconds > 0), default=None)


def _sums(value: object) -> Sums:
    told = maybe_object(value)
    return tuple(count(told.get(name)) for name in _NAMES)


def _minus(now: Sums, before: Sums) -> Sums:
    return tuple(
        a - b if a is not None and b is not None and a >= b else None for a, b in zip(now, before, strict=True)
    )
