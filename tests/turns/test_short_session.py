"""A session for one prompt beside a lane's own: its limits and its end (docs/jobs.md)."""

import asyncio

import pytest

from adapters.contract import (
    TextDelta,
)
from groupx.kernel.errors import ErrorCode
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from tests.turns.jobs_in_a_lane import (
    A_TOOL_THAT_STAYS_OPEN,
    HeldSession,
    short_session,
)


# ---------------------------------------------------------------- limits
async def test_a_cli_that_hangs_in_its_handshake_is_given_up_after_ten_minutes(live_room, clock):
    never = asyncio.Event()
    session = short_session(ScriptedDriver(never), clock)
    asking = asyncio.create_task(session.ask("Sum it up."))
    await clock.until_asleep()
    await clock.advance(601)

    end = await asking
    assert (end.failure.code, end.failure.is_temporary) == (ErrorCode.NATIVE_START_FAILED, True)


@pytest.mark.parametrize(
    ("says", "seconds", "code", "is_temporary"),
    [
        ([], 180, ErrorCode.TURN_FIRST_EVENT_TIMEOUT, True),
        ([TextDelta("half")], 300, ErrorCode.TURN_IDLE_TIMEOUT, True),
        ([A_TOOL_THAT_STAYS_OPEN], 600, ErrorCode.TURN_TIME_LIMIT, False),
    ],
    ids=["no first event", "silence", "ten minutes in all"],
)
async def test_a_short_session_has_limits(clock, says, seconds, code, is_temporary):
    short = ScriptedSession()
    short.say(*says)
    asking = asyncio.create_task(short_session(ScriptedDriver(short), clock).ask("Sum it up."))
    await clock.until_asleep()
    await clock.advance(seconds - 1)
    assert not asking.done()
    await clock.advance(2)

    end = await asking
    assert (end.failure.code, end.failure.is_temporary, end.answer) == (code, is_temporary, "")
    assert short.closed


async def test_a_cancelled_short_session_is_closed_to_its_end(clock):
    short = HeldSession()
    asking = asyncio.create_task(short_session(ScriptedDriver(short), clock).ask("Sum it up."))
    await short.prompted.wait()
    asking.cancel()
    await short.closes.wait()
    asking.cancel()
    short.may_close.set()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert short.closed
