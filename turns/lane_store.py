"""A lane's way to the database, and the one place that writes its agent's card.

A database that cannot answer (locked, full, read-only, gone for a moment) is waited for: nothing of a lane's work
can go on without it, and nothing is lost by waiting. SQLite takes a failed transaction back as a whole, so asking
again is safe; any other error of the database would come again, and ends the lane. A lane that is to close waits only
for the end of its turn.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from rooms.bodies import SessionFailed
from rooms.envelope import ActorRef
from rooms.transactions import UNAVAILABLE, in_db, in_reader
from turns.actions.lane_status import set_lane_status
from turns.actions.pause_lane import end_pause, pause_start
from turns.control import LaneControl, Stop
from turns.pauses import LanePause
from turns.state import LaneStatus

log = get_logger()

RETRY_SECONDS = 1.0


class LaneStore:
    def __init__(
        self, agent: ActorRef, lane_token: str, control: LaneControl, clock: Clock, failed: Callable[[str], None]
    ) -> None:
        """`failed` is called with the database's words whenever it could not answer."""
        self._agent, self._lane_token = agent, lane_token
        self._control, self._clock, self._failed = control, clock, failed

    async def write[**P, R](self, action: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Commit the action, as often as it takes.

        Raises:
            OperationalError, InterfaceError: the lane is to close, and the database still does not answer.
        """
        return await self._until_answered(lambda: in_db(action, *args, **kwargs), action)

    async def insist[**P, R](self, action: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The same for what a closing lane must write too: for as long as its process is allowed to live."""
        return await self._until_answered(lambda: in_db(action, *args, **kwargs), action, insists=True)

    async def read[**P, R](self, query: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """As `write`, for a query."""
        return await self._until_answered(lambda: in_reader(query, *args, **kwargs), query)

    async def attempt[**P, R](self, action: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Commit what may be missing: None when the database does not answer now."""
        try:
            return await in_db(action, *args, **kwargs)
        except UNAVAILABLE as error:
            self._note(error, action)
            return None

    async def show(self, status: LaneStatus, text: str = "", **more: Any) -> None:
        """Change the agent's card; what is not given stays. A lane that was replaced changes nothing."""
        await self.write(
            set_lane_status, self._agent.actor_id, self._lane_token, status, text, clock=self._clock, **more
        )

    async def pause_start(self, pause: LanePause, failure: SessionFailed) -> None:
        """The agent could not be started, and is not tried before the pause is over.

        Raises:
            GroupXError: STORE_CONFLICT when another worker holds the lane.
        """
        await self.write(pause_start, self._agent, self._lane_token, pause, failure, clock=self._clock)

    async def end_pause(self) -> None:
        """Its moment has come. A lane that was replaced changes nothing."""
        await self.write(end_pause, self._agent.actor_id, self._lane_token, clock=self._clock)

    async def _until_answered[R](
        self, ask: Callable[[], Awaitable[R]], what: Callable[..., object], *, insists: bool = False
    ) -> R:
        while True:
            try:
                return await ask()
            except UNAVAILABLE as error:
                self._note(error, what)
                if self._control.stop is Stop.CLOSING and not insists:
                    raise
            await self._pause()

    def _note(self, error: Exception, what: Callable[..., object]) -> None:
        log.warning("store_unavailable", during=getattr(what, "__name__", None), reason=str(error))
        self._failed(str(error))

    async def _pause(self) -> None:
        """Shorter when the lane is asked to stop meanwhile."""
        if self._control.stop is not None:
            await self._clock.sleep(RETRY_SECONDS)
            return
        stopping = asyncio.create_task(self._control.stopping.wait(), name="stopping")
        try:
            await self._clock.wait({stopping}, RETRY_SECONDS)
        finally:
            stopping.cancel()
            await asyncio.gather(stopping, return_exceptions=True)
