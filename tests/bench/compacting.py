"""A room that has to be summed up before a turn: how long that takes, what others feel of it, how it is afterwards."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator

from tests.bench.figures import Row, Sample, row
from tests.bench.filled_rooms import run_beside
from tests.bench.load_client import NS_PER_MS, Connection, connections, get, ping, post, streams
from tests.bench.rooms import BUSY, FAST, Rooms
from tests.bench.sizes import Size
from tests.bench.turn_watch import COMPACTED, TurnWatch
from tests.running_room import RunningRoom, do

SUMMARY = "[room_checkpoint_summary]"
AGENTS = FAST[:4]
PINGS_BETWEEN = 5


async def compacting(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """The first agent's turn has the room summed up; the others are given the summary."""
    room = rooms.made("backlog", BUSY, *AGENTS, contextCharacters=size.backlog_context_characters)
    filled = (str(size.backlog_messages), "0")
    await asyncio.to_thread(run_beside, room.folder / "groupx.json", "tests.bench.fill_messages", *filled)
    await rooms.start(room)
    watch, accepted, bare = TurnWatch(), Sample(), Sample()
    async with connections(room.port, 2) as (connection, beside):
        cursor = (await get(connection, "/api/bootstrap"))["cursor"]
        async with streams(room.port, [watch.take], cursor):
            first = asyncio.create_task(_prompted(room, connection, watch, AGENTS[0]))
            while not first.done():
                bare.took_ms += [await ping(beside) for _ in range(PINGS_BETWEEN)]
                if len(accepted.took_ms) < size.posts * size.rounds:  # more would have to be summed up themselves
                    accepted.took_ms.append((await post(beside, do("wait"), BUSY))[1])
            after = Sample(took_ms=[await _prompted(room, connection, watch, agent) for agent in AGENTS[1:]])
    yield Row(
        name=f"POST to prompt, {size.backlog_messages:,} summed up before",
        p50=await first,
        note="once; the scripted writer answers at once, each part is a session with a process of its own",
        faults=() if set(watch.compactions) == {COMPACTED[0]} else (f"compactions ended with {watch.compactions}",),
    )
    yield row("accept while the room is summed up", accepted, bare)
    yield row("POST to the first prompts after it was", after)


async def _prompted(room: RunningRoom, connection: Connection, watch: TurnWatch, agent: str) -> float:
    """Milliseconds from the POST to the prompt, which has to have the summary."""
    nonce, sent_at = uuid.uuid4().hex, time.monotonic_ns()
    answer, _ = await post(connection, do("first", n=nonce), agent)
    turn_id = answer["turns"][0]["turnId"]
    await watch.completed(turn_id)
    (prompt,) = await asyncio.to_thread(room.prompts, agent, nonce)
    assert SUMMARY in (await get(connection, f"/api/turns/{turn_id}/packet"))["text"]
    return float((prompt["at_ns"] - sent_at) / NS_PER_MS)
