"""The control line of docs/architecture.md, "Processes": words in between, end of file as the last. Our contract."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from groupx.control import ControlLine, Word


async def lines_of(line: ControlLine) -> asyncio.Queue[str]:
    queue: asyncio.Queue[str] = asyncio.Queue()
    line.on_line(queue.put_nowait)
    return queue


@asynccontextmanager
async def joined() -> AsyncIterator[tuple[ControlLine, ControlLine]]:
    ours, theirs = await ControlLine.pair()
    child = await ControlLine.open(theirs.detach())
    try:
        async with asyncio.timeout(5):
            yield ours, child
    finally:
        for line in (ours, child):
            line.close()
            await line.closed()


async def test_lines_arrive_in_order_in_both_directions():
    async with joined() as (parent, child):
        at_parent, at_child = await lines_of(parent), await lines_of(child)

        child.send(Word.READY)
        child.send(Word.SHUTDOWN)
        parent.send(Word.DRAIN)

        assert [await at_parent.get(), await at_parent.get()] == ["ready", "shutdown"]
        assert await at_child.get() == "drain"


async def test_lines_that_came_before_anybody_listened_are_not_lost():
    async with joined() as (parent, child):
        child.send(Word.READY)
        child.close()
        await parent.closed()

        assert (await lines_of(parent)).get_nowait() == "ready"


async def test_closing_one_end_is_end_of_file_at_the_other():
    async with joined() as (parent, child):
        assert not child.is_closed

        parent.close()

        await child.closed()
        assert child.is_closed


async def test_a_line_to_somebody_who_has_gone_is_dropped():
    async with joined() as (parent, child):
        child.close()
        await parent.closed()

        parent.send(Word.DRAIN)


async def test_an_endless_line_closes_the_line():
    async with joined() as (_parent, child):
        child.send("x" * 10_000)
        await child.closed()


async def test_the_childs_descriptor_is_not_passed_on_to_what_the_child_starts():
    ours, theirs = await ControlLine.pair()
    fd = theirs.detach()
    os.set_inheritable(fd, True)  # as it arrives in a child

    child = await ControlLine.open(fd)

    assert not os.get_inheritable(fd)
    for line in (ours, child):
        line.close()
        await line.closed()
