"""One run: the families in their order, each bounded in time, all rooms ended whatever happens."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from tests.bench.accepting import accepting, accepting_while_agents_work
from tests.bench.aig import calling_aig
from tests.bench.compacting import compacting
from tests.bench.deltas import deltas
from tests.bench.figures import Row
from tests.bench.memory_use import memory_use
from tests.bench.prompting import prompting, prompting_after_long_logs, prompting_many
from tests.bench.reading import reading, replaying
from tests.bench.remembering import packets, searching
from tests.bench.rooms import Rooms
from tests.bench.sizes import Size
from tests.bench.starting import restarting, starting
from tests.bench.tools import calling_tools, waiting_asks
from tests.bench.visible import visible

type Family = Callable[[Rooms, Size], AsyncIterator[Row]]

FAMILY_SECONDS = 240.0
FAMILIES: dict[str, tuple[Family, ...]] = {
    "accept": (accepting, accepting_while_agents_work),
    "visible": (visible,),
    "prompt": (prompting,),
    "tools": (calling_tools, waiting_asks),
    "deltas": (deltas,),
    "all": (prompting_many,),
    "log": (reading, replaying, prompting_after_long_logs),
    "memory": (memory_use,),
    "packet": (packets,),
    "search": (searching,),
    "compact": (compacting,),
    "start": (starting, restarting),
    "aig": (calling_aig,),
}


async def run(
    folder: Path, size: Size, names: Sequence[str], tell: Callable[[Row], None], fast_agents: int = 3
) -> list[Row]:
    """All rows, each told when it is there. A family that fails gives one row that says so; the others go on."""
    rooms, rows = Rooms(folder, fast_agents), []

    def found(row: Row) -> None:
        rows.append(row)
        tell(row)

    try:
        for name in names:
            for family in FAMILIES[name]:
                try:
                    async with asyncio.timeout(FAMILY_SECONDS):
                        async for row in family(rooms, size):
                            found(row)
                except Exception as error:  # whatever a measured room does, the rest is still worth measuring
                    why = f"{type(error).__name__}: {error}"[:500] or type(error).__name__
                    found(Row(name=f"{name}: not measured", faults=(why,)))
    finally:
        await rooms.close()
    return rows
