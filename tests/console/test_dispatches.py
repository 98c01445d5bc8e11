"""Work that was given without a message, in the page's fold: static/js/dispatches.js. Our own contract."""

from typing import Any

import pytest

from rooms.bodies import OperatorDispatch, TurnFailed, TurnQueued
from rooms.operator_bodies import Operation

from .folding import changed_dispatches, show
from .histories import ASSISTANT, BUILDER, History
from .node import needs_node, run_in_node

pytestmark = needs_node


def given_work(room: History, *turn_ids: str) -> dict[str, Any]:
    targets = ("agent:builder",)
    work = OperatorDispatch(
        content="Look at it.", operation=Operation.WORKER_DISPATCH, prompt_length=11, targets=targets
    )
    event = room.add(work, ASSISTANT, to=targets)
    for turn_id in turn_ids:
        room.add(TurnQueued(turn_id=turn_id, target_actor_id="agent:builder"), causation_id=event["eventId"])
    return event


def tried_again(room: History, turn_id: str, again: str) -> None:
    about = {"target_actor_id": "agent:builder", "attempt_id": "att_1"}
    room.add(TurnFailed(turn_id=turn_id, error_code="NATIVE_ERROR", message="No.", **about), BUILDER)
    room.add(TurnQueued(turn_id=again, target_actor_id="agent:builder"), causation_id=turn_id)


def test_it_is_a_row_of_its_own_and_its_turn_follows_without_a_quote() -> None:
    room = History()
    event = given_work(room, "turn_1")
    room.start("turn_1")
    [work, turn] = show(room.events)["rows"]
    assert (work["key"], turn["key"]) == (f"n:{event['eventId']}", "t:turn_1")
    assert turn["quote"] is None


def test_a_turn_that_stands_elsewhere_quotes_the_work_that_it_does() -> None:
    room = History()
    event = given_work(room, "turn_1")
    room.ask("turn_2", "And this?")
    room.start("turn_1")
    assert {row["key"]: row["quote"] for row in show(room.events)["rows"]}["t:turn_1"] == event["eventId"]


def test_the_work_tells_of_the_newest_try_of_each_turn() -> None:
    room = History()
    event = given_work(room, "turn_1", "turn_2")
    room.start("turn_1")
    tried_again(room, "turn_1", "turn_3")
    shown = show(room.events)
    assert shown["work"][event["eventId"]] == ["turn_2", "turn_3"]
    from_later_on = show(room.events[:-1][::-1], snapshot=room.snapshot(newest=1))
    assert from_later_on["work"] == shown["work"]


def test_the_row_is_drawn_again_when_one_of_its_turns_changes_and_only_then() -> None:
    room = History()
    given_work(room, "turn_1")
    room.ask("turn_2", "And this?")
    begun = len(room.events)
    room.start("turn_1")
    changed = room.events[begun:]
    room.start("turn_2")
    others = room.events[begun + len(changed) :]
    assert changed_dispatches(room.events[:begun], changed) == ["evt_1"]
    assert changed_dispatches([*room.events[:begun], *changed], others) == []


@pytest.mark.parametrize(
    ("operation", "told"),
    [
        ("worker_dispatch", "gave Builder work"),
        ("worker_ask", "asked Builder"),
        ("dispatch_event", "passed a message on to Builder"),
    ],
)
def test_it_is_said_in_words(operation: str, told: str) -> None:
    assert run_in_node("words.mjs", "words.js", [["dispatchWords", operation, "Builder"]]) == [told]


def test_the_assistant_is_called_as_it_was_named() -> None:
    """Until the page has heard its name, a record that it wrote is still the assistant's."""
    known = ("Assistant", "Jeeves", "user:assistant")
    names = [["authorWords", {"actorId": "user:assistant", "displayName": name}] for name in known]
    assert run_in_node("words.mjs", "words.js", names) == ["Assistant", "Jeeves", "Assistant"]
