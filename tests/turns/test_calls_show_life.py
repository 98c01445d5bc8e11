"""A call to one of the room's tools is a sign of life of its turn (docs/turns.md, "Limits of a running turn").

Its agent's CLI may say nothing of it, so the server tells the lane. Our contract.
"""

import asyncio

import pytest

from adapters.contract import Completed, Failed, Started
from groupx.kernel.errors import ErrorCode
from rooms.announcements import LaneAction, LaneSignal, listen
from rooms.transactions import in_db
from tests import given
from tests.fakes.adapter import ScriptedSession
from tests.fakes.clock import settle
from tests.turns.native_turn_stage import NativeTurnStage
from tests.turns.stage import WAIT_SECONDS, LaneStage
from tests.turns.test_tool_waits import WaitingTool
from tests.turns.tool_clients import AgentAtWork, room_of_tools, tools_for
from turns.lane_link import ToolCalls
from turns.queries.members import member_of
from turns.tools.member_desk import MemberDesk
from turns.tools.server import session_manager

in_database = pytest.mark.django_db(transaction=True)


# ---------------------------------------------------------------- the running turn
def one_call(stage: NativeTurnStage) -> None:
    stage.control.tell_calls("turn_1", 1)
    stage.control.tell_calls("turn_1", 0)


async def test_each_call_begins_the_silence_anew(stage, clock):
    stage.session.say(Started())
    for _ in range(5):
        await clock.advance(90)
        one_call(stage)
    await clock.advance(99)
    assert not stage.task.done()

    await clock.advance(1)
    assert (await stage.outcome()).error_code is ErrorCode.TURN_IDLE_TIMEOUT


async def test_a_call_proves_that_the_agent_has_its_prompt(stage, clock):
    await clock.advance(59)
    one_call(stage)
    await clock.advance(59)

    assert stage.starts == [None]
    assert not stage.task.done()
    stage.session.say(Started("n1"), Completed("done"))
    assert (await stage.outcome()).text == "done"
    assert stage.starts == [None]


async def test_an_agent_that_dies_after_its_calls_without_a_frame_had_its_prompt(stage):
    one_call(stage)
    await settle()
    stage.session.say(Failed(code=ErrorCode.NATIVE_EXITED, message="The process ended."))

    assert (await stage.outcome()).error_code is ErrorCode.NATIVE_EXITED
    assert stage.starts == [None]


async def test_while_a_call_waits_silence_has_no_limit_and_is_not_told(stage, clock):
    stage.control.tell_calls("turn_1", 2)
    await clock.advance(300)
    stage.control.tell_calls("turn_1", 1)
    await clock.advance(300)
    assert not stage.task.done()
    assert stage.beats == []

    stage.control.tell_calls("turn_1", 0)
    await clock.advance(100)
    assert (await stage.outcome()).error_code is ErrorCode.TURN_IDLE_TIMEOUT


async def test_calls_make_no_turn_longer_than_the_total_limit(stage, clock):
    stage.control.tell_calls("turn_1", 1)
    await clock.advance(1_000)

    assert (await stage.outcome()).error_code is ErrorCode.TURN_TIME_LIMIT


async def test_the_words_of_a_quiet_agent_go_with_its_call_and_come_back_once_it_is_quiet_again(stage, clock):
    stage.session.say(Started())
    await clock.advance(31)
    one_call(stage)
    await settle()
    one_call(stage)
    await clock.advance(15)

    assert stage.beats == [15, 30, 0, 15]


async def test_writing_down_the_start_that_a_call_has_shown_is_not_the_agents_silence(stage, clock):
    stage.store_answers.clear()
    one_call(stage)
    await settle()
    clock.tick(500)
    stage.store_answers.set()
    await settle()
    await clock.advance(99)

    assert not stage.task.done()


async def test_calls_of_another_turn_keep_nobody_alive(stage, clock):
    stage.control.tell_calls("turn_0", 1)
    await clock.advance(60)

    assert (await stage.outcome()).error_code is ErrorCode.TURN_FIRST_EVENT_TIMEOUT


# ---------------------------------------------------------------- the lane
@in_database
async def test_a_turn_whose_agent_only_calls_tools_is_told_as_started(live_room, clock):
    session = ScriptedSession()
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)

    async with LaneStage(live_room, "builder", session) as lane:
        async with asyncio.timeout(WAIT_SECONDS):
            await session.prompted.wait()
        lane.link.signals.put_nowait(ToolCalls("turn_of_before", 1))
        lane.link.signals.put_nowait(ToolCalls(turn_id, 1))
        await lane.status_of(turn_id, "running")
        session.answer("done")
        await lane.status_of(turn_id, "completed")

    assert lane.control.news_of_calls("turn_of_before") is None


# ---------------------------------------------------------------- the server
@pytest.fixture
def told():
    """The signals of calls, as lanes are sent them."""
    heard: list[LaneSignal] = []

    def hear(announcement):
        if isinstance(announcement, LaneSignal) and announcement.action is LaneAction.CALLS:
            heard.append(announcement)

    end_listening = listen(hear)
    yield heard
    end_listening()


@in_database
async def test_the_lane_is_told_of_each_call_at_its_begin_and_its_end(live_room, clock, told):
    await in_db(given.running_turn, "builder", clock=clock)
    turn_id = (await in_db(member_of, given.last_handle())).turn.turn_id
    async with room_of_tools(clock) as room:
        manager = session_manager(MemberDesk(room))
        async with manager.run():
            agent = AgentAtWork(manager.handle_request, given.last_handle())
            await agent.answer("publish", content="x", clientCommandId="1")
            await agent.refusal("publish", nonsense=True)

    assert {(signal.actor_id, signal.turn_id) for signal in told} == {("agent:builder", turn_id)}
    assert [signal.open_calls for signal in told] == [1, 0, 1, 0]


@in_database
async def test_calls_side_by_side_are_counted_until_the_last_has_ended_or_was_given_up(live_room, clock, told):
    await in_db(given.running_turn, "builder", clock=clock)
    first, second = WaitingTool(), WaitingTool()
    async with room_of_tools(clock) as room:
        manager = session_manager(MemberDesk(room, [first.tool, second.named("wait_too")]))
        async with (
            asyncio.timeout(WAIT_SECONDS),
            manager.run(),
            tools_for(manager.handle_request, given.last_handle()) as client,
        ):
            calls = [asyncio.create_task(client.call_tool(name, {})) for name in ("wait", "wait_too")]
            await first.began.wait()
            await second.began.wait()
            first.happen.set()
            await calls[0]
            calls[1].cancel()
            await second.cancelled.wait()
            await asyncio.gather(*calls, return_exceptions=True)
        assert [signal.open_calls for signal in told] == [1, 2, 1, 0]


@in_database
async def test_between_turns_there_is_no_turn_to_tell_of(live_room, clock, told):
    await in_db(given.completed_turn, "builder", clock=clock)
    async with room_of_tools(clock) as room:
        manager = session_manager(MemberDesk(room))
        async with manager.run():
            await AgentAtWork(manager.handle_request, given.last_handle()).refusal("read")

    assert told == []
