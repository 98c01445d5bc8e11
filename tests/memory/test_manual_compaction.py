"""POST /api/context/compact: one compaction at a time, one answer per command (docs/context.md, "The gauge")."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from groupx.kernel.errors import ErrorCode, GroupXError
from memory.manual_compaction import ManualCompactions
from rooms.caller import web_caller
from rooms.models import ClientCommand
from rooms.requests import Command
from rooms.transactions import in_db
from tests.loop_steps import begun, rounds

from .rooms_context import MAX_CHARACTERS, reset, said, usage

pytestmark = pytest.mark.django_db(transaction=True)
FAILURE = GroupXError(ErrorCode.CONTEXT_COMPACTION_FAILED, "No agent is ready to write.", reason="no_agent")


class Writer:
    """Does what is done for a compaction: begins, and goes on when it is let."""

    def __init__(self) -> None:
        self.count = 0
        self.has_begun, self.may_end = asyncio.Event(), asyncio.Event()
        self.failures: Iterator[GroupXError | None] = iter(())

    async def compact(self) -> bool:
        self.count += 1
        self.has_begun.set()
        await self.may_end.wait()
        if failure := next(self.failures, None):
            raise failure
        return True


@pytest.fixture
def writer() -> Writer:
    return Writer()


@pytest.fixture
def compactions(live_room, clock, writer) -> ManualCompactions:
    return ManualCompactions(writer.compact, MAX_CHARACTERS, clock)


def asking(compactions: ManualCompactions, command_id: str) -> asyncio.Task[str]:
    return begun(compactions.answer(Command(client_command_id=command_id), caller=web_caller()))


async def two_that_wait(compactions: ManualCompactions, writer: Writer) -> tuple[asyncio.Task[str], asyncio.Task[str]]:
    """Two commands; the second came while the first is under way."""
    first = asking(compactions, "a")
    await writer.has_begun.wait()
    second = asking(compactions, "b")
    await rounds()
    await in_db(usage)  # behind its look for a receipt
    await rounds()
    return first, second


async def test_it_is_answered_with_the_usage_when_it_is_done_and_never_with_the_text(compactions, writer, clock):
    await in_db(said, "hello", clock=clock)
    asked = asking(compactions, "a")
    await writer.has_begun.wait()
    assert not asked.done()
    writer.may_end.set()
    assert json.loads(await asked) == {"compacted": True, **await in_db(usage)}


async def test_the_same_command_joins_what_is_under_way_and_is_replayed_after_it(compactions, writer):
    first, again = asking(compactions, "a"), asking(compactions, "a")
    await writer.has_begun.wait()
    writer.may_end.set()
    answer = await first
    assert await again == answer
    assert await asking(compactions, "a") == answer
    assert writer.count == 1


async def test_another_command_meanwhile_waits_for_the_same_one_and_has_a_receipt_of_its_own(compactions, writer):
    first, second = await two_that_wait(compactions, writer)
    writer.may_end.set()
    assert json.loads(await first) == json.loads(await second)
    assert writer.count == 1
    assert await in_db(ClientCommand.objects.count) == 2


async def test_the_id_of_another_command_is_refused_before_anything_is_done(compactions, writer, clock):
    await in_db(said, "hello", clock=clock)
    await in_db(reset, clock=clock, command_id="used")
    with pytest.raises(GroupXError) as refused:
        await asking(compactions, "used")
    assert refused.value.code is ErrorCode.CLIENT_COMMAND_CONFLICT
    assert writer.count == 0


async def test_after_a_failure_everybody_is_told_and_the_same_command_may_be_tried_again(compactions, writer):
    writer.failures = iter([FAILURE])
    first, second = await two_that_wait(compactions, writer)
    writer.may_end.set()
    for asked in (first, second):
        with pytest.raises(GroupXError) as refused:
            await asked
        assert (refused.value.code, refused.value.details["reason"]) == (FAILURE.code, "no_agent")
    assert await in_db(ClientCommand.objects.count) == 0
    assert json.loads(await asking(compactions, "a"))["compacted"] is True


async def test_it_goes_on_when_who_asked_has_left(compactions, writer):
    asked = asking(compactions, "a")
    await writer.has_begun.wait()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    writer.may_end.set()
    assert json.loads(await asking(compactions, "a"))["compacted"] is True
    assert writer.count == 1


async def test_a_room_that_closes_ends_it_and_says_so(compactions, writer):
    asked = asking(compactions, "a")
    await writer.has_begun.wait()
    compactions.close()
    for refused_one in (asked, asking(compactions, "b")):
        with pytest.raises(GroupXError) as refused:
            await refused_one
        assert refused.value.code is ErrorCode.RUNTIME_CLOSING
    assert await in_db(ClientCommand.objects.count) == 0


async def test_a_server_that_died_meanwhile_runs_it_anew(compactions, writer, clock):
    asked = asking(compactions, "a")
    await writer.has_begun.wait()
    compactions.close()
    with pytest.raises(GroupXError):
        await asked
    writer.may_end.set()
    other = ManualCompactions(writer.compact, MAX_CHARACTERS, clock)
    assert json.loads(await asking(other, "a"))["compacted"] is True
    assert writer.count == 2


async def test_the_database_is_asked_for_a_receipt_before_an_agent_is_asked(compactions, writer, clock):
    writer.may_end.set()
    answer = await asking(compactions, "a")
    await in_db(said, "and more", clock=clock)
    other = ManualCompactions(writer.compact, MAX_CHARACTERS, clock)  # of the next run
    assert await asking(other, "a") == answer
    assert writer.count == 1
