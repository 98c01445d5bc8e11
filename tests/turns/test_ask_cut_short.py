"""`ask` when something comes between: its client leaves, the room closes, the database fails, a wake-up is early."""

import asyncio
import threading

import pytest
from django.db import OperationalError

from rooms.transactions import in_db, in_reader, pending_calls
from tests import given
from tests.turns.asking_stage import OF_THE_TAIL, READERS, asking_stage, readers_are_done
from turns.queries.members import member_of
from turns.state import TurnStatus

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def stage(live_room, clock):
    async with asking_stage(clock) as stage:
        yield stage


@pytest.fixture
def gate():
    """Holds a database thread: `gate.wait` as the step it is given."""
    opened = threading.Event()
    yield opened
    opened.set()


@pytest.mark.parametrize(("cancels", "then"), [(False, TurnStatus.QUEUED), (True, TurnStatus.CANCELLED)])
async def test_the_turns_of_a_client_that_left_go_on_unless_it_said_otherwise(stage, clock, cancels, then):
    async with stage.client_that_leaves("reviewer", cancelOnTimeout=cancels):
        await clock.until_asleep(OF_THE_TAIL + 1)

    [turn] = await stage.asked_turns()
    assert turn.status == then


async def test_a_client_that_leaves_while_its_question_is_written_leaves_nothing_behind(stage, gate):
    holding = asyncio.create_task(in_db(gate.wait, 10))
    async with stage.client_that_leaves("reviewer", cancelOnTimeout=True):
        while pending_calls()["writer"] < 2:
            await in_reader(lambda: None)
        asyncio.get_running_loop().call_soon(gate.set)
    await holding

    [turn] = await stage.asked_turns()
    assert turn.status == TurnStatus.CANCELLED


async def test_a_room_that_closes_lets_nobody_wait_and_cancels_nothing(stage):
    asking = await stage.asking("reviewer", cancelOnTimeout=True)
    stage.tail.close()
    asked = await asking

    assert asked["state"] == "pending"
    assert asked["results"][0]["note"].startswith("The room is closing; what was asked stays asked. Get the answer by")
    assert await stage.status_of(asked["results"][0]["turnId"]) is TurnStatus.QUEUED


async def test_in_a_closing_room_no_wait_begins(stage):
    stage.tail.close()

    assert (await stage.ask("reviewer"))["state"] == "pending"


async def asking_while_readers_are_held(stage, release):
    """An ask that was accepted and has not looked at its turns yet; two readers do `release` first."""
    member = await in_reader(member_of, stage.handle)
    holding = [asyncio.create_task(in_reader(release)) for _ in range(READERS)]
    asking = asyncio.create_task(stage.ask("reviewer", member=member))
    await stage.clock.until_asleep(OF_THE_TAIL + 1)
    return asking, holding


async def test_an_end_before_the_wait_has_begun_is_found(stage, gate):
    asking, holding = await asking_while_readers_are_held(stage, lambda: gate.wait(10))
    with stage.tail.turn_ends.listening() as listener:
        ended = await stage.do(given.worked_off, "reviewer")
        await listener.until_ended([ended.turn_id])
    gate.set()
    await asyncio.gather(*holding)

    assert (await asking)["results"][0]["content"] == "the answer"


async def test_a_question_that_was_asked_is_no_error_when_its_answers_cannot_be_read(stage, gate):
    def fail():
        gate.wait(10)
        raise OperationalError("disk I/O error")  # whoever queued behind it fails with it

    asking, holding = await asking_while_readers_are_held(stage, fail)
    gate.set()
    await asyncio.gather(*holding, return_exceptions=True)
    asked = await asking

    assert asked["state"] == "pending"
    assert asked["results"][0]["note"].startswith("The room's database cannot be used right now; what was asked stays")
    assert [turn.turn_id for turn in await stage.asked_turns()] == [asked["results"][0]["turnId"]]


async def test_a_hundred_waits_hold_no_thread_and_ask_the_database_nothing(stage, clock):
    waits = 100
    first = await stage.asking("reviewer", clientCommandId="one")
    threads = threading.active_count()
    others = [asyncio.create_task(stage.ask("reviewer", clientCommandId="one")) for _ in range(waits - 1)]
    await clock.until_asleep(OF_THE_TAIL + waits)
    await readers_are_done()

    assert threading.active_count() == threads
    assert pending_calls() == {"writer": 0, "readers": 0}
    await stage.do(given.worked_off, "reviewer")
    answers = await asyncio.gather(first, *others)
    assert {answer["results"][0]["content"] for answer in answers} == {"the answer"}
