"""The append-only log (docs/protocol.md, "Envelope"): seqs, order, what the database itself refuses. Our contract."""

import json
import threading

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.actions.append_event import append_events
from rooms.actions.seed_room import seed_room
from rooms.announcements import Committed, listen
from rooms.bodies import MessageCreated
from rooms.caller import PERSON
from rooms.models import Actor, Event, Room
from rooms.new_event import NewEvent
from rooms.queries import events_after, events_before, last_seq, one_event_json
from rooms.transactions import durable
from rooms.vocabulary import SourceKind
from tests import given


def a_message(content="hello", **more) -> NewEvent:
    facts = {"correlation_id": "corr_1", "root_correlation_id": "corr_1", **more}
    return NewEvent(body=MessageCreated(content=content), actor=PERSON, source_kind=SourceKind.WEB, **facts)


@durable
def append(*events, clock):
    return append_events(events, clock=clock)


def test_seqs_are_1_2_3_without_a_hole(room, clock):
    append(a_message(), a_message(), clock=clock)
    append(a_message(), clock=clock)

    assert list(Event.objects.order_by("seq").values_list("seq", flat=True)) == [1, 2, 3]
    assert last_seq() == 3


def test_a_refused_transaction_leaves_no_hole(room, clock):
    @durable
    def half():
        append_events([a_message()], clock=clock)
        raise ValueError

    with pytest.raises(ValueError):
        half()
    append(a_message(), clock=clock)

    assert [event.seq for event in events_after(0, 10)] == [1]


def test_an_event_needs_a_transaction(live_room, clock):
    with pytest.raises(transaction.TransactionManagementError):
        append_events([a_message()], clock=clock)


def test_the_database_refuses_to_change_an_event(room, clock):
    append(a_message(), clock=clock)

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE rooms_event SET type = 'forged'")


def test_the_manager_refuses_to_change_or_delete_events(room, clock):
    append(a_message(), clock=clock)

    with pytest.raises(TypeError):
        Event.objects.all().delete()
    with pytest.raises(TypeError):
        Event.objects.update(type="forged")


@pytest.mark.parametrize("kind", ["approval.requested", "permission.asked", "user_input.wanted"])
def test_the_database_refuses_events_of_an_approval_system(room, clock, kind):
    [event] = append(a_message(), clock=clock)
    event.pk, event.event_id, event.seq, event.type = None, "evt_other", 2, kind

    with pytest.raises(IntegrityError, match="not_reserved"), transaction.atomic():
        event.save(force_insert=True)


def test_the_database_refuses_a_second_event_under_one_idempotency_key(room, clock):
    append(a_message(idempotency_key="turn:1:terminal"), clock=clock)

    with pytest.raises(IntegrityError):
        append(a_message(idempotency_key="turn:1:terminal"), clock=clock)


def test_writers_that_race_get_seqs_in_the_order_of_their_commits(live_room, clock):
    """Whoever has read up to n never later finds a new event with seq <= n."""
    start, seen, stop = threading.Barrier(5), [], threading.Event()

    def write():
        start.wait()
        for _ in range(20):
            append(a_message(), clock=clock)
        connection.close()

    def read():
        start.wait()
        cursor = 0
        while not (stop.is_set() and cursor == 80):
            for event in events_after(cursor, 100):
                seen.append(event.seq)
                cursor = event.seq
        connection.close()

    writers = [threading.Thread(target=write) for _ in range(4)]
    reader = threading.Thread(target=read)
    for thread in (*writers, reader):
        thread.start()
    for thread in writers:
        thread.join(30)
    stop.set()
    reader.join(30)

    assert seen == list(range(1, 81))


def test_an_announcement_comes_after_the_commit_and_carries_the_seq(live_room, clock):
    heard = []
    end = listen(heard.append)
    try:

        @durable
        def write():
            append_events([a_message(), a_message()], clock=clock)
            assert heard == []

        write()
    finally:
        end()
    assert heard == [Committed("room:main", 2)]


def test_an_envelope_has_exactly_the_fields_of_the_protocol(room, clock):
    append(a_message(reply_to_event_id="evt_0"), clock=clock)

    [event] = events_after(0, 1)
    assert event.wire() == {
        "schema": "groupx.event/0.1",
        "eventId": event.event_id,
        "seq": 1,
        "roomId": "room:main",
        "type": "message.created",
        "actor": {"actorId": "user:web", "kind": "user", "displayName": "You"},
        "to": [],
        "correlationId": "corr_1",
        "rootCorrelationId": "corr_1",
        "replyToEventId": "evt_0",
        "occurredAt": "2026-11-30T10:41:03.000Z",
        "durability": "durable",
        "body": {"content": "hello"},
        "provenance": {"sourceKind": "web"},
    }


def test_long_text_is_cut_for_pages_and_whole_by_id(room, clock):
    append(a_message("x" * 300_000), clock=clock)

    [event] = events_before(2, 1)
    body = event.shortened().body
    assert (len(body["content"]), body["truncated"], body["fullLength"]) == (262_144, True, 300_000)
    assert len(json.loads(one_event_json(event.event_id))["body"]["content"]) == 300_000


def test_an_unknown_room_is_an_error_and_not_an_empty_one(room):
    with pytest.raises(GroupXError) as refused:
        last_seq("room:other")
    assert refused.value.code is ErrorCode.NOT_FOUND


def test_an_agent_taken_out_of_the_configuration_is_disabled_and_stays_in_the_books(room, clock):
    given.completed_turn("builder", clock=clock)

    remaining = {name: agent for name, agent in room.agents.items() if name != "builder"}
    seed_room(room.model_copy(update={"agents": remaining}), clock=clock)

    assert Actor.objects.get(actor_id="agent:builder").enabled is False
    assert Room.objects.count() == 1
