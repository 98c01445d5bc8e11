"""What the page shows of observers: static/js/supervision.js in the fold, and its words. Our own contract."""

from rooms.bodies import TurnFailed

from .folding import show
from .histories import History, a_watched_turn
from .node import needs_node, run_in_node

pytestmark = needs_node


def _watched() -> History:
    room = History()
    a_watched_turn(room)
    return room


def test_a_pairing_is_a_row_with_its_brief_inside_and_each_milestone_a_row() -> None:
    room = _watched()
    kinds = {event["eventId"]: event["type"] for event in room.events}

    rows = [row["key"].removeprefix("n:") for row in show(room.events)["rows"] if row["key"].startswith("n:")]

    assert [kinds[event_id] for event_id in rows] == [
        "supervision.paired",
        "supervision.observed",
        "supervision.steered",
    ]


def test_a_watch_turn_quotes_no_message_and_a_turn_after_a_steer_answers_the_guidance() -> None:
    room = _watched()
    [guidance] = [e["eventId"] for e in room.events if e["body"].get("content") == "Plan first."]
    room.ask("turn_other")

    quotes = {row["key"]: row["quote"] for row in show(room.events)["rows"]}

    assert quotes["t:turn_watch"] is None
    room.start("turn_guided")
    assert {row["key"]: row["quote"] for row in show(room.events)["rows"]}["t:turn_guided"] == guidance


def test_a_page_that_comes_to_the_pairing_from_later_on_shows_the_same() -> None:
    room = _watched()
    newest = 3

    older = room.events[: len(room.events) - newest][::-1]
    completed = show(older, snapshot=room.snapshot(newest=newest))

    assert completed["durable"]["supervision"] == show(room.events)["durable"]["supervision"]
    assert completed["rows"] == show(room.events)["rows"]


def test_milestones_are_said_in_words_with_the_reason_of_a_steer() -> None:
    told = [event for event in _watched().events if event["type"].startswith("supervision.")]

    _, paired, observed, steered = run_in_node("words.mjs", "words.js", [["noticeWords", e, None] for e in told])

    assert paired == "Observers of agent:builder: agent:reviewer"
    assert observed == "began to watch agent:builder."
    assert steered == "interrupted agent:builder to redirect it: Wrong way."


def test_a_turn_that_an_observer_interrupted_is_told_as_redirected_not_as_cancelled() -> None:
    room = _watched()
    from_later_on = show(room.events[:-1][::-1], snapshot=room.snapshot(newest=1))

    for told in (show(room.events), from_later_on):
        assert told["turns"]["turn_watched"]["redirection"] == {"actorId": "agent:reviewer", "reason": "Wrong way."}
    assert run_in_node("words.mjs", "words.js", [["redirectedWords", "Cy", "Wrong way."]]) == [
        "Cy redirected this turn: Wrong way."
    ]


def test_a_turn_that_was_faster_than_the_interrupt_ended_by_itself() -> None:
    room = _watched()
    room.events.pop()
    open_turn = show(room.events)["turns"]["turn_watched"]["redirection"]
    room.add(
        TurnFailed(
            turn_id="turn_watched", target_actor_id="agent:builder", attempt_id="att_1", error_code="X", message="No."
        )
    )

    assert (open_turn, show(room.events)["turns"]["turn_watched"]["redirection"]) == (None, None)
