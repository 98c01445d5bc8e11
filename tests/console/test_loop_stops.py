"""What the page shows of agents that a limit has stopped: static/js/notices.js on the fold. Our own contract."""

from .folding import show
from .histories import History, a_stopped_loop
from .node import needs_node, run_in_node

pytestmark = needs_node


def test_a_stop_knows_which_root_it_can_be_let_go_on_in() -> None:
    room = History()
    stop = a_stopped_loop(room, is_released=False)

    shown = show(room.events)

    assert shown["durable"]["notices"][stop["eventId"]]["rootCorrelationId"] == stop["rootCorrelationId"]
    assert shown["durable"]["releases"] == {}


def test_a_page_that_saw_the_stop_sees_the_release_and_so_does_one_that_comes_later() -> None:
    room = History()
    stop = a_stopped_loop(room)

    live = show(*[[event] for event in room.events])
    later = show(snapshot=room.snapshot())
    backwards = show(room.events[:-2][::-1], snapshot=room.snapshot(newest=2))

    for shown in (live, later, backwards):
        assert shown["durable"]["releases"] == {stop["eventId"]: 96}
    assert live["rows"] == later["rows"] == backwards["rows"]


def test_both_are_said_in_the_words_of_the_log() -> None:
    room = History()
    a_stopped_loop(room)
    told = [event for event in room.events if event["type"].startswith("routing.")]

    assert run_in_node("words.mjs", "words.js", [["noticeWords", event, None] for event in told]) == [
        "Enough.",
        "Go on.",
    ]
