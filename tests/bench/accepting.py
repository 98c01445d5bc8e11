"""POST /api/messages: how long until a message is taken, alone and while agents work; and how many turns run."""

import asyncio
from collections.abc import AsyncIterator

from tests.bench import load_client
from tests.bench.figures import Aim, Row, Sample, row
from tests.bench.load_client import Connection, connections, ping, post, spread, streams
from tests.bench.rooms import BUSY, FAST, Measured, Rooms, Spending
from tests.bench.sizes import Size
from tests.bench.turn_watch import TurnWatch
from tests.running_room import RunningRoom, do

TEXT = "x" * 200
MOST_AT_ONCE = 4
"""A round sends at most this many times the posts of one connection, however many there are."""
AIMS = {
    1: (Aim(figure="p50", at_most=2.0),),
    8: (),
    32: (Aim(figure="p50", at_most=60.0), Aim(figure="per_second", at_least=435.0)),
}


async def accepting(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    room = await rooms.shared()
    spending = Spending(room)
    await hold_busy_agent(room)
    cancelled = Sample()
    for count in size.connections:
        async with connections(room.port, count) as opened:
            bare, taken = Sample(), Sample()
            posts = size.posts * min(count, MOST_AT_ONCE)
            for _ in range(size.rounds):
                with Measured(bare, spending):
                    bare.took_ms += await spread(opened, posts, lambda connection, _: ping(connection))
                with Measured(taken, spending):
                    answers = await spread(opened, posts, _to_busy_agent)
                taken.took_ms += [took_ms for _, took_ms in answers]
                # The queue stays as short as a person's: its length is not what is measured here.
                turn_ids = [answer["turns"][0]["turnId"] for answer, _ in answers]
                with Measured(cancelled, spending):
                    cancelled.took_ms += await _cancel(opened, turn_ids)
            yield row(f"bare view, {_connections(count)}", bare)
            yield row(f"accept, busy lane, {_connections(count)}", taken, bare, aims=AIMS.get(count, ()))
    yield row("cancel of a waiting turn", cancelled)


async def accepting_while_agents_work(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    room = await rooms.shared()
    spending = Spending(room)
    names = [name for name in FAST if name in room.config["agents"]]
    watch = TurnWatch()
    async with connections(room.port, 1) as (first,):
        # What the busy agent was sent would have to be summed up for the others, which is measured elsewhere.
        await load_client.command(first, "/api/context/reset")
        cursor = (await load_client.get(first, "/api/bootstrap"))["cursor"]

    async with streams(room.port, [watch.take], cursor):
        for count in size.connections:
            async with connections(room.port, count) as opened:
                bare, taken = Sample(), Sample()

                async def ask(connection: Connection, number: int) -> tuple[str, float, float]:
                    answer, took_ms = await post(connection, do(TEXT), names[number % len(names)])
                    return answer["turns"][0]["turnId"], took_ms, await ping(connection)

                for turn_id, took_ms, bare_ms in await spread(opened, size.posts * min(count, MOST_AT_ONCE), ask):
                    await watch.completed(turn_id)
                    taken.took_ms.append(took_ms)
                    bare.took_ms.append(bare_ms)
            yield row(f"accept, agents working, {_connections(count)}", taken, bare)

        turns = Sample()
        async with connections(room.port, max(size.connections)) as opened:
            with Measured(turns, spending):
                count = size.posts * 3

                async def send(connection: Connection, number: int) -> tuple[dict, float]:
                    return await post(connection, do(TEXT), names[number % len(names)])

                answers = await spread(opened, count, send)
                await asyncio.gather(*(watch.completed(answer["turns"][0]["turnId"]) for answer, _ in answers))
        turns.took_ms = [turns.seconds * 1000 / count] * count
        yield row(f"whole turns, {len(names)} agents", turns, p95=None, note="wall time of one, CPU of its whole way")


async def hold_busy_agent(room: RunningRoom) -> None:
    """From now on a turn holds it, and what it is sent waits."""
    turns = await asyncio.to_thread(room.get, "/api/bootstrap")
    if any(turn["targetActorId"] == f"agent:{BUSY}" for turn in turns["activeTurns"]):
        return
    answer = await asyncio.to_thread(room.send, BUSY, content=do(steps=[{"text": "busy"}, {"pause_ms": 3_600_000}]))
    await asyncio.to_thread(room.until_turn, room.turn(answer), "running")


async def _to_busy_agent(connection: Connection, _: int) -> tuple[dict, float]:
    return await post(connection, TEXT, BUSY)


async def _cancel(opened: list[Connection], turn_ids: list[str]) -> list[float]:
    async def cancel(connection: Connection, number: int) -> float:
        return (await load_client.command(connection, f"/api/turns/{turn_ids[number]}/cancel"))[1]

    return await spread(opened, len(turn_ids), cancel)


def _connections(count: int) -> str:
    return "1 connection" if count == 1 else f"{count} connections"
