"""What an agent is asked outside its turns (docs/jobs.md): a short session beside its lane. Our contract."""

import asyncio

import pytest

from adapters.contract import Completed, Failed, Started, TextDelta
from groupx.kernel.clock import SystemClock
from groupx.kernel.errors import ErrorCode
from rooms.models import AgentInstance, Event, SessionBinding
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from tests.turns.stage import WAIT_SECONDS, LaneStage
from turns.agent_jobs import ask_agent
from turns.job_ends import JobFailed
from turns.models import AgentJob, Lane

pytestmark = pytest.mark.django_db(transaction=True)


async def ask(prompt="Sum it up.", agent="agent:builder"):
    async with asyncio.timeout(WAIT_SECONDS):
        return await ask_agent(agent, prompt, asked_by="test", longest_answer=1000, clock=SystemClock())


def saying(*events):
    session = ScriptedSession("short")
    session.say(*events)
    return session


def answering(text):
    return saying(Started(), TextDelta(text), Completed(text))


async def until_ready(lane):
    await lane.until(lambda: Lane.objects.filter(status="ready").exists())


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
