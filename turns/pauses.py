"""When a lane leaves its queue alone, and until when. Pure.

A pause stands in the lane's row, so it outlives its worker, the server and the room. It ends by itself at its moment,
or when a person lets the agent go on.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from groupx.kernel.config import SpendLimit
from groupx.kernel.days import LocalDays
from groupx.kernel.money import dollars
from turns.settlement import TurnOutcome
from turns.state import PauseKind


@dataclass(frozen=True, kw_only=True)
class LanePause:
    """`words` is for the card; it does not say until when, since its reader's clock says that better."""

    kind: PauseKind
    until: datetime
    words: str

    def is_over(self, now: datetime) -> bool:
        return now >= self.until


def sound_delay(seconds: float | None) -> float | None:
    """A delay that an agent passed on. None for none, and for one that no service gives: a moment in milliseconds,
    taken for seconds, is thousands of years away."""
    return seconds if seconds is not None and 0 < seconds <= LONGEST_DELAY_SECONDS else None


def end_of_delay(now: datetime, seconds: float | None) -> datetime | None:
    """When it is over."""
    delay = sound_delay(seconds)
    return None if delay is None else now + timedelta(seconds=delay)


def pause_after(outcome: TurnOutcome) -> LanePause | None:
    """The delay that a failed turn was given."""
    if outcome.paused_until is None:
        return None
    return LanePause(kind=PauseKind.RATE_LIMIT, until=outcome.paused_until, words=outcome.message[:300])


# ---------------------------------------------------------------- spending
@dataclass(frozen=True, kw_only=True)
class Spent:
    """Of one agent on one day. What no turn told is zero here: a limit can only count what is known."""

    tokens: int = 0
    cost_usd: float = 0.0

    def since(self, before: "Spent") -> "Spent":
        return Spent(tokens=self.tokens - before.tokens, cost_usd=self.cost_usd - before.cost_usd)


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What an agent may use in a day, and whose days are meant."""

    limit: SpendLimit | None
    days: LocalDays

    def pause_after(self, today: Spent, went_on_at: Spent, now: datetime) -> LanePause | None:
        """None while the limit is not reached. `went_on_at` is what had been used when a person last let it go on
        today: another limit's worth counts from there."""
        if self.limit is None:
            return None
        counted = today.since(went_on_at)
        tokens, cost = self.limit.tokens_per_day, self.limit.cost_per_day
        if tokens is not None and counted.tokens >= tokens:
            words = f"Its limit of {tokens:,} tokens a day is reached: {today.tokens:,} were used today."
        elif cost is not None and counted.cost_usd >= cost - SMALLEST_USD:
            words = f"Its limit of {dollars(cost)} a day is reached: {dollars(today.cost_usd)} was used today."
        else:
            return None
        return LanePause(kind=PauseKind.SPEND_LIMIT, until=self.days.end_of(now), words=words)


LONGEST_DELAY_SECONDS = 35 * 86_400.0
"""The longest window of an account is a month."""
NO_BUDGET = Budget(limit=None, days=LocalDays())
SMALLEST_USD = 1e-9
"""Sums of fractions of a cent miss round amounts by less."""
LONGEST_LOOK_SECONDS = 1.0


def look_again_in(pause: LanePause, now: datetime) -> float:
    """Seconds until a paused lane looks at its pause again: the wall clock may be moved meanwhile."""
    return min(max(0.0, (pause.until - now) / timedelta(seconds=1)), LONGEST_LOOK_SECONDS)
