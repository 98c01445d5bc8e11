"""What a session has used, told by agents as sums, split into its turns. Pure."""

from dataclasses import replace

from adapters.acp.updates import UsageUpdate
from adapters.contract import UsageReported
from adapters.endings import PromptReply


class SessionUsage:
    """A turn's share is the difference to the sum before it; unknown for the first turn after a resume."""

    def __init__(self, *, is_fresh: bool) -> None:
        self._cost_usd: float | None = 0.0 if is_fresh else None
        self._tokens: tuple[int | None, ...] = (0, 0, 0) if is_fresh else (None, None, None)

    def of_update(self, update: UsageUpdate) -> UsageReported:
        spent = None
        if update.cost_usd is not None:
            if self._cost_usd is not None and update.cost_usd >= self._cost_usd:
                spent = update.cost_usd - self._cost_usd
            self._cost_usd = update.cost_usd
        return UsageReported(cost_usd=spent, context_used=update.used, context_size=update.size)

    def of_reply(self, reply: PromptReply) -> PromptReply:
        """The reply of an agent that tells the sums of its session, with those of the turn instead."""
        if not reply.tells_usage:
            return reply
        told = (reply.input_tokens, reply.output_tokens, reply.total_tokens)
        of_turn = [_difference(now, before) for now, before in zip(told, self._tokens, strict=True)]
        if not any(of_turn):
            of_turn = [None, None, None]  # a cancelled turn is not counted, which does not mean that it was free
        self._tokens = told
        return replace(reply, input_tokens=of_turn[0], output_tokens=of_turn[1], total_tokens=of_turn[2])


def _difference(now: int | None, before: int | None) -> int | None:
    return now - before if now is not None and before is not None and now >= before else None
