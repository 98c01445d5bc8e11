"""A lane while the database cannot answer (docs/operations.md, "What happens when …"). Our contract.

Another connection holds SQLite's write lock for longer than the lane's connections wait for it.
"""

import asyncio
from collections.abc import Iterator

import pytest

from adapters.contract import Completed, Started, TextDelta
from groupx.kernel.errors import ErrorCode
from rooms.models import Event
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from tests.locked_database import locked_database, short_patience
from tests.turns.jobs_in_a_lane import begun, failure_of, until_ready
from tests.turns.stage import WAIT_SECONDS, LaneStage
from turns import lane_store
from turns.actions.recover_turns import take_lane
from turns.models import Lane, Turn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nobody_waits_long(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(lane_store, "RETRY_SECONDS", 0.02)
    with short_patience():
        yield


async def has_failed(lane: LaneStage) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        await lane.store_failed.wait()


async def test_a_lane_that_starts_meanwhile_waits_and_then_does_its_work(live_room, clock):
    session = ScriptedSession()
    session.answer("late, but here")
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    with locked_database():
        lane = LaneStage(live_room, "builder", session)
        await lane.__aenter__()
        await has_failed(lane)

    await lane.status_of(turn_id, "completed")

    await lane.__aexit__()
    assert len(session.prompts) == 1


async def test_an_answer_that_is_finished_meanwhile_is_kept_and_the_prompt_not_sent_again(live_room, clock):
    session = ScriptedSession()
    session.say(Started(), TextDelta("all "))
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    async with LaneStage(live_room, "builder", session) as lane:
        await lane.status_of(turn_id, "running")
        with locked_database():
            session.say(TextDelta("of it"), Completed("all of it"))
            await has_failed(lane)

        await lane.status_of(turn_id, "completed")

    answers = await in_reader(lambda: list(Event.objects.filter(type="message.created", actor_id="agent:builder")))
    assert [answer.body["content"] for answer in answers] == ["all of it"]
    assert len(session.prompts) == 1


async def test_a_first_word_that_comes_meanwhile_starts_the_turn_afterwards(live_room, clock):
    session = ScriptedSession()
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    async with LaneStage(live_room, "builder", session) as lane:
        async with asyncio.timeout(WAIT_SECONDS):
            await session.prompted.wait()
        with locked_database():
            session.say(Started(), TextDelta("hm"))
            await has_failed(lane)
            assert (await in_reader(lambda: Turn.objects.get(turn_id=turn_id))).status == "dispatching"

        await lane.status_of(turn_id, "running")
        session.answer("hm, yes")
        await lane.status_of(turn_id, "completed")


async def test_an_agent_that_dies_meanwhile_is_started_again(live_room, clock):
    first, second = ScriptedSession(), ScriptedSession()
    second.answer("back")
    async with LaneStage(live_room, "builder", first, second) as lane:
        await lane.until(lambda: Lane.objects.filter(status="ready").exists())
        with locked_database():
            first.die()
            await has_failed(lane)

        turn_id = await in_db(given.queued_turn, "builder", clock=clock)
        await lane.status_of(turn_id, "completed")


async def test_a_lane_that_is_to_close_meanwhile_ends_and_its_successor_runs_the_turn(live_room, clock):
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    with locked_database():
        lane = LaneStage(live_room, "builder", ScriptedSession())
        await lane.__aenter__()
        await has_failed(lane)
        await lane.__aexit__()
        assert lane.task.done()

    session = ScriptedSession()
    session.answer("now")
    async with LaneStage(live_room, "builder", session) as successor:
        await successor.status_of(turn_id, "completed")
    assert len(session.prompts) == 1


async def test_a_lane_that_is_to_close_still_writes_the_end_of_its_turn(live_room, clock):
    session = ScriptedSession()
    session.say(Started())
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    async with LaneStage(live_room, "builder", session) as lane:
        await lane.status_of(turn_id, "running")
        with locked_database():
            session.say(Completed("done in time"))
            await has_failed(lane)
            lane.worker.close()
            lane.store_failed.clear()
            await has_failed(lane)
        await lane.status_of(turn_id, "completed")


async def test_the_answer_of_a_job_is_kept_too_and_its_agent_not_asked_again(live_room):
    short = ScriptedSession("short")
    stage = LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=ScriptedDriver(short))
    async with stage as lane:
        await until_ready(lane)
        asking = await begun(short)
        with locked_database():
            short.answer("All is well.")
            await has_failed(lane)

        assert await asking == "All is well."

    assert len(short.prompts) == 1


async def test_a_lane_that_closes_meanwhile_leaves_its_job_to_the_next_worker(live_room, clock):
    short = ScriptedSession("short")
    lane = LaneStage(live_room, "builder", ScriptedSession(), jobs_driver=ScriptedDriver(short))
    await lane.__aenter__()
    await until_ready(lane)
    asking = await begun(short)
    with locked_database():
        await lane.__aexit__()
    assert short.closed

    await in_db(take_lane, "agent:builder", "next", 2, clock=clock)
    assert (await failure_of(asking)).code is ErrorCode.TURN_INTERRUPTED
