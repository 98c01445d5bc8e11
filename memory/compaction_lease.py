"""Work that one compaction of the room does at a time, across processes: wait for the lease, keep it, give it back."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from groupx.kernel.cancellation import to_its_end
from groupx.kernel.clock import Clock, until_next
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import new_token
from groupx.kernel.logs import get_logger
from memory.actions.compaction_lease import give_lease_back, renew_lease, take_lease
from memory.queries.compaction import lease_is_free
from rooms.transactions import UNAVAILABLE

log = get_logger()

LOOK_SECONDS = 1.0
RENEW_SECONDS = 5.0
LONGEST_WAIT_SECONDS = 3_600.0
"""For others that are at it. Each of them is bounded by itself; this is for what nobody has thought of."""


class Hop(Protocol):
    async def __call__[**P, R](self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call `function` in one of the database's threads."""
        ...


@dataclass(frozen=True, kw_only=True)
class Database:
    """How this process reaches the database: a lane waits for one that cannot answer, the server does not."""

    read: Hop
    write: Hop


async def while_leased[R](work: Callable[[str], Coroutine[Any, Any, R]], database: Database, clock: Clock) -> R:
    """Do the work with the room's lease, whose token it is given; waits for whoever holds it.

    It is renewed however long the work takes; work whose lease was lost is cancelled.

    Raises:
        GroupXError: STORE_CONFLICT when the lease was lost, STORE_UNAVAILABLE when it was not to be had in an hour;
            whatever the work raises.
    """
    token = new_token()
    try:
        await _take(token, database, clock)
        return await _renewed(work(token), token, database, clock)
    finally:  # also of a taking that was cancelled, and came about all the same
        await to_its_end(_give_back(token, database))


async def _renewed[R](work: Coroutine[Any, Any, R], token: str, database: Database, clock: Clock) -> R:
    working = asyncio.create_task(work, name="leased-work")
    renewing = asyncio.create_task(_renew(token, database, clock), name="compaction-lease")
    try:
        await clock.wait({working, renewing}, None)
        if not working.done():
            renewing.result()
        return working.result()
    finally:
        for task in (working, renewing):
            task.cancel()
        await asyncio.gather(working, renewing, return_exceptions=True)


async def _take(token: str, database: Database, clock: Clock) -> None:
    until = clock.monotonic() + LONGEST_WAIT_SECONDS
    while not await database.write(take_lease, token, clock=clock):
        while not await database.read(lease_is_free, clock.now()):
            if clock.monotonic() >= until:
                raise GroupXError(
                    ErrorCode.STORE_UNAVAILABLE,
                    "Another compaction of this room has been at work for an hour. Try again later.",
                )
            await clock.sleep(until_next(LOOK_SECONDS, clock))


async def _give_back(token: str, database: Database) -> None:
    try:
        await database.write(give_lease_back, token)
    except UNAVAILABLE as error:
        log.warning("compaction_lease_not_given_back", reason=str(error))  # it runs out


async def _renew(token: str, database: Database, clock: Clock) -> None:
    """Returns never; a lease that was lost raises."""
    while True:
        await clock.sleep(RENEW_SECONDS)
        try:
            is_mine = await database.write(renew_lease, token, clock=clock)
        except UNAVAILABLE as error:
            log.warning("compaction_lease_not_renewed", reason=str(error))  # nobody else can take it either
            continue
        if not is_mine:
            raise GroupXError(ErrorCode.STORE_CONFLICT, "Another compaction of this room has begun.")
