"""What memory costs: an agent that has missed much is given its packet; words are looked for in all that was said."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlencode

from tests.bench.figures import Aim, Row, Sample, lost, row
from tests.bench.filled_rooms import room_of_messages, run_beside
from tests.bench.load_client import connections, get, ping, timed_get
from tests.bench.rooms import Measured, Rooms, Spending
from tests.bench.searched_words import MEMORY_SEARCHES, MESSAGE_SEARCHES, NOWHERE
from tests.bench.sizes import Size

PACKET_AIMS = (Aim(figure="p95", at_most=50.0),)
SEARCH_AIMS = (Aim(figure="p95", at_most=50.0),)


async def packets(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """Rows read and the text built, in one process that has done so before. Yardstick: nothing was missed."""
    room, missed = await room_of_messages(rooms, size), size.missed_messages
    arguments = (str(size.packets), str(missed))
    printed = await asyncio.to_thread(run_beside, room.folder / "groupx.json", "tests.bench.packet_time", *arguments)
    bare, *timed = [(_sample(one), one["characters"]) for one in json.loads(printed)]
    names = (f"packet, {missed:,} messages missed", f"packet, {missed:,} missed and summed up")
    for name, (sample, characters) in zip(names, timed, strict=True):
        note = f"{characters:,} characters; the bare view is the packet of an agent that has missed nothing"
        yield row(name, sample, bare[0], aims=PACKET_AIMS, note=note)


def _sample(timed: dict[str, Any]) -> Sample:
    return Sample(took_ms=timed["took_ms"], cpu_seconds=timed["cpu_seconds"])


async def searching(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """All searches in turns, through the running server."""
    room = await room_of_messages(rooms, size)
    messages = _asked("/api/search", MESSAGE_SEARCHES, kinds="message")
    memories = _asked("/api/memory", MEMORY_SEARCHES)
    spending, bare = Spending(room), Sample()
    took = {address: Sample() for address in (*messages, *memories)}
    missing = 0
    async with connections(room.port, 1) as (connection,):
        for address, q in (messages | memories).items():  # what is loaded only once is none of the measured ones
            found = (await get(connection, address))["items"]
            missing += bool(found) == (q in NOWHERE)
        for _ in range(size.searches):
            with Measured(bare, spending):
                bare.took_ms.append(await ping(connection))
            for address, sample in took.items():
                with Measured(sample, spending):
                    sample.took_ms.append(await timed_get(connection, address))
    faults = lost(missing, len(took), "searches with what they should find")
    for (name, _), address in zip(MESSAGE_SEARCHES.items(), messages, strict=True):
        yield row(f"search, {name}", took[address], bare, aims=SEARCH_AIMS, faults=faults)
    for (name, _), address in zip(MEMORY_SEARCHES.items(), memories, strict=True):
        yield row(f"memory, {name}", took[address], bare, aims=SEARCH_AIMS)


def _asked(path: str, searches: Mapping[str, str], **more: str) -> dict[str, str]:
    """What is looked for, by its address."""
    return {f"{path}?{urlencode({'q': q, **more})}": q for q in searches.values()}
