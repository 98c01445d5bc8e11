"""Prepared statements (rooms/prepared.py) do what the ORM expression they are made of does."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from rooms.models import Actor, ClientCommand, Event, Room
from rooms.prepared import ROWS_PER_INSERT, PreparedInsert, PreparedSelect, PreparedUpdate
from tests import given

pytestmark = pytest.mark.django_db

BY_SEQ = PreparedSelect(
    lambda room_id, seq: (
        Event.objects.filter(room_id=room_id, seq__gt=seq)
        .order_by("-seq")
        .values_list("seq", "type", "to", "body", "occurred_at")
    )
)


def a_receipt(number: int) -> ClientCommand:
    return ClientCommand(
        binding_id="binding:web",
        client_command_id=f"prepared-{number}",
        command_type="message",
        payload_hash="0" * 64,
        result="{}",
        created_at=datetime(2026, 11, 30, 12, tzinfo=UTC),
    )


def test_a_select_gives_what_the_query_gives_for_each_set_of_values(room, clock):
    for _ in range(3):
        given.queued_turn("builder", clock=clock)
    for after in (0, 2, 5, 99):
        expected = Event.objects.filter(room_id="room:main", seq__gt=after).order_by("-seq")
        assert BY_SEQ.fetch_all("room:main", after) == list(
            expected.values_list("seq", "type", "to", "body", "occurred_at")
        )
    assert BY_SEQ.fetch_all("another room", 0) == []
    assert BY_SEQ.fetch_first("another room", 0) is None


def test_values_are_never_read_as_sql(room):
    by_name = PreparedSelect(lambda name: Actor.objects.filter(display_name=name).values_list("actor_id"))
    assert by_name.fetch_all("' OR 1=1 --") == []
    assert by_name.fetch_all("100%s") == []


def test_an_update_changes_the_rows_of_its_filter_and_counts_them(room):
    rename = PreparedUpdate(
        lambda actor_id, old: Actor.objects.filter(actor_id=actor_id, display_name=old), "display_name", "enabled"
    )
    assert rename.update_rows("agent:builder", "Builder", display_name="Mason", enabled=False) == 1
    assert rename.update_rows("agent:builder", "Builder", display_name="Other", enabled=True) == 0
    builder = Actor.objects.get(actor_id="agent:builder")
    assert (builder.display_name, builder.enabled) == ("Mason", False)
    assert Actor.objects.get(actor_id="agent:reviewer").display_name == "Reviewer"


def test_an_insert_writes_every_column_in_as_many_statements_as_it_takes(room, django_assert_num_queries):
    receipts = [a_receipt(number) for number in range(ROWS_PER_INSERT + 1)]
    with django_assert_num_queries(2):
        PreparedInsert(ClientCommand).insert_rows(receipts)
    stored = ClientCommand.objects.get(client_command_id=f"prepared-{ROWS_PER_INSERT}")
    for field in ClientCommand._meta.concrete_fields:
        if not field.primary_key:
            assert getattr(stored, field.attname) == getattr(receipts[-1], field.attname)


def test_a_constraint_refuses_a_prepared_insert_like_any_other(room):
    insert = PreparedInsert(ClientCommand)
    insert.insert_rows([a_receipt(1)])
    with pytest.raises(IntegrityError), transaction.atomic():
        insert.insert_rows([a_receipt(1)])
    assert ClientCommand.objects.filter(client_command_id="prepared-1").count() == 1


def test_a_statement_that_sets_no_named_column_is_refused(room):
    raise_seq = PreparedUpdate(lambda room_id: Room.objects.filter(room_id=room_id), "last_seq")
    with pytest.raises(KeyError):
        raise_seq.update_rows("room:main")
    assert Room.objects.get().last_seq == 0
