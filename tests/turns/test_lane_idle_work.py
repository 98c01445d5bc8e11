"""What jobs use counts in their agent's day, and what an idle lane does of itself (docs/jobs.md)."""

import asyncio

import pytest

from adapters.contract import (
    Completed,
    Started,
    TextDelta,
    UsageReported,
)
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import SpendLimit
from groupx.kernel.days import LocalDays
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from tests.turns.jobs_in_a_lane import (
    answering,
    ask,
    failure_of,
    saying,
    until_ready,
)
from tests.turns.stage import WAIT_SECONDS, LaneStage
from turns.models import AgentJob, Lane, Turn
from turns.pauses import Budget
from turns.queries.usage import usage_by_day
from turns.requests import UsageQuery

pytestmark = pytest.mark.django_db(transaction=True)


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
