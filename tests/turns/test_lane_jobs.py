"""What an agent is asked outside its turns (docs/jobs.md): a short session beside its lane. Our contract."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from adapters.contract import (
    AgentSpec,
    Cancelled,
    Completed,
    Failed,
    Started,
    TextDelta,
    ToolEvent,
    ToolPhase,
    ToolStatus,
    UsageReported,
)
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import SpendLimit, Timeouts
from groupx.kernel.days import LocalDays
from groupx.kernel.errors import ErrorCode
from rooms.caller import web_caller
from rooms.models import AgentInstance, Event, SessionBinding
from rooms.requests import Command
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from tests.turns.stage import WAIT_SECONDS, LaneStage
from turns.agent_jobs import ask_agent
from turns.commands import restart
from turns.job_ends import JobFailed
from turns.models import AgentJob, Lane, Turn
from turns.pauses import Budget
from turns.queries.usage import usage_by_day
from turns.requests import UsageQuery
from turns.short_session import ShortSession

pytestmark = pytest.mark.django_db(transaction=True)

A_TOOL_THAT_STAYS_OPEN = ToolEvent(phase=ToolPhase.STARTED, tool_call_id="t", name="look", status=ToolStatus.RUNNING)


def short_session(driver, clock):
    return ShortSession(
        spec=AgentSpec(agent_id="builder", driver="scripted", argv=("scripted",), cwd=Path("/tmp")),
        driver=driver,
        timeouts=Timeouts(),
        process_spawned=lambda process: None,
        process_ended=lambda: None,
        clock=clock,
    )


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


# ---------------------------------------------------------------- stops
class HeldSession(ScriptedSession):
    """Its process takes until it is let go to close."""

    def __init__(self):
        super().__init__("short")
        self.closes, self.may_close = asyncio.Event(), asyncio.Event()

    async def close(self):
        self.closes.set()
        await self.may_close.wait()
        return await super().close()


async def begun(short, prompt="Sum it up."):
    """Somebody who waits for an answer that does not come yet."""
    asking = asyncio.create_task(ask(prompt))
    async with asyncio.timeout(WAIT_SECONDS):
        await short.prompted.wait()
    return asking


async def failure_of(asking):
    with pytest.raises(JobFailed) as failed:
        await asking
    return failed.value


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
    async with asyncio.timeout(WAIT_SECONDS):
        while not await in_reader(AgentJob.objects.exists):
            await asyncio.wait({waiting}, timeout=0.01)
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
    asking = asyncio.create_task(ask_agent("agent:builder", "?", asked_by="test", longest_answer=9, clock=clock))
    async with asyncio.timeout(WAIT_SECONDS):
        while not asking.done():
            await asyncio.wait({asking, asyncio.create_task(clock.until_asleep())}, return_when="FIRST_COMPLETED")
            await clock.advance(1)
    failure = await failure_of(asking)

    assert (failure.code, failure.message) == (ErrorCode.SESSION_NOT_AVAILABLE, "Builder did not take it.")
    assert failure.is_temporary and 15 <= clock.monotonic() - 1000 < 20


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


# ---------------------------------------------------------------- use
async def test_what_jobs_use_counts_in_the_agents_day_and_pauses_it(live_room):
    short = saying(Started(), UsageReported(total_tokens=100, cost_usd=0.5), Completed("Done."))
    budget = Budget(limit=SpendLimit(tokens_per_day=100), days=LocalDays())
    stage = LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=ScriptedDriver(short), budget=budget)
    async with stage as lane:
        await until_ready(lane)
        assert await ask() == "Done."
        await lane.until(lambda: Lane.objects.filter(status="paused", pause_kind="spend_limit").exists())
        assert "pauses" in (await failure_of(asyncio.create_task(ask("more")))).message

    today = SystemClock().now().astimezone().date()
    usage = await in_reader(usage_by_day, UsageQuery(days=2), LocalDays(), today)
    assert [(of["actorId"], of["turns"], of["totalTokens"], of["costUsd"]) for of in usage["items"]] == [
        ("agent:builder", 0, 100, 0.5)
    ]
    assert usage["totals"]["inputTokens"] is None


# ---------------------------------------------------------------- an idle lane's own work
async def test_an_idle_lane_does_its_own_work_and_may_ask_its_agent(live_room):
    answers, was_asked_again = [], asyncio.Event()

    async def work(ask_self):
        if answers:
            was_asked_again.set()
            return False
        answers.append(await ask_self("What was today?"))
        return True

    driver = ScriptedDriver(answering("Much."))
    async with LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=driver, idle_work=work):
        async with asyncio.timeout(WAIT_SECONDS):
            await was_asked_again.wait()

    assert answers == ["Much."]
    assert (await in_reader(AgentJob.objects.get)).kind == "rollup"


async def test_a_lane_with_a_turn_is_not_idle(live_room, clock):
    worked = asyncio.Event()

    async def work(ask_self):
        assert not await in_reader(
            lambda: Turn.objects.filter(status__in=["queued", "dispatching", "running"]).exists()
        )
        worked.set()
        return False

    session = ScriptedSession()
    session.say(Started(), TextDelta("half"))
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    async with LaneStage(
        live_room, "builder", session, jobs_driver=ScriptedDriver(answering("a")), idle_work=work
    ) as lane:
        await lane.status_of(turn_id, "running")
        await ask()  # makes the lane look for more to do
        assert not worked.is_set()
        session.say(Completed("whole"))
        await lane.status_of(turn_id, "completed")
        async with asyncio.timeout(WAIT_SECONDS):
            await worked.wait()


async def test_own_work_that_breaks_ends_neither_the_lane_nor_its_jobs(live_room):
    broke = asyncio.Event()

    async def work(ask_self):
        broke.set()
        raise RuntimeError("a fault of ours")

    driver = ScriptedDriver(answering("yes"))
    async with LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=driver, idle_work=work) as lane:
        await until_ready(lane)
        async with asyncio.timeout(WAIT_SECONDS):
            await broke.wait()
        assert await ask() == "yes"


async def test_own_work_under_way_ends_with_its_lane(live_room):
    short = ScriptedSession("short")

    async def work(ask_self):
        return bool(await ask_self("What was today?"))

    driver = ScriptedDriver(short)
    async with LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=driver, idle_work=work):
        async with asyncio.timeout(WAIT_SECONDS):
            await short.prompted.wait()

    assert short.closed
    assert (await in_reader(AgentJob.objects.get)).error_code == "RUNTIME_CLOSING"
