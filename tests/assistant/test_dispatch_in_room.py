"""What the room makes of work without a message (docs/context.md; docs/protocol.md). Our own contract."""

import pytest

from groupx.kernel.config import Limits
from memory.actions.index_transcript import index_transcript
from memory.queries.search import search_room
from memory.requests import SearchQuery
from rooms.export.formats import ExportFormat, ExportRequest
from rooms.export.queries import all_pieces, begin_export
from rooms.models import Event
from rooms.transactions import in_db, in_reader
from tests import given
from turns.models import Turn
from turns.queries.packets import packet_for
from turns.queries.room import room_snapshot
from turns.settlement import TurnOutcome
from turns.state import TurnStatus

pytestmark = pytest.mark.django_db(transaction=True)
WORK = {"to": ["agent:builder"], "content": "paint it blue"}


@pytest.fixture
async def told(brain):
    return await brain.answer("worker_dispatch", **WORK, clientCommandId=given.command_id())


def packet_of(name: str, source_event_id: str, correlation_id: str) -> str:
    return packet_for(
        f"agent:{name}",
        None,
        source=source_event_id,
        root_correlation_id=correlation_id,
        through_seq=100,
        max_chars=100_000,
    ).text


async def test_its_turns_are_caused_by_it_and_hold_it_as_what_they_answer(told):
    queued = await in_db(Event.objects.get, type="turn.queued")
    turn = await in_db(Turn.objects.get)
    assert queued.causation_id == turn.source_event_id == told["dispatchEventId"]
    assert (turn.parent_turn_id, turn.hop_count, turn.root_correlation_id) == (None, 0, told["correlationId"])


async def test_another_agent_is_given_it_as_what_was_said_in_the_room(told, clock):
    receipt = await in_db(given.sent, given.a_message("reviewer", content="what is new?"), clock=clock)
    message = receipt.result
    packet = await in_reader(packet_of, "reviewer", message["messageEventId"], message["correlationId"])
    delta = packet[packet.index("[room_delta_since_cursor]") : packet.index("[current_message]")]
    assert f"id={told['dispatchEventId']}" in delta and "> paint it blue" in delta


async def test_a_reply_to_the_answer_has_the_work_in_its_chain(told, clock):
    await in_db(given.worked_off, "builder", clock=clock)
    answer = await in_db(Event.objects.get, type="message.created")
    reply = given.a_message("reviewer", content="is it?", replyToEventId=answer.event_id)
    message = (await in_db(given.sent, reply, clock=clock)).result
    packet = await in_reader(packet_of, "reviewer", message["messageEventId"], message["correlationId"])
    chain = packet[packet.index("[reply_chain]") : packet.index("[current_message]")]
    assert chain.index("> paint it blue") < chain.index(f"id={answer.event_id}")


@pytest.mark.parametrize("is_indexed", [False, True])
async def test_search_finds_it(told, is_indexed):
    if is_indexed:
        await in_db(index_transcript, 0)
    [hit] = (await in_reader(search_room, SearchQuery(q="paint blue")))["items"]
    assert (hit["eventId"], hit["excerpt"]) == (told["dispatchEventId"], "paint it blue")


async def test_a_page_that_begins_now_is_given_it_with_its_turn(told):
    shown = await in_reader(room_snapshot, Limits())
    [dispatch] = [event for event in shown["recentEvents"] if event["type"] == "operator.dispatch"]
    assert dispatch["body"]["targets"] == dispatch["to"] == WORK["to"]
    [turn] = shown["activeTurns"]
    assert turn["sourceEventId"] == dispatch["eventId"]


async def test_an_export_has_it_whole_in_both_formats(told, clock):
    def exported(format: ExportFormat) -> str:
        return b"".join(all_pieces(begin_export(ExportRequest(format=format), clock=clock))).decode()

    for format in ExportFormat:
        text = await in_db(exported, format)
        assert told["dispatchEventId"] in text and "paint it blue" in text
    assert "Assistant gave work to" in text


async def test_a_turn_of_it_that_failed_is_tried_again_with_the_same_work(told, clock):
    failed = TurnOutcome(status=TurnStatus.FAILED, message="broke")
    first = await in_db(given.worked_off, "builder", failed, clock=clock)
    retry = await in_db(Turn.objects.get, turn_id=await in_db(given.retried, first.turn_id, clock=clock))
    assert retry.source_event_id == told["dispatchEventId"]
    assert "paint it blue" in await in_reader(packet_of, "builder", retry.source_event_id, told["correlationId"])


async def test_the_order_of_agents_and_of_observers_makes_no_other_work(brain):
    def work(*observers: str, to: list[str]) -> dict:
        watched = {"observers": list(observers), "mode": "live_steer"}
        return {"to": to, "content": "x", "clientCommandId": "one", "supervision": watched}

    first = await brain.answer("worker_dispatch", **work("agent:reviewer", "agent:scribe", to=["agent:builder"]))
    again = await brain.answer("worker_dispatch", **work("agent:scribe", "agent:reviewer", to=["agent:builder"]))
    assert first == again
