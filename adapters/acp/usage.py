"""What a turn has used: read from an agent's reply, and split out of sums that agents tell of whole sessions. Pure."""

from dataclasses import replace
from typing import Any

from adapters.acp.updates import Update, UsageUpdate
from adapters.contract import UsageReported
from adapters.reading import first_count, maybe_object

TOKENS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "total_tokens")
NOTHING_USED = UsageReported(**dict.fromkeys(TOKENS, 0))


def read_tokens(usage: dict[str, Any]) -> UsageReported | None:
    """None where an agent tells nothing, or zero, which agents tell when they do not know, after a cancel for one.

    Some count cached and reasoning tokens beside input and output instead of in them: the total tells which.
    """
    given = first_count(usage, "inputTokens", "input_tokens", "prompt_tokens")
    said = first_count(usage, "outputTokens", "output_tokens", "completion_tokens")
    total = first_count(usage, "totalTokens", "total_tokens")
    if not any((given, said, total)):
        return None
    cached = first_count(usage, "cachedReadTokens", "cached_read_tokens", "cache_read_input_tokens")
    written = first_count(usage, "cachedWriteTokens", "cacheCreationTokens", "cache_creation_input_tokens")
    thought = first_count(usage, "thoughtTokens", "thought_tokens", "reasoningTokens", "reasoning_tokens")
    if given is not None and said is not None and total is not None:
        of_cache, of_thought = (cached or 0) + (written or 0), thought or 0
        for beside_input, beside_output in ((0, 0), (of_cache, of_thought), (of_cache, 0), (0, of_thought)):
            if given + beside_input + said + beside_output == total:
                given, said = given + beside_input, said + beside_output
                break
    return UsageReported(
        input_tokens=given, cached_tokens=cached, output_tokens=said, reasoning_tokens=thought, total_tokens=total
    )


class SessionUsage:
    """A turn's share is the difference to the sum before it; unknown for the first turn after a resume.

    What a session tells after a turn is over belongs to the next one: no turn is open then, and the sum stays what
    the last turn was told.
    """

    def __init__(self, *, is_fresh: bool, is_of_calls: bool = False) -> None:
        """`is_of_calls`: each call of the model is told beside an update."""
        self._is_of_calls = is_of_calls
        self._cost_usd: float | None = 0.0 if is_fresh else None
        self._cost_before_usd = self._cost_usd
        self._tokens = NOTHING_USED if is_fresh else UsageReported()
        self._calls = UsageReported()

    def begin_turn(self) -> None:
        self._cost_before_usd = self._cost_usd
        self._calls = UsageReported()

    def told_with(self, update: Update, params: dict[str, Any]) -> UsageReported | None:
        """What this update, with the parameters it came in, tells of the open turn so far."""
        told = self.of_update(update) if isinstance(update, UsageUpdate) else None
        return self.of_call(params, told) if self._is_of_calls else told

    def of_update(self, update: UsageUpdate) -> UsageReported:
        """What the open turn has cost so far; a turn may be told of several sums."""
        spent = None
        if update.cost_usd is not None:
            if self._cost_before_usd is not None and update.cost_usd >= self._cost_before_usd:
                spent = update.cost_usd - self._cost_before_usd
            self._cost_usd = update.cost_usd
        return UsageReported(cost_usd=spent, context_used=update.used, context_size=update.size)

    def of_call(self, params: dict[str, Any], told: UsageReported | None) -> UsageReported | None:
        """`told` with the sum of the open turn's calls, where there is one more in `params`."""
        call = read_tokens(maybe_object(maybe_object(maybe_object(params.get("update")).get("_meta")).get("usage")))
        if call is None:
            return told
        self._calls = UsageReported(**{name: _sum(getattr(self._calls, name), getattr(call, name)) for name in TOKENS})
        return replace(told or UsageReported(), **{name: getattr(self._calls, name) for name in TOKENS})

    def of_reply(self, told: UsageReported | None) -> UsageReported | None:
        """The turn's own tokens, of an agent that tells the sums of its session.

        None also for a cancelled turn that was not counted, which does not mean that it was free.
        """
        if told is None:
            return None
        before, self._tokens = self._tokens, told
        of_turn = {name: _difference(getattr(told, name), getattr(before, name)) for name in TOKENS}
        return UsageReported(**of_turn) if any(of_turn.values()) else None


def _sum(before: int | None, more: int | None) -> int | None:
    return more if before is None else before + (more or 0)


def _difference(now: int | None, before: int | None) -> int | None:
    return now - before if now is not None and before is not None and now >= before else None
