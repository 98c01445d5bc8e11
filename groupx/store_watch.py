"""A database that cannot be written (full disk, locked, read-only): the room is told when it begins and when it ends.

Whoever fails to write says so, here or in a lane; nobody asks while all is well. What is told at the beginning
cannot be kept, so only readers that are connected see it; the end is an event of the log, with how long it took
and why.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger
from rooms.actions.record_failure import record_failure
from rooms.bodies import SystemFailure
from rooms.transactions import StoreError, in_db

log = get_logger()

LOOK_AGAIN_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class Outage:
    """`began_at` in seconds of the monotonic clock; `reason` in the database's words."""

    began_at: float
    reason: str


class StoreWatch:
    """All methods belong to one loop."""

    def __init__(self, tell: Callable[[SystemFailure], None], reopen: Callable[[], None], clock: Clock) -> None:
        """`tell` shows a failure to who is connected; `reopen` is written first when the database works again."""
        self._tell, self._reopen, self._clock = tell, reopen, clock
        self.outage: Outage | None = None
        self._begun = asyncio.Event()

    def failed(self, reason: str) -> None:
        """Somebody could not write."""
        if self.outage is None:
            log.error("store_outage_began", reason=reason)
            self.outage = Outage(began_at=self._clock.monotonic(), reason=reason)
            self._begun.set()
            self._tell(
                SystemFailure(
                    error_code=ErrorCode.STORE_UNAVAILABLE.value,
                    message=f"The room's database cannot be written ({reason}).",
                    hint="Nothing is lost: running turns wait, new messages are refused until it works again.",
                )
            )

    async def run(self) -> None:
        """Wait for outages and for their ends, until cancelled."""
        while True:
            await self._begun.wait()
            await self._clock.sleep(LOOK_AGAIN_SECONDS)
            await self._look_again()

    async def _look_again(self) -> None:
        assert self.outage is not None
        seconds, reason = round(self._clock.monotonic() - self.outage.began_at), self.outage.reason
        failure = SystemFailure(
            error_code=ErrorCode.STORE_UNAVAILABLE.value,
            message=f"The room's database could not be written for {seconds} s ({reason}). It works again.",
            hint="Messages that were refused meanwhile changed nothing; send them again.",
        )
        try:
            await in_db(self._reopen)
            await in_db(record_failure, failure, clock=self._clock)
        except StoreError as error:
            log.warning("store_outage_lasts", seconds=seconds, reason=str(error))
            return
        log.info("store_outage_ended", seconds=seconds)
        self.outage = None
        self._begun.clear()
