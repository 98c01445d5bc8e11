"""What the assistant's tools are given: the room as its server knows it, and who calls (edge)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits, Timeouts
from memory.context_api import Compactions
from rooms.caller import Caller
from rooms.tail import Tail


class SetupDesk(Protocol):
    """The configuration file, as the setup page has it. Shapes: docs/protocol.md, "Setup"."""

    async def read(self) -> Mapping[str, Any]:
        """The draft that the file holds, and the CLIs that are installed."""
        ...

    async def save(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """Write a draft into the file.

        Raises:
            GroupXError: INVALID_ENVELOPE naming each field that is wrong, SENDER_FIELD_FORBIDDEN, FILE_REFUSED;
                nothing was changed.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class OperatorRoom:
    """What all calls share."""

    caller: Caller
    """`user:assistant`, under the name that it is configured with."""
    agents: Sequence[str] = ()
    """Actor ids of the enabled ones."""
    limits: Limits
    timeouts: Timeouts
    clock: Clock
    tail: Tail
    compactions: Compactions
    setup: SetupDesk
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the assistant saves the configuration."""


@dataclass(frozen=True, kw_only=True)
class OperatorCall:
    """One call of one tool. It comes from no turn."""

    room: OperatorRoom
    tell_progress: Callable[[float, str], Awaitable[None]]
    """Tell the client, where it has asked for that, how it goes: a number that only grows, and a sentence."""

    @property
    def caller(self) -> Caller:
        return self.room.caller
