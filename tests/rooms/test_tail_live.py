"""Live events on the shared stream: late and slow clients, and the end of a turn. docs/protocol.md, "Events"."""

import pytest

from groupx.kernel.config import GroupXConfig
from rooms.bodies import TurnCompleted
from rooms.envelope import ActorRef
from rooms.live_turn import DeltaKind, LiveTurn, Spoken
from rooms.transactions import in_db
from tests.fakes.clock import FakeClock
from tests.rooms.log_events import append, events_of, messages
from tests.rooms.running_tail import caught_up, follow, read_through, running_tail

pytestmark = pytest.mark.django_db(transaction=True)

AGENT = ActorRef(actor_id="agent:builder", display_name="Builder")
TURN = LiveTurn(turn_id="turn_1", actor=AGENT, correlation_id="corr_1", root_correlation_id="corr_1")


async def test_a_slow_client_gets_the_deltas_it_missed_as_one(live_room: GroupXConfig, clock: FakeClock):
    async with running_tail(clock, sse_events=8) as tail:
        client = await follow(tail)
        await in_db(append, *messages(1), clock=clock)
        await read_through(client, 1)
        tail.live.begin(TURN)
        tail.live.delta("turn_1", DeltaKind.CONTENT, 0, "a")
        raw = await client.next_chunk() or b""
        for index in range(1, 30):
            tail.live.delta("turn_1", DeltaKind.CONTENT, index, f"[{index}]")
        raw += await client.next_chunk() or b""
        tail.live.delta("turn_1", DeltaKind.CONTENT, 30, "z")
        raw += await client.next_chunk() or b""

    bodies = [event["body"] for event in events_of(raw)]
    assert "".join(body["text"] for body in bodies) == "a" + "".join(f"[{i}]" for i in range(1, 30)) + "z"
    assert [body["chunkIndex"] for body in bodies] == [0, 29, 30]
    assert not any("replace" in body for body in bodies)


async def test_a_client_that_comes_in_mid_turn_first_gets_the_text_so_far(live_room: GroupXConfig, clock: FakeClock):
    await in_db(append, *messages(2), clock=clock)
    async with running_tail(clock) as tail:
        await follow(tail)
        tail.live.begin(TURN, Spoken(text="so ", next_chunk=1))
        tail.live.delta("turn_1", DeltaKind.CONTENT, 1, "far")
        client = await follow(tail)
        raw = await read_through(client, 2)
        tail.live.delta("turn_1", DeltaKind.CONTENT, 2, "!")
        raw += await client.next_chunk() or b""

    deltas = [event["body"] for event in events_of(raw) if event["seq"] is None]
    assert [(body["text"], body.get("replace", False)) for body in deltas] == [("so far", True), ("!", False)]
    assert [event["seq"] for event in events_of(raw)] == [1, 2, None, None]


async def test_a_replay_holds_no_live_event_of_the_past(live_room: GroupXConfig, clock: FakeClock):
    async with running_tail(clock) as tail:
        await follow(tail)
        tail.live.begin(TURN)
        tail.live.delta("turn_1", DeltaKind.CONTENT, 0, "gone")
        await in_db(append, TurnCompleted(turn_id="turn_1", target_actor_id="agent:builder"), clock=clock)
        await caught_up(tail, 1)

        raw = await read_through(await follow(tail), 1)

    assert [event["type"] for event in events_of(raw)] == ["turn.completed"]


async def test_no_delta_follows_the_terminal_event_of_its_turn(live_room: GroupXConfig, clock: FakeClock):
    async with running_tail(clock) as tail:
        client = await follow(tail)
        await in_db(append, *messages(1), clock=clock)
        raw = await read_through(client, 1)
        tail.live.begin(TURN)
        tail.live.delta("turn_1", DeltaKind.CONTENT, 0, "text")
        await in_db(append, TurnCompleted(turn_id="turn_1", target_actor_id="agent:builder"), clock=clock)
        await caught_up(tail, 2)
        tail.live.delta("turn_1", DeltaKind.CONTENT, 1, "late")
        await in_db(append, *messages(1), clock=clock)
        raw += await read_through(client, 3)

    assert [event["type"] for event in events_of(raw)][1:3] == ["turn.content.delta", "turn.completed"]
    assert "late" not in raw.decode()
