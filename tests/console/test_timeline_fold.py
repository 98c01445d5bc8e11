"""static/js/timeline.js, and timeline_rows.js on top: our own contract (docs/protocol.md, "Reading" and "Events").

The snapshot law: a snapshot at seq N plus the events after N shows the same as a fresh snapshot.
"""

import pytest

from rooms.bodies import (
    Body,
    MessageCreated,
    SessionFailed,
    SessionStarting,
)
from rooms.vocabulary import EventType

from .folding import a_running_turn, show, show_all
from .histories import BUILDER, USER, History, a_day_in_the_room
from .node import needs_node
from .transients import TRANSIENTS

pytestmark = needs_node
DURABLE_TYPES = sorted({event["type"] for event in a_day_in_the_room().events})


# ---------------------------------------------------------------- the snapshot law
def test_the_examples_hold_every_type_of_event() -> None:
    told = {*DURABLE_TYPES, *(body.event_type.value for body in TRANSIENTS)}
    assert told == {member.value for member in EventType}


@pytest.mark.parametrize("event_type", DURABLE_TYPES)
def test_a_snapshot_and_what_follows_shows_the_same_as_a_fresh_snapshot(event_type: str) -> None:
    room = a_day_in_the_room()
    before = [event["seq"] - 1 for event in room.events if event["type"] == event_type]
    followed = [{"snapshot": room.snapshot(seq), "batches": [room.events[seq:]]} for seq in before]

    fresh, *shown = show_all([{"snapshot": room.snapshot(), "batches": []}, *followed])

    for one in shown:
        assert one["durable"] == fresh["durable"]
        assert one["rows"] == fresh["rows"]


def test_one_event_at_a_time_shows_the_same_as_all_at_once() -> None:
    room = a_day_in_the_room()
    one_by_one = show(*[[event] for event in room.events], snapshot=room.snapshot(0))
    assert one_by_one == show(room.events, snapshot=room.snapshot(0))


@pytest.mark.parametrize("newest", [0, 1, 7, 20])
def test_older_history_newest_first_completes_a_short_snapshot(newest: int) -> None:
    room = a_day_in_the_room()
    older = room.events[: len(room.events) - newest][::-1]
    pages = [older[:5], older[5:]]

    completed, whole = show_all(
        [
            {"snapshot": room.snapshot(newest=newest), "batches": pages},
            {"snapshot": room.snapshot(), "batches": []},
        ]
    )

    assert completed["durable"] == whole["durable"]
    assert completed["rows"] == whole["rows"]


def test_duplicates_of_durable_events_change_nothing() -> None:
    room = a_day_in_the_room()
    assert show(room.events, room.events, room.events[::-1]) == show(room.events)


@pytest.mark.parametrize("body", TRANSIENTS, ids=lambda body: body.event_type.value)
def test_transient_events_leave_what_is_durable_alone(body: Body) -> None:
    room = a_day_in_the_room()
    with_it = show(room.events, [room.tell(body)])
    assert with_it["durable"] == show(room.events)["durable"]


def test_an_unknown_durable_type_is_kept_as_a_row_of_its_own() -> None:
    room = History()
    event = room.add(MessageCreated(content="x"), USER)
    event["type"] = "memory.remembered"
    assert show([event])["rows"] == [{"key": "n:evt_1", "quote": None}]


def test_a_start_that_fails_again_and_again_is_told_of_once() -> None:
    room = History()
    for message in ("Sign in.", "Sign in.", "Sign in.", "No such program."):
        room.add(SessionStarting(actor_id="agent:builder"), BUILDER)
        room.add(SessionFailed(actor_id="agent:builder", error_code="NATIVE_AUTH_REQUIRED", message=message), BUILDER)
    assert [row["key"] for row in show(room.events)["rows"]] == ["n:evt_6", "n:evt_8"]


# ---------------------------------------------------------------- order
def test_a_turn_that_waited_stands_where_it_began_to_run() -> None:
    room = History()
    room.ask("turn_1")
    room.ask("turn_2", "And then?")
    waiting = show(room.events)["rows"]
    room.start("turn_1")
    running = show(room.events)["rows"]
    assert [row["key"] for row in waiting] == ["m:evt_1", "t:turn_1", "m:evt_3", "t:turn_2"]
    assert [row["key"] for row in running] == ["m:evt_1", "m:evt_3", "t:turn_2", "t:turn_1"]


def test_an_answer_quotes_its_question_only_when_another_message_stands_between() -> None:
    room = History()
    room.ask("turn_1")
    room.ask("turn_2", "And then?")
    room.start("turn_2")
    room.start("turn_1", "att_2")
    quotes = {row["key"]: row["quote"] for row in show(room.events)["rows"]}
    assert quotes == {"m:evt_1": None, "m:evt_3": None, "t:turn_2": None, "t:turn_1": "evt_1"}


def test_a_running_turn_without_events_in_the_snapshot_stands_last() -> None:
    room = a_running_turn()
    for number in range(5):
        room.add(MessageCreated(content=str(number)), USER)
    rows = show(snapshot=room.snapshot(newest=3))["rows"]
    assert [row["key"] for row in rows] == ["m:evt_7", "m:evt_8", "m:evt_9", "t:turn_1"]


def test_a_turn_being_cancelled_says_so_after_a_reload() -> None:
    room = a_running_turn()
    snapshot = room.snapshot()
    snapshot["activeTurns"][0]["status"] = "cancelling"
    shown = show(snapshot=snapshot)["turns"]["turn_1"]
    assert shown["isOpen"] and shown["isCancelling"]
