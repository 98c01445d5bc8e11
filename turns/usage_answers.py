"""What clients are told of the use that agents made of models (docs/protocol.md, "Reading"). Pure."""

from typing import TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER


@with_config(ANSWER)
class UsageFigures(TypedDict):
    """Null is unknown: no turn told it. Cached tokens are a part of the input, reasoning tokens of the output."""

    inputTokens: int | None
    cachedTokens: int | None
    outputTokens: int | None
    reasoningTokens: int | None
    totalTokens: int | None
    costUsd: float | None


class UsageSums(UsageFigures):
    turns: int
    """That told anything; others are in no sum. What was used outside turns is in the sums too."""


class UsageOfDay(UsageSums):
    day: str
    """In `timeZone`, as in 2026-11-30: the one on which the turns ended."""
    actorId: str


@with_config(ANSWER)
class Usage(TypedDict):
    timeZone: str | None
    """Whose days these are; null is the zone of the system."""
    firstDay: str
    lastDay: str
    items: list[UsageOfDay]
    """Newest day first, then in the order of the roster; days without any are left out."""
    totals: UsageSums


class UsageOfTurn(UsageFigures):
    contextUsed: int | None
    """Tokens in the agent's context, of …"""
    contextSize: int | None
    """… as many as fit."""
