"""That an agent came to the room's MCP server is evidence of what its CLI is able to (edge)."""

from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from rooms.transactions import StoreError, in_db
from turns.actions.note_evidence import note_mcp_use

log = get_logger()

REMEMBERED = 1000


class McpUse:
    """Notes it once per session and kind of use; one for each server process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._noted: set[tuple[str, bool]] = set()

    async def noticed(self, handle: str, *, is_call: bool) -> None:
        """`is_call`: of a tool; else the agent has asked for their list."""
        if not handle or (handle, is_call) in self._noted:
            return
        if len(self._noted) >= REMEMBERED:
            self._noted.clear()
        self._noted.add((handle, is_call))
        try:
            await in_db(note_mcp_use, handle, is_call=is_call, clock=self._clock)
        except StoreError:  # the answer to the agent does not depend on it
            self._noted.discard((handle, is_call))
            log.exception("mcp_use_not_noted")
