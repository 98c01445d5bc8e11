"""Both ends of a lane's WebSocket, joined over a real socket. Source: docs/turns.md, "Lanes". Our contract."""

import asyncio

import pytest

from rooms.announcements import LaneAction, LaneSignal
from rooms.bodies import ToolProgress
from rooms.envelope import ActorRef
from rooms.live_turn import LiveTurn
from tests.turns.joined_lane import SECRET, Lanes, NotingClock, joined
from turns.consumers import tell_lane
from turns.lane_frames import SECRET_HEADER
from turns.lane_link import CancelTurn, LaneLink, Orders, ToolCalls, Wake

AGENT = ActorRef(actor_id="agent:builder", display_name="Builder", instance_id="inst_1")
TURN = LiveTurn(turn_id="turn_1", actor=AGENT, correlation_id="corr_1", root_correlation_id="corr_1")


@pytest.fixture
def clock() -> NotingClock:
    return NotingClock()


def said(events: list[dict]) -> list[tuple]:
    return [(e["body"]["chunkIndex"], e["body"]["text"]) for e in events if e["type"] == "turn.content.delta"]


async def test_deltas_reach_the_readers_in_order_and_before_the_flush_is_answered(clock: NotingClock):
    async with joined(clock) as (link, lanes):
        await link.connected.wait()
        link.begin_turn(TURN)
        link.reasoning("turn_1", "hm")
        link.content("turn_1", "one ")
        assert await link.flush("turn_1", 5)
        link.content("turn_1", "two")
        assert await link.flush("turn_1", 5)
        events = lanes.told()

    assert [event["type"] for event in events] == [
        "turn.reasoning.delta",
        "turn.content.delta",
        "turn.content.delta",
    ]
    assert said(events) == [(0, "one "), (1, "two")]
    assert events[0]["actor"] == AGENT.wire()


async def test_what_comes_while_a_delta_waits_is_merged_into_it(clock: NotingClock):
    async with joined(clock) as (link, lanes):
        await link.connected.wait()
        link.begin_turn(TURN)
        for number in range(2_000):
            link.content("turn_1", f"<{number}>")
        assert await link.flush("turn_1", 5)

    assert said(lanes.told()) == [(0, "".join(f"<{number}>" for number in range(2_000)))]


async def test_a_tool_event_keeps_its_place_among_merged_deltas(clock: NotingClock):
    tool = ToolProgress(turn_id="turn_1", native_type="tool.started", tool_call_id="c", name="sh", status="running")
    async with joined(clock) as (link, lanes):
        await link.connected.wait()
        link.begin_turn(TURN)
        link.content("turn_1", "be")
        link.content("turn_1", "fore")
        link.transient(tool, actor=AGENT, correlation_id="corr_1")
        link.content("turn_1", "after")
        assert await link.flush("turn_1", 5)

    events = lanes.told()
    assert [event["body"].get("text", event["type"]) for event in events] == ["before", "tool.progress", "after"]


async def test_a_server_that_comes_anew_hears_when_a_tool_was_used_not_when_it_was_told(clock: NotingClock):
    async with joined(clock) as (link, lanes):
        await link.connected.wait()
        link.begin_turn(TURN)
        for native_type, status in (("tool.started", "running"), ("tool.completed", "completed")):
            call = {"tool_call_id": "c", "name": "sh", "native_type": native_type, "status": status}
            link.transient(ToolProgress(turn_id="turn_1", **call), actor=AGENT, correlation_id="corr_1")
            await clock.advance(3)
        assert await link.flush("turn_1", 5)
        clock.slept.clear()
        for connection in set(lanes.connections):
            await connection.close()
        await clock.slept.wait()
        await clock.advance(90)
        await link.connected.wait()
        assert await link.flush("turn_1", 5)

    assert [event["occurredAt"][-9:] for event in lanes.told()] == ["1:03.000Z", "1:06.000Z"] * 2


async def test_an_ended_turn_says_nothing_more(clock: NotingClock):
    async with joined(clock) as (link, lanes):
        await link.connected.wait()
        link.begin_turn(TURN)
        link.content("turn_1", "text")
        link.end_turn("turn_1")
        link.content("turn_1", "late")
        assert await link.flush("turn_1", 5)

    assert said(lanes.told()) == [(0, "text")]
    assert lanes.tail.live.so_far() == []


async def test_text_said_without_a_connection_comes_with_the_next_one(clock: NotingClock):
    async with joined(clock) as (link, lanes):
        await link.connected.wait()
        link.begin_turn(TURN)
        link.content("turn_1", "one ")
        assert await link.flush("turn_1", 5)
        for connection in set(lanes.connections):
            await connection.close()
        await clock.slept.wait()
        link.content("turn_1", "two ")
        assert not await link.flush("turn_1", 5)
        await clock.advance(1)
        await link.connected.wait()
        link.content("turn_1", "three")
        assert await link.flush("turn_1", 5)

    assert said(lanes.told()) == [(0, "one "), (1, "two "), (2, "three")]


async def test_a_server_that_was_away_is_found_again_and_hears_the_whole_turn(clock: NotingClock):
    lanes = Lanes(clock)
    await lanes.open()
    await lanes.close()
    link = LaneLink(lanes.url, SECRET, "builder", clock)
    link.begin_turn(TURN)
    link.content("turn_1", "said to nobody")
    running = asyncio.create_task(link.run())
    async with asyncio.timeout(10):
        await clock.slept.wait()
        await lanes.open()
        await clock.advance(1)
        await link.connected.wait()
        assert await link.flush("turn_1", 5)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await lanes.close()

    (event,) = lanes.told()
    assert (event["body"]["text"], event["body"]["replace"]) == ("said to nobody", True)


async def test_the_lane_hears_wakes_cancels_restarts_and_calls(clock: NotingClock):
    async with joined(clock) as (link, _):
        await link.connected.wait()
        link.hello("inst_1")
        assert await link.flush("any", 5)  # the server has heard of this lane
        for action, turn_id in ((LaneAction.WAKE, None), (LaneAction.CANCEL, "turn_1"), (LaneAction.ORDERS, None)):
            await tell_lane(LaneSignal("agent:builder", action, turn_id))
        await tell_lane(LaneSignal("agent:builder", LaneAction.CALLS, "turn_1", open_calls=2))
        await tell_lane(LaneSignal("agent:builder", LaneAction.CALLS, "turn_1"))
        await tell_lane(LaneSignal("agent:other", LaneAction.WAKE))
        heard = [await link.signals.get() for _ in range(5)]

    assert heard == [Wake(), CancelTurn("turn_1"), Orders(), ToolCalls("turn_1", 2), ToolCalls("turn_1", 0)]


async def test_what_one_lane_asks_of_an_agent_reaches_that_agents_lane_at_once(clock: NotingClock):
    async with joined(clock) as (link, _lanes):
        await link.connected.wait()
        assert await link.flush("any", 5)
        link.asked("agent:other")
        link.asked("agent:builder")
        assert await link.signals.get() == Orders()
        assert await link.flush("any", 5)
        assert link.signals.empty()


async def test_calls_under_way_have_ended_for_the_lane_when_its_connection_breaks(clock: NotingClock):
    async with joined(clock) as (link, lanes):
        await link.connected.wait()
        assert await link.flush("any", 5)
        await tell_lane(LaneSignal("agent:builder", LaneAction.CALLS, "turn_1", open_calls=1))
        assert await link.signals.get() == ToolCalls("turn_1", 1)
        for connection in set(lanes.connections):
            await connection.close()

        assert await link.signals.get() == ToolCalls("turn_1", 0)
        await clock.slept.wait()
        assert link.signals.empty()


async def test_a_lane_without_the_runs_secret_is_sent_away(clock: NotingClock):
    async with joined(clock, secret="a guess") as (link, lanes):
        await clock.slept.wait()
        assert not link.connected.is_set()
        link.begin_turn(TURN)
        link.content("turn_1", "x")

    assert lanes.told() == []
    assert lanes.cards == []


async def test_what_a_lane_notices_reaches_the_server(clock: NotingClock):
    async with joined(clock) as (link, lanes):
        await link.connected.wait()
        link.status()
        link.committed(7)
        link.store_failed("database is locked")
        assert await link.flush("any", 5)

    assert lanes.store_failures == ["database is locked"]
    assert lanes.cards == ["agent:builder", "agent:builder"]  # hello and status
    assert lanes.tail._hint.is_set()


async def test_nothing_that_the_lane_tells_raises_without_a_connection(clock: NotingClock):
    link = LaneLink("ws://127.0.0.1:9/", SECRET, "builder", clock)
    link.hello("inst_1")
    link.begin_turn(TURN)
    link.content("turn_1", "half a pair \ud800")
    link.reasoning("unknown", "x")
    link.status()
    link.committed(1)
    link.end_turn("turn_1")
    assert not await link.flush("turn_1")


def test_the_secret_is_in_no_url_and_the_header_has_its_documented_name():
    assert SECRET_HEADER == "X-GroupX-Lane"
