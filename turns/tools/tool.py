"""What a tool is, and what it is given when an agent calls it (edge)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits, Timeouts
from groupx.kernel.shapes import OwnShape
from rooms.tail import Tail
from turns.member import Member
from turns.told_observers import ToldObservers


@dataclass(frozen=True, kw_only=True)
class ToolRoom:
    """What all calls share: the room as its server knows it."""

    agents: Sequence[str] = ()
    """Actor ids of the enabled ones."""
    limits: Limits
    timeouts: Timeouts
    clock: Clock
    tail: Tail
    """Its ring changes with whatever is committed or said: what waits is woken by it."""
    told: ToldObservers = field(default_factory=ToldObservers)


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """One call of one tool."""

    member: Member
    """Who calls, and in which turn: known by the binding, never by what was sent."""
    room: ToolRoom
    tell_progress: Callable[[float, str], Awaitable[None]]
    """Tell the client, where it has asked for that, how it goes: a number that only grows, and a sentence."""


@dataclass(frozen=True, kw_only=True)
class Tool[Request: OwnShape, Answer: Mapping[str, Any], Call]:
    """`Call` is a `ToolCall` for those of agents, who call out of a turn.

    `run` gives the answer or raises a GroupXError, does its blocking work through `in_db` and `in_reader` alone, and
    is cancelled when its client goes away.

    Optional fields of `request` are `… | None = None`: some clients send null for what a model left out.
    """

    name: str
    description: str
    """For models: the effect first, and whom it wakes."""
    request: type[Request]
    answer: type[Answer]
    """A TypedDict; its schema tells clients what comes."""
    run: Callable[[Request, Call], Awaitable[Answer]]


type AnyTool = Tool[Any, Any, Any]
