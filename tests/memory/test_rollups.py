"""An agent's day is written, or not written (our contract: docs/memory.md, "Dated memory")."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from groupx.kernel.errors import ErrorCode, GroupXError
from memory.actions.rollup_failed import rollup_failed
from memory.models import MemoryRecord, RollupSource, RollupState
from memory.queries.records import search_memory
from memory.requests import MemoryQuery
from rooms.models import Event
from tests import given
from tests.fakes.clock import MovedClock
from tests.memory.rolling import BUILDER, TODAY, batch, due, written


def conflicts(act, *args, **more) -> None:
    before = Event.objects.count(), MemoryRecord.objects.count(), RollupSource.objects.filter(rolled_at=None).count()
    with pytest.raises(GroupXError) as refused:
        act(*args, **more)
    assert refused.value.code is ErrorCode.STORE_CONFLICT
    after = Event.objects.count(), MemoryRecord.objects.count(), RollupSource.objects.filter(rolled_at=None).count()
    assert after == before


# ---------------------------------------------------------------- writing
def test_a_written_day_is_a_record_of_its_agent_and_the_room_is_told(room, clock):
    given.completed_turn("builder", clock=clock)
    memory_id = written("what I did", clock=clock)

    record = MemoryRecord.objects.get()
    event = Event.objects.get(type="memory.remembered")
    assert (record.record_id, record.content, record.day, record.seq) == (memory_id, "what I did", TODAY, event.seq)
    assert (record.scope_type, record.scope_id, record.agent_memory_type) == ("agent", BUILDER, "dated")
    assert (record.author_id, record.subject_id, record.kind, record.source_kind) == (
        BUILDER, BUILDER, "summary", "automatic_rollup",
    )  # fmt: skip
    assert (event.actor_id, event.source_kind) == (BUILDER, "generated_summary")
    assert event.body == {
        "memoryId": memory_id,
        "scope": {"type": "agent", "id": BUILDER},
        "agentMemoryType": "dated",
        "kind": "summary",
        "subjectActorId": BUILDER,
    }
    source = RollupSource.objects.get()
    assert (source.rolled_at, source.record) == (clock.now(), record)


def test_a_day_that_is_written_again_supersedes_what_stood_there(room, clock):
    given.completed_turn("builder", clock=clock)
    first = written("first", clock=clock)
    given.completed_turn("builder", clock=clock)
    assert "> first\n" in batch().prompt
    second = written("first and second", clock=clock)

    old, new = MemoryRecord.objects.order_by("pk")
    assert (old.record_id, old.status, new.record_id, new.status) == (first, "superseded", second, "active")
    assert new.supersedes == old
    assert Event.objects.get(type="memory.superseded").body["supersedes"] == first
    assert [source.record_id for source in RollupSource.objects.order_by("pk")] == [old.pk, new.pk]


def test_each_day_has_a_record_of_its_own(room):
    clock = MovedClock(datetime(2026, 11, 29, 12, tzinfo=UTC))
    given.completed_turn("builder", clock=clock)
    clock.at += timedelta(days=1)
    given.completed_turn("builder", clock=clock)
    written("yesterday", of=batch(date(2026, 11, 29)), clock=clock)
    written("today", clock=clock)

    kept = {str(r.day): (r.content, r.status) for r in MemoryRecord.objects.all()}
    assert kept == {"2026-11-29": ("yesterday", "active"), "2026-11-30": ("today", "active")}


def test_where_nothing_is_worth_keeping_only_the_turns_wait_no_longer(room, clock):
    given.completed_turn("builder", clock=clock)
    written("so far", clock=clock)
    given.completed_turn("builder", clock=clock)
    before = Event.objects.count()

    assert written(None, clock=clock) is None

    assert Event.objects.count() == before
    assert MemoryRecord.objects.get().content == "so far"
    source = RollupSource.objects.latest("pk")
    assert (source.rolled_at, source.record) == (clock.now(), None)


def test_a_day_has_one_active_record_whatever_happens(room, clock):
    given.completed_turn("builder", clock=clock)
    written(clock=clock)
    record = MemoryRecord.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        record.pk, record.record_id = None, "mem_other"
        record.save()


def test_the_same_batch_is_written_once(room, clock):
    given.completed_turn("builder", clock=clock)
    same = batch()
    written(of=same, clock=clock)

    conflicts(written, of=same, clock=clock)
    conflicts(written, None, of=same, clock=clock)


def test_a_batch_that_goes_on_from_a_text_that_was_superseded_is_refused(room, clock):
    given.completed_turn("builder", clock=clock)
    written("first", clock=clock)
    given.completed_turn("builder", clock=clock)
    late = batch()
    given.completed_turn("builder", clock=clock)
    written("second", clock=clock)

    conflicts(written, of=late, clock=clock)


def test_when_the_person_retracts_the_day_meanwhile_it_begins_anew_without_what_was_retracted(room, clock):
    given.completed_turn("builder", clock=clock)
    first = written("never to be seen again", clock=clock)
    given.completed_turn("builder", clock=clock, text="a later answer")
    late = batch()
    given.retracted(first, clock=clock)

    conflicts(written, "never to be seen again, and more", of=late, clock=clock)
    assert "never to be seen" not in batch().prompt
    written("only the later", clock=clock)

    new = MemoryRecord.objects.latest("pk")
    assert (new.content, new.status, new.supersedes) == ("only the later", "active", None)
    assert Event.objects.filter(type="memory.remembered").count() == 2


# ---------------------------------------------------------------- failures
def failed(clock, reason: str = "no answer", **more) -> RollupState:
    rollup_failed(BUILDER, TODAY, reason, clock=clock, **more)
    return RollupState.objects.get()


def test_a_failure_leaves_everything_waiting_and_is_tried_three_times_at_once(room, clock):
    given.completed_turn("builder", clock=clock)

    assert [failed(clock).next_attempt_at for _ in range(2)] == [None, None]
    state = failed(clock, "x" * 1_000)

    assert (state.failures, state.next_attempt_at) == (3, clock.now() + timedelta(minutes=1))
    assert len(state.last_error) == 300
    assert RollupSource.objects.get().rolled_at is None
    assert not MemoryRecord.objects.exists()


def test_what_the_models_service_asks_for_is_waited_for_at_once(room, clock):
    assert failed(clock, retry_after_seconds=7_200.0).next_attempt_at == clock.now() + timedelta(hours=2)


def test_a_day_that_was_asked_for_waits_for_its_next_attempt_too(room, clock):
    given.completed_turn("builder", clock=clock)
    RollupState.objects.create(actor_id=BUILDER, day=TODAY, asked_at=clock.now())
    assert due(clock) == clock.now()

    for _ in range(3):
        failed(clock)
    assert due(clock) == clock.now() + timedelta(minutes=1)


def test_a_day_that_is_written_forgets_its_failures(room, clock):
    given.completed_turn("builder", clock=clock)
    failed(clock)
    written(clock=clock)
    assert not RollupState.objects.exists()


def test_a_compaction_goes_on_waiting_while_turns_of_the_day_do(room, clock):
    given.completed_turn("builder", clock=clock)
    RollupState.objects.create(actor_id=BUILDER, day=TODAY, asked_at=clock.now())
    failed(clock)
    part = batch()
    given.completed_turn("builder", clock=clock)
    written(of=part, clock=clock)

    state = RollupState.objects.get()
    assert (state.failures, state.asked_at, state.last_error) == (0, clock.now(), "")
    assert due(clock) == clock.now()


# ---------------------------------------------------------------- lists
def test_dated_memory_is_listed_with_its_day_and_found_by_its_words(room, clock):
    given.core_memory("builder", "a fact of the core", clock=clock)
    given.completed_turn("builder", clock=clock)
    written("I rebuilt the parser", clock=clock)

    [item] = search_memory(MemoryQuery(agent_memory_type="dated", scope_id=BUILDER))["items"]
    assert (item["day"], item["content"], item["kind"]) == ("2026-11-30", "I rebuilt the parser", "summary")
    [found] = search_memory(MemoryQuery(q="parser"))["items"]
    assert found == item
    [core] = search_memory(MemoryQuery(agent_memory_type="core"))["items"]
    assert "day" not in core


def test_nobody_else_writes_into_a_day(room, clock):
    given.completed_turn("builder", clock=clock)
    memory_id = written(clock=clock)
    conflicts(given.superseded, memory_id, "my own words", clock=clock)
