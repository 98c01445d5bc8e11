"""Whether a CLI has reached the room's MCP server, as it tells: a turn that begins before has none of its tools."""

import asyncio

ROOM_TOOLS_SECONDS = 5.0
"""How long a session that opens waits for them. One without them is of use too."""


class RoomTools:
    def __init__(self) -> None:
        self._are_seen = False
        self._told = asyncio.Event()

    def told(self, *, are_seen: bool) -> None:
        self._are_seen = are_seen
        self._told.set()

    def forget(self) -> None:
        """What was told is about to be told anew."""
        self._told.clear()

    async def are_seen(self) -> bool:
        """As soon as the CLI tells; the caller bounds the wait."""
        await self._told.wait()
        return self._are_seen
