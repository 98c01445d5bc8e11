"""What an agent is asked outside its turns (docs/jobs.md): a short session beside its lane. Our contract."""

import asyncio
from contextlib import suppress

import pytest

from adapters.contract import (
    Cancelled,
    Completed,
    Failed,
    Started,
    TextDelta,
)
from groupx.kernel.clock import SystemClock
from groupx.kernel.errors import ErrorCode
from rooms.caller import web_caller
from rooms.models import AgentInstance, Event, SessionBinding
from rooms.requests import Command
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from tests.turns.jobs_in_a_lane import (
    HeldSession,
    answering,
    ask,
    begun,
    failure_of,
    saying,
    until_ready,
)
from tests.turns.stage import WAIT_SECONDS, LaneStage, until
from turns.agent_jobs import ask_agent
from turns.commands import restart
from turns.job_ends import JobFailed
from turns.models import AgentJob

pytestmark = pytest.mark.django_db(transaction=True)


async def test_an_agent_is_asked_in_a_short_session_that_the_room_does_not_see(live_room):
    short = answering("All is well.")
    async with LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=ScriptedDriver(short)) as lane:
        await until_ready(lane)
        seq = await in_reader(Event.objects.count)
        assert await ask() == "All is well."
        assert lane.short_processes == ["spawned", "ended"]
        assert await in_reader(Event.objects.count) == seq

    assert short.prompts == ["Sum it up."] and short.closed
    assert await in_reader(AgentInstance.objects.count) == 1
    assert await in_reader(lambda: SessionBinding.objects.filter(actor_id="agent:builder").count()) == 1
    job = await in_reader(AgentJob.objects.get)
    assert (job.status, job.prompt, job.answer, job.answer_chars) == ("done", "", "All is well.", 12)


async def test_it_waits_for_no_turn_and_delays_none(live_room, clock):
    at_work = ScriptedSession()
    at_work.say(Started(), TextDelta("half"))
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    async with LaneStage(live_room, "builder", at_work, jobs_driver=ScriptedDriver(answering("yes"))) as lane:
        await lane.status_of(turn_id, "running")
        assert await ask() == "yes"
        at_work.say(Completed("whole"))
        await lane.status_of(turn_id, "completed")


async def test_the_same_question_is_not_asked_twice_in_a_day(live_room):
    short = answering("once")
    async with LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=ScriptedDriver(short)) as lane:
        await until_ready(lane)
        assert await ask() == await ask() == "once"

    assert short.prompts == ["Sum it up."]


@pytest.mark.parametrize(
    ("session", "code", "is_temporary"),
    [
        (saying(Failed(code=ErrorCode.NATIVE_ERROR, message="It broke.")), "NATIVE_ERROR", True),
        (saying(Started(), Completed("")), "NATIVE_EMPTY_RESPONSE", True),
        (saying(Started(), Completed("half of it", "max_tokens")), "NATIVE_ERROR", False),
        (saying(RuntimeError("a driver's fault")), "PROTOCOL_INVALID_MESSAGE", False),
    ],
)
async def test_what_is_no_answer_is_a_failure_with_its_code(live_room, session, code, is_temporary):
    async with LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=ScriptedDriver(session)) as lane:
        await until_ready(lane)
        with pytest.raises(JobFailed) as failed:
            await ask()
        assert (failed.value.code, failed.value.is_temporary) == (code, is_temporary)

    assert session.closed


# ---------------------------------------------------------------- stops


async def test_a_lane_that_closes_ends_the_short_session_at_once_and_its_job_has_failed(live_room):
    short = ScriptedSession("short")
    async with LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=ScriptedDriver(short)) as lane:
        await until_ready(lane)
        asking = await begun(short)
        lane.worker.close()
        failure = await failure_of(asking)

    assert (failure.code, failure.is_temporary) == (ErrorCode.RUNTIME_CLOSING, True)
    assert short.closed and lane.short_processes == ["spawned", "ended"]


async def test_a_short_session_is_closed_beside_the_turn_and_not_after_it(live_room, clock):
    at_work, short = ScriptedSession(), HeldSession()
    at_work.say(Started(), TextDelta("half"))
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    async with LaneStage(live_room, "builder", at_work, jobs_driver=ScriptedDriver(short)) as lane:
        await lane.status_of(turn_id, "running")
        asking = await begun(short)
        lane.worker.close()
        async with asyncio.timeout(WAIT_SECONDS):
            await short.closes.wait()
        assert not at_work.closed, "its turn has not ended"
        at_work.say(Cancelled())
        await lane.status_of(turn_id, "interrupted")
        short.may_close.set()
        await failure_of(asking)

    assert at_work.closed and short.closed


async def test_a_restart_ends_the_short_session_and_later_jobs_are_done(live_room):
    short = ScriptedSession("short")
    driver = ScriptedDriver(short, answering("later"))
    async with LaneStage(live_room, "builder", ScriptedSession(), ScriptedSession(), jobs_driver=driver) as lane:
        await until_ready(lane)
        asking = await begun(short)
        command = Command(client_command_id=given.command_id())
        await in_db(restart, "agent:builder", command, caller=web_caller(), clock=SystemClock())
        assert (await failure_of(asking)).code is ErrorCode.AGENT_RESTARTED
        assert await ask("something else") == "later"


async def test_a_cancelled_asker_withdraws_what_nobody_has_taken(live_room):
    waiting = asyncio.create_task(ask())
    await until(AgentJob.objects.exists)
    await in_db(AgentJob.objects.count)  # behind the asker's own: it has been told of its job by then
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    assert (await in_reader(AgentJob.objects.get)).status == "failed"


async def test_what_a_cancelled_asker_had_begun_is_there_for_who_asks_again(live_room):
    short = ScriptedSession("short")
    async with LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=ScriptedDriver(short)) as lane:
        await until_ready(lane)
        asking = await begun(short)
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        again = asyncio.create_task(ask())
        short.answer("there")
        assert await again == "there"

    assert len(short.prompts) == 1


async def test_a_job_is_withdrawn_when_no_lane_takes_it_in_time(live_room, clock):
    asking = asyncio.create_task(ask_agent("agent:builder", "?", asked_by="test", is_good=bool, clock=clock))
    async with asyncio.timeout(WAIT_SECONDS):
        while not asking.done():
            await asyncio.wait({asking, asyncio.create_task(clock.until_asleep())}, return_when="FIRST_COMPLETED")
            await clock.advance(1)
    failure = await failure_of(asking)

    assert (failure.code, failure.message) == (ErrorCode.SESSION_NOT_AVAILABLE, "Builder did not take it.")
    assert failure.is_temporary and 15 <= clock.monotonic() - 1000 < 20
