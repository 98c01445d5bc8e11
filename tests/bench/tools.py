"""The room's tools, called as an agent in its turn does; and what a hundred agents cost that wait for an answer."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.bench import load_client
from tests.bench.accepting import TEXT, hold_busy_agent
from tests.bench.figures import Aim, Row, Sample, lost, row
from tests.bench.load_client import NS_PER_MS, connections, ping, post, timed_get
from tests.bench.rooms import BUSY, FAST, Measured, Rooms, Spending
from tests.bench.sizes import Size
from tests.bench.tool_client import handle_of, tool_clients
from tests.running_room import RunningRoom, do

ASKING, ASKED = FAST[:2]
ASK_AIMS = (Aim(figure="p95", at_most=50.0),)
CALL_AIMS = (Aim(figure="p95", at_most=20.0),)
SLOWER = 1.5
"""What others do may take so much longer while many wait: as much as the noise of a run."""
LEAST_MS = 1.0
"""Differences below this are noise, whatever their ratio."""
MEGABYTES_PER_WAIT = 0.5


async def calling_tools(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """One call at a time, from its first byte to its answer."""
    room = await rooms.shared()
    spending = Spending(room)
    bare, samples = Sample(), {"ask": Sample(), "read": Sample(), "publish": Sample()}
    async with (
        connections(room.port, 1) as (connection,),
        in_a_turn(room, ASKING),
        tool_clients(room, handle_of(room, ASKING), 1) as (agent,),
    ):
        for tool in samples:
            await agent.call(tool, **arguments_of(tool))  # the first one finds the caller and fills caches
        for _ in range(size.tool_calls):
            for tool, sample in samples.items():
                with Measured(bare, spending):
                    bare.took_ms.append(await ping(connection))
                with Measured(sample, spending):
                    given, took_ms = await agent.call(tool, **arguments_of(tool))
                sample.took_ms.append(took_ms)
                assert tool != "ask" or given["state"] == "terminal", given
    yield row("ask, round trip to an idle agent", samples["ask"], bare, aims=ASK_AIMS)
    yield row("read, 20 events", samples["read"], bare, aims=CALL_AIMS)
    yield row("publish", samples["publish"], bare, aims=CALL_AIMS)


def arguments_of(tool: str) -> dict[str, Any]:
    match tool:
        case "ask":
            return {"to": [f"agent:{ASKED}"], "content": do("question"), "clientCommandId": uuid.uuid4().hex}
        case "publish":
            return {"content": "A note on how it goes.", "clientCommandId": uuid.uuid4().hex}
        case _:
            return {"limit": 20}


async def waiting_asks(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """Many calls of `ask` that wait, each on a connection of its own with progress told.

    They are one question that was put once and then again with the same clientCommandId, as a client does that lost its
    connection: all wait in the same way, and one agent can answer them all.
    """
    room, count = await rooms.shared(), size.waiting_asks
    spending = Spending(room)
    await hold_busy_agent(room)
    async with connections(room.port, 1) as (connection,), in_a_turn(room, ASKING):
        alone = await _others(connection, size)
        threads, megabytes = spending.serve_threads(), spending.serve_megabytes()
        gate = Gate(room, ASKED)
        question = do("hard question", steps=[{"wait": gate.name}, {"text": "answered"}])
        asking = {"to": [f"agent:{ASKED}"], "content": question, "clientCommandId": uuid.uuid4().hex}
        async with tool_clients(room, handle_of(room, ASKING), count) as agents:
            try:
                await asyncio.gather(*(agent.start("ask", **asking) for agent in agents))
                meanwhile = await _others(connection, size)
                threads_then, megabytes_then = spending.serve_threads(), spending.serve_megabytes()
            finally:
                gate.open()
            opened = time.monotonic_ns()
            answers = await asyncio.gather(*(agent.finish() for agent in agents))
            took_ms = (time.monotonic_ns() - opened) / NS_PER_MS
    for what in alone:
        yield row(f"{what}, no ask waiting", *alone[what])
        most = max(alone[what][0].p50 * SLOWER, alone[what][0].p50 + LEAST_MS)
        aims = (Aim(figure="p50", at_most=round(most, 1)),)
        yield row(f"{what}, {count} asks waiting", *meanwhile[what], aims=aims)
    right = sum(answer["results"][0].get("content") == "answered" for answer in answers)
    yield Row(
        name=f"from the answer to the end of {count} asks", p50=took_ms, faults=lost(count - right, count, "answers")
    )
    yield Row(
        name=f"server threads, {count} asks waiting",
        unit="",
        p50=threads_then,
        note=f"{threads} before",
        aims=(Aim(figure="p50", at_most=threads),),
    )
    yield Row(
        name=f"server memory, {count} asks waiting",
        unit="MB",
        p50=megabytes_then,
        note=f"{megabytes:.0f} before",
        aims=(Aim(figure="p50", at_most=round(megabytes + count * MEGABYTES_PER_WAIT)),),
    )


async def _others(connection: load_client.Connection, size: Size) -> dict[str, tuple[Sample, Sample]]:
    """What somebody else is answered, and the bare view in between."""
    bare, accept, health = Sample(), Sample(), Sample()
    for _ in range(size.posts):
        bare.took_ms.append(await ping(connection))
        health.took_ms.append(await timed_get(connection, "/api/health"))
        answer, took_ms = await post(connection, TEXT, BUSY)
        accept.took_ms.append(took_ms)
        await load_client.command(connection, f"/api/turns/{answer['turns'][0]['turnId']}/cancel")
    return {"accept": (accept, bare), "health": (health, bare)}


class Gate:
    """A file that a scripted agent waits for."""

    def __init__(self, room: RunningRoom, agent: str) -> None:
        self.name = uuid.uuid4().hex
        self._file: Path = room.folder / agent / self.name

    def open(self) -> None:
        self._file.touch()


@asynccontextmanager
async def in_a_turn(room: RunningRoom, agent: str) -> AsyncIterator[None]:
    """The agent works as long as this lasts: only then may it call tools."""
    gate = Gate(room, agent)
    answer = await asyncio.to_thread(room.send, agent, content=do(steps=[{"text": "hm"}, {"wait": gate.name}]))
    try:
        await asyncio.to_thread(room.until_turn, room.turn(answer), "running")
        yield
    finally:
        gate.open()
        await asyncio.to_thread(room.until_turn, room.turn(answer))
