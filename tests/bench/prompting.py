"""From a message's POST to the agents: the prompt, the first text on the stream, the end; and one message to many."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator

from tests.bench.figures import Aim, Row, Sample, row
from tests.bench.filled_rooms import filled_rooms
from tests.bench.load_client import NS_PER_MS, connections, get, ping, post, streams
from tests.bench.rooms import FAST, Measured, Rooms, Spending
from tests.bench.sizes import Size
from tests.bench.turn_watch import TurnWatch
from tests.running_room import RunningRoom, do

PROMPT_AIMS = (Aim(figure="p95", at_most=13.0),)
END_AIMS = (Aim(figure="p95", at_most=23.0),)
WORK_MS = 250
"""How long each agent of many works: all must have begun before the first has ended."""


async def prompting(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """One turn at a time on an agent that waits for it."""
    room = await rooms.shared()
    agent, watch, spending = FAST[0], TurnWatch(), Spending(room)
    bare, ended, first_text = Sample(), Sample(), Sample()
    sent_at: dict[str, int] = {}
    async with connections(room.port, 1) as (connection,):
        cursor = (await get(connection, "/api/bootstrap"))["cursor"]
        async with streams(room.port, [watch.take], cursor):
            # The first prompt carries what the agent has missed; it is none of the measured ones.
            answer, _ = await post(connection, do("warm up"), agent)
            await watch.completed(answer["turns"][0]["turnId"])
            for _ in range(size.turns):
                with Measured(bare, spending):
                    bare.took_ms.append(await ping(connection))
                nonce = uuid.uuid4().hex
                with Measured(ended, spending):
                    sent_at[nonce] = time.monotonic_ns()
                    answer, _ = await post(connection, do("answer", n=nonce), agent)
                    turn_id = answer["turns"][0]["turnId"]
                    ended_at = await watch.completed(turn_id)
                ended.took_ms.append((ended_at - sent_at[nonce]) / NS_PER_MS)
                if turn_id in watch.first_text:
                    first_text.took_ms.append((watch.first_text[turn_id] - sent_at[nonce]) / NS_PER_MS)
    prompted_at = await asyncio.to_thread(_prompts, room, agent)
    prompted = Sample(took_ms=[(prompted_at[nonce] - sent) / NS_PER_MS for nonce, sent in sent_at.items()])
    yield row("POST to prompt at an idle agent", prompted, bare, aims=PROMPT_AIMS)
    yield row("POST to first text on the stream", first_text, bare)
    yield row("POST to turn.completed on the stream", ended, bare, per_second=None, aims=END_AIMS)


async def prompting_after_long_logs(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """An agent's first prompt carries of the log what fits: once in each room."""
    for count, room in (await filled_rooms(rooms, size)).items():
        agent, watch, nonce = FAST[0], TurnWatch(), uuid.uuid4().hex
        async with connections(room.port, 1) as (connection,):
            cursor = (await get(connection, "/api/bootstrap"))["cursor"]
            async with streams(room.port, [watch.take], cursor):
                sent_at = time.monotonic_ns()
                answer, _ = await post(connection, do("first", n=nonce), agent)
                await watch.completed(answer["turns"][0]["turnId"])
        (prompt,) = room.prompts(agent, nonce)
        took_ms = (prompt["at_ns"] - sent_at) / NS_PER_MS
        yield Row(
            name=f"POST to the first prompt, {count:,} events", p50=took_ms, note=f"{prompt['chars']:,} characters"
        )


async def prompting_many(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """One message to several agents: they begin together."""
    names = FAST[: max(size.together)]
    is_shared = rooms.shares(names)
    room = await rooms.shared() if is_shared else await rooms.started("together", *names)
    watch, spending = TurnWatch(), Spending(room)
    async with connections(room.port, 1) as (connection,):
        cursor = (await get(connection, "/api/bootstrap"))["cursor"]
        async with streams(room.port, [watch.take], cursor):
            for count in size.together:
                everybody = len(room.config["agents"]) == count
                chosen = ("@all",) if everybody else names[:count]
                bare, whole = Sample(), Sample()
                sent_at: dict[str, int] = {}
                for number in range(-1, size.messages_to_all):
                    with Measured(bare, spending):
                        bare.took_ms.append(await ping(connection))
                    nonce = uuid.uuid4().hex
                    with Measured(whole if number >= 0 else Sample(), spending) as measured:
                        sent = time.monotonic_ns()
                        work = do("work", n=nonce, steps=[{"pause_ms": WORK_MS}, {"text": "ok"}])
                        answer, _ = await post(connection, work, *chosen)
                        ends = [await watch.completed(turn["turnId"]) for turn in answer["turns"]]
                        measured.took_ms.append((max(ends) - sent) / NS_PER_MS)
                    if number >= 0:  # the first one carries what the agents have missed
                        sent_at[nonce] = sent
                yield await asyncio.to_thread(_together, room, names[:count], sent_at, whole, bare)
    if not is_shared:
        await rooms.stop(room)


def _together(room: RunningRoom, names: tuple[str, ...], sent_at: dict[str, int], whole: Sample, bare: Sample) -> Row:
    prompts = [_prompts(room, name) for name in names]
    first, last, in_parallel = Sample(), Sample(), 0
    for nonce, sent in sent_at.items():
        prompted = [at[nonce] for at in prompts]
        first.took_ms.append((min(prompted) - sent) / NS_PER_MS)
        last.took_ms.append((max(prompted) - sent) / NS_PER_MS)
        in_parallel += max(prompted) - min(prompted) < WORK_MS * NS_PER_MS
    return row(
        f"POST to the last prompt of {len(names)} agents",
        last,
        bare,
        cpu_ms=whole.cpu_ms,
        note=f"first prompt {first.p50:.1f} ms, CPU of all turns",
        faults=() if in_parallel == len(sent_at) else (f"only {in_parallel} of {len(sent_at)} began together",),
    )


def _prompts(room: RunningRoom, agent: str) -> dict[str, int]:
    return {prompt["n"]: prompt["at_ns"] for prompt in room.prompts(agent) if prompt.get("n")}
