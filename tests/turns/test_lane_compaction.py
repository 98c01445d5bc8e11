"""A turn that cannot be given all waits for a summary (docs/context.md, "How the room is summed up")."""

import asyncio
import re

import pytest

from adapters.contract import Completed, Failed, TextDelta
from groupx.kernel.clock import SystemClock
from groupx.kernel.errors import ErrorCode
from memory.models import CompactionLease, Summary
from rooms.caller import web_caller
from rooms.context_bodies import CompactionBody
from rooms.models import Event
from rooms.requests import Command
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedSession
from tests.loop_steps import begun
from tests.memory.compacting import Scripted, active_summary, said
from tests.turns.stage import WAIT_SECONDS
from tests.turns.summing_lane import SMALL, SummaryDriver, SummingLane, a_small_context
from turns.commands import cancel
from turns.compaction import compact_now
from turns.models import AttemptPacket, Lane, Turn, TurnAttempt

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def small_room(live_room):
    return a_small_context(live_room)


async def a_full_room(clock, messages: int = 100) -> str:
    """More than a packet holds, then a message for Builder; gives its turn."""
    await in_db(said, messages, clock=clock, content="what was said, at some length, " * 5)
    return await in_db(given.queued_turn, "builder", clock=clock, content="and now?")


def answering() -> ScriptedSession:
    session = ScriptedSession()
    session.answer("done")
    return session


def packet_text() -> str:
    return AttemptPacket.objects.get().text


async def summing(writer: SummaryDriver) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        await writer.is_asked.wait()


async def test_a_turn_is_given_the_summary_of_what_does_not_fit_and_the_newest_messages_whole(small_room, clock):
    turn_id = await a_full_room(clock)
    session, writer = answering(), SummaryDriver(lambda count: f"what was said, told {count} times")
    async with SummingLane(small_room, "builder", session, writer) as lane:
        await lane.status_of(turn_id, "completed")

    packet, summary = await in_reader(packet_text), await in_reader(active_summary)
    assert f"[room_checkpoint_summary]\n- id={summary.summary_id}" in packet and f"> {summary.content}" in packet
    assert await in_reader(lambda: AttemptPacket.objects.get().omissions.get("roomDelta")) is None
    shown = [number for number in range(1, 101) if f"({number})" in packet]
    assert shown == list(range(90, 101)), "eleven of the twelve newest, and the message of the turn"
    assert session.prompts == [packet]
    assert (await in_reader(TurnAttempt.objects.get)).summary_through_seq == summary.through_seq
    assert lane.kinds == ["started"] * len(writer.prompts) + ["completed"]
    assert summary.writer_id == "agent:builder"


async def test_a_backlog_of_five_thousand_messages_is_digested_before_the_turn(live_room, clock):
    turn_id = await a_full_room(clock, 5_000)
    session, writer = answering(), SummaryDriver(lambda count: f"part {count}")
    async with SummingLane(live_room, "builder", session, writer) as lane:
        async with asyncio.timeout(10 * WAIT_SECONDS):
            await session.prompted.wait()
        await lane.status_of(turn_id, "completed")

    read = [int(number) for prompt in writer.prompts for number in re.findall(r"\((\d+)\)", prompt)]
    assert read == list(range(1, 4_990)), "each message once, in its order, but for the newest"
    assert all(len(prompt) <= 96_000 for prompt in writer.prompts)
    assert (await in_reader(active_summary)).content == f"part {len(writer.prompts)}"


async def test_a_turn_whose_room_nobody_can_sum_up_fails_and_says_what_to_do(small_room, clock):
    turn_id = await a_full_room(clock)
    writer = SummaryDriver(lambda count: Failed(code=ErrorCode.NATIVE_AUTH_REQUIRED, message="Not signed in."))
    session = answering()
    async with SummingLane(small_room, "builder", session, writer) as lane:
        await lane.status_of(turn_id, "failed")

    failed = (await in_reader(lambda: Event.objects.get(type="turn.failed"))).body
    assert failed["errorCode"] == "CONTEXT_BUDGET_EXCEEDED"
    assert failed["message"] == (
        "What was said in the room does not fit, and was not summed up: No agent could sum the room up. "
        "Builder: Not signed in. Nothing was sent to the agent."
    )
    assert failed["hint"] == "Look at the agents' cards, and retry."
    assert session.prompts == [] and lane.kinds == ["started", "failed"]
    assert await in_reader(Summary.objects.count) == 0


async def test_while_it_is_summed_up_the_card_says_so_and_messages_are_taken_as_ever(small_room, clock):
    turn_id = await a_full_room(clock)
    gate = asyncio.Event()
    writer = SummaryDriver(lambda count: gate)
    async with SummingLane(small_room, "builder", answering(), writer) as lane:
        await summing(writer)
        assert (await in_reader(Turn.objects.get)).status == "dispatching"
        card = await in_reader(lambda: Lane.objects.get(actor_id="agent:builder"))
        assert card.status_text.startswith("Summing up the room before the turn")
        await in_db(given.queued_turn, "builder", clock=clock, content="another one")
        await in_db(given.queued_turn, "scribe", clock=clock, content="and one for somebody else")
        assert turn_id in await in_reader(lambda: list(Turn.objects.values_list("turn_id", flat=True)))
        assert lane.kinds == ["started"]


async def test_a_cancel_ends_the_waiting_at_once(small_room, clock):
    turn_id = await a_full_room(clock)
    writer = SummaryDriver(lambda count: asyncio.Event())
    async with SummingLane(small_room, "builder", answering(), writer) as lane:
        await summing(writer)
        await in_db(cancel, turn_id, Command(client_command_id=given.command_id()), caller=web_caller(), clock=clock)
        await lane.status_of(turn_id, "cancelled")
        assert lane.kinds == ["started", "failed"]
        card = await in_reader(lambda: Lane.objects.get(actor_id="agent:builder"))
        assert card.status_text == ""
    assert await in_reader(CompactionLease.objects.count) == 0


async def test_a_stop_puts_the_turn_back_into_its_queue_and_the_next_lane_goes_on_where_it_was(small_room, clock):
    turn_id = await a_full_room(clock)
    reaches_second = asyncio.Event()

    def answer(count: int) -> str | asyncio.Event:
        if count == 2:
            reaches_second.set()
        return "part 1" if count == 1 else asyncio.Event()

    writer = SummaryDriver(answer)
    async with SummingLane(small_room, "builder", answering(), writer):
        async with asyncio.timeout(WAIT_SECONDS):
            await reaches_second.wait()
    assert (await in_reader(Turn.objects.get)).status == "queued"
    assert await in_reader(CompactionLease.objects.count) == 0

    next_writer = SummaryDriver(lambda count: "the rest")
    async with SummingLane(small_room, "builder", answering(), next_writer) as lane:
        await lane.status_of(turn_id, "completed")
    assert "This is part 1 of" in writer.prompts[0]
    assert "This is part 2 of" in next_writer.prompts[0], "the answer to the first part was used again"


async def test_what_an_agent_does_not_sum_up_is_asked_of_the_next_in_its_own_lane(small_room, clock):
    turn_id = await a_full_room(clock)
    failing = SummaryDriver(lambda count: Failed(code=ErrorCode.PROTOCOL_INVALID_MESSAGE, message="No frame."))
    writer = SummaryDriver(lambda count: f"part {count}")
    async with SummingLane(small_room, "reviewer", ScriptedSession("other"), writer) as other:
        await other.until(lambda: Lane.objects.filter(actor_id="agent:reviewer", status="ready").exists())
        async with SummingLane(small_room, "builder", answering(), failing) as lane:
            await lane.status_of(turn_id, "completed")

    assert lane.kinds[:3] == ["started", "retrying", "started"] and lane.kinds[-1] == "completed"
    assert len(failing.prompts) == 1, "who breaks the protocol is not asked again"
    assert writer.prompts[0] == failing.prompts[0]
    assert (await in_reader(active_summary)).writer_id == "agent:reviewer"


async def test_turns_that_need_no_summary_run_while_the_room_is_summed_up(small_room, live_room, clock):
    await a_full_room(clock)
    writer = SummaryDriver(lambda count: asyncio.Event())
    async with SummingLane(small_room, "builder", answering(), writer):
        await summing(writer)
        async with SummingLane(live_room, "scribe", answering(), SummaryDriver(lambda count: "")) as other:
            quick = await in_db(given.queued_turn, "scribe", clock=clock, content="quick")
            await other.status_of(quick, "completed")
        assert await in_reader(CompactionLease.objects.count) == 1


async def test_a_person_who_has_it_summed_up_is_given_an_end_and_told_who_writes(live_room, clock):
    seqs = await in_db(said, 30, clock=clock, content="what was said, at some length, " * 5)
    told: list[CompactionBody] = []
    writer = SummaryDriver(lambda count: "noted")
    async with SummingLane(live_room, "builder", ScriptedSession(), writer) as lane:
        await lane.until(lambda: Lane.objects.filter(status="ready").exists())
        done = await compact_now(told.append, context_chars=256_000, clock=SystemClock())
        again = await compact_now(told.append, context_chars=256_000, clock=SystemClock())

    assert (done.compacted, done.summary_through_seq, again.compacted) == (True, seqs[17], False)
    assert [body.wire()["operation"] for body in told] == ["manual", "manual"]
    assert told[0].wire()["actorId"] == "agent:builder"


async def test_who_has_it_summed_up_while_a_turn_does_waits_for_that_and_nothing_is_written_twice(small_room, clock):
    turn_id = await a_full_room(clock)
    gate, told = asyncio.Event(), []
    writer = SummaryDriver(lambda count: gate if count == 1 else "noted")
    async with SummingLane(small_room, "builder", answering(), writer) as lane:
        await summing(writer)
        manual = begun(compact_now(told.append, context_chars=SMALL, clock=SystemClock()))
        writer.sessions[0].say(TextDelta("part 1"), Completed("part 1"))
        await lane.status_of(turn_id, "completed")
        async with asyncio.timeout(WAIT_SECONDS):
            await manual

    covered = await in_reader(lambda: list(Summary.objects.order_by("pk").values_list("from_seq", "through_seq")))
    assert covered[0][0] == 1 and sorted({through for _, through in covered}) == [through for _, through in covered]
    assert len([body for body in told if body.event_type == "context.compaction.failed"]) == 0


async def test_a_session_that_was_given_the_room_is_given_the_summary_only_in_place_of_what_it_covers(
    small_room, clock
):
    first = await a_full_room(clock)
    session, writer = answering(), SummaryDriver(lambda count: f"summary {count}")
    async with SummingLane(small_room, "builder", session, writer) as lane:
        await lane.status_of(first, "completed")
        session.answer("done again")
        second = await in_db(given.queued_turn, "builder", clock=clock, content="and again?")
        await lane.status_of(second, "completed")

    assert "[room_checkpoint_summary]" in session.prompts[0]
    assert "[room_checkpoint_summary]" not in session.prompts[1]


async def test_a_room_that_was_summed_up_further_meanwhile_gives_the_turn_a_new_look(small_room, clock):
    """What it may see ended before the end of the other's summary."""
    turn_id = await a_full_room(clock)

    async def by_another() -> None:
        await in_db(said, 40, clock=clock, content="said later, " * 10)
        await Scripted(clock, reviewer=["by somebody else"]).compact(keeps=3)

    gate = asyncio.Event()
    writer = SummaryDriver(lambda count: gate)
    session = answering()
    async with SummingLane(small_room, "builder", session, writer) as lane:
        await summing(writer)
        # the lease of the lane is lost, as after a long sleep of the machine
        await in_db(lambda: CompactionLease.objects.all().delete())
        await by_another()
        await lane.status_of(turn_id, "completed")

    assert await in_reader(TurnAttempt.objects.count) == 2
    assert "> by somebody else" in session.prompts[0]
