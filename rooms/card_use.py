"""What an agent's card says of its use and its pauses, in the language that is active (edge)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from groupx.kernel.clock import SystemClock, iso
from groupx.kernel.config import SpendLimit
from groupx.kernel.errors import ErrorCode
from groupx.kernel.money import dollars
from turns.queries.agents import AgentView
from turns.queries.usage import usage_between
from turns.state import LaneStatus, PauseKind
from turns.usage_answers import UsageSums

_CLOCK = SystemClock()
AGENT = "agent:"


@dataclass(frozen=True, kw_only=True)
class UseOfToday:
    """By agent. `ends_at`: then a page has to ask anew."""

    used: Mapping[str, UsageSums]
    ends_at: datetime

    def of(self, view: AgentView) -> "CardUse | None":
        """None where there is nothing to say: nothing was told today, and nothing is limited."""
        agent = settings.RUN.config.agents.get(view.actor_id.removeprefix(AGENT))
        words = _in_words(self.used.get(view.actor_id), agent.spend_limit if agent else None)
        return CardUse(words=words, day_ends_at=iso(self.ends_at)) if words else None


@dataclass(frozen=True, kw_only=True)
class CardUse:
    words: str
    day_ends_at: str


@dataclass(frozen=True, kw_only=True)
class CardPause:
    """`until` is an ISO moment; the page says it in its reader's time, and how long that is from now."""

    until: str
    is_spend: bool


def use_of_today() -> UseOfToday:
    """One query, for as many cards as there are."""
    days, now = settings.RUN.config.days, _CLOCK.now()
    ends_at = days.end_of(now)
    return UseOfToday(used=usage_between(days.start_of(days.day_of(now)), ends_at), ends_at=ends_at)


def pause_of(view: AgentView) -> CardPause | None:
    if view.paused_for is None or view.paused_until is None:
        return None
    return CardPause(until=iso(view.paused_until), is_spend=view.paused_for is PauseKind.SPEND_LIMIT)


def can_try_again(view: AgentView) -> bool:
    """Somebody had to sign in before it could start."""
    return view.status is LaneStatus.FAILED and _error_code(view) == ErrorCode.NATIVE_AUTH_REQUIRED


def offers_fresh_session(view: AgentView) -> bool:
    return _error_code(view) == ErrorCode.NATIVE_CONTEXT_FULL


def wants_a_person(view: AgentView) -> bool:
    """Its last turn failed for something that no other turn will mend, although the agent itself is there."""
    return _error_code(view) in (ErrorCode.NATIVE_AUTH_REQUIRED, ErrorCode.NATIVE_CONTEXT_FULL)


def _error_code(view: AgentView) -> str | None:
    return view.last_error.get("code") if view.last_error else None


def _in_words(used: UsageSums | None, limit: SpendLimit | None) -> str:
    """ "12,340 of 100,000 tokens, $0.12": what is known, and each limit with what is known to count against it."""
    tokens, cost = (used["totalTokens"], used["costUsd"]) if used else (None, None)
    parts = []
    if limit is not None and limit.tokens_per_day is not None:
        figures = {"used": f"{tokens or 0:,}", "limit": f"{limit.tokens_per_day:,}"}
        parts.append(str(_("%(used)s of %(limit)s tokens") % figures))
    elif tokens is not None:
        parts.append(str(_("%(count)s tokens") % {"count": f"{tokens:,}"}))
    if limit is not None and limit.cost_per_day is not None:
        figures = {"used": dollars(cost or 0.0), "limit": dollars(limit.cost_per_day)}
        parts.append(str(_("%(used)s of %(limit)s") % figures))
    elif cost is not None:
        parts.append(dollars(cost))
    return str(_(", ")).join(parts)
