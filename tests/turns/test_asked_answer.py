"""What an asker is told of each target (docs/mcp.md, "ask"): pure."""

import pytest

from groupx.kernel.errors import ErrorCode
from turns.asked import AskedTurn, Response, to_wait_for, to_wait_for_at_first
from turns.queries.reading import PAGE_CHARS
from turns.state import TurnStatus
from turns.tools.asked_answer import NOTE_CHARS, STEERED, asked_answer


def a_turn(name="a", status=TurnStatus.COMPLETED, **more):
    return AskedTurn(target=f"agent:{name}", turn_id=f"turn_{name}", status=status, **more)


def answered(name, chars, full_length=None):
    response = Response(event_id=f"evt_{name}", seq=7, content="x" * chars, full_length=full_length or chars)
    return a_turn(name, response=response)


def results(*turns, **more):
    return asked_answer("evt_1", "corr_1", turns, **more)["results"]


@pytest.mark.parametrize(
    ("status", "told", "code"),
    [
        (TurnStatus.QUEUED, "pending", None),
        (TurnStatus.DISPATCHING, "pending", None),
        (TurnStatus.RUNNING, "pending", None),
        (TurnStatus.CANCELLING, "pending", None),
        (TurnStatus.COMPLETED, "completed", None),
        (TurnStatus.FAILED, "failed", "NATIVE_ERROR"),
        (TurnStatus.CANCELLED, "cancelled", "NATIVE_ERROR"),
        (TurnStatus.INTERRUPTED, "failed", "TURN_INTERRUPTED"),
    ],
)
def test_every_status_is_one_of_four_to_who_asked(status, told, code):
    [result] = results(a_turn(status=status, error_code=ErrorCode.NATIVE_ERROR.value))

    assert (result["status"], result.get("errorCode")) == (told, code)


@pytest.mark.parametrize("status", [TurnStatus.CANCELLED, TurnStatus.INTERRUPTED])
def test_of_a_turn_that_an_observer_has_ended_it_is_told_that_its_agent_goes_on(status):
    [result] = results(a_turn(status=status, message="Its process was ended.", was_steered=True))

    assert result["note"] == STEERED


@pytest.mark.parametrize(
    ("turns", "state"),
    [([a_turn()], "terminal"), ([a_turn(status=TurnStatus.FAILED), a_turn("b", TurnStatus.RUNNING)], "pending")],
)
def test_it_is_pending_as_long_as_one_is(turns, state):
    assert asked_answer("evt_1", "corr_1", turns)["state"] == state


@pytest.mark.parametrize(
    ("lengths", "shown"),
    [
        ([PAGE_CHARS], [PAGE_CHARS]),
        ([PAGE_CHARS + 1], [PAGE_CHARS]),
        ([10, PAGE_CHARS, 20, PAGE_CHARS], [10, (PAGE_CHARS - 30) // 2, 20, (PAGE_CHARS - 30) // 2]),
        ([0, PAGE_CHARS], [0, PAGE_CHARS]),
        ([PAGE_CHARS] * 3, [PAGE_CHARS // 3] * 3),
    ],
)
def test_short_answers_are_whole_and_long_ones_share_what_is_left(lengths, shown):
    told = results(*(answered(str(index), length) for index, length in enumerate(lengths)))

    assert [len(result["content"]) for result in told] == shown
    for result, length in zip(told, lengths, strict=True):
        is_cut = len(result["content"]) < length
        assert (result.get("truncated", False), result.get("fullLength")) == (is_cut, length if is_cut else None)


def test_a_cut_answer_says_how_to_read_it():
    [result] = results(answered("a", PAGE_CHARS, full_length=300_000))

    assert (result["truncated"], result["fullLength"]) == (True, 300_000)
    assert result["note"] == "This is its beginning; read it with afterSeq 6 and limit 1."


def test_what_an_agent_reported_at_length_is_cut():
    [result] = results(a_turn(status=TurnStatus.FAILED, message="m" * 10_000))

    assert len(result["note"]) == NOTE_CHARS


def test_a_reason_for_all_stands_beside_what_is_open_alone():
    done, open_ = results(a_turn(), a_turn("b", TurnStatus.RUNNING), why_pending="The room is closing.")

    assert "note" not in done
    assert open_["note"].startswith("The room is closing. Get the answer by collect")


WAITING = a_turn("waiting", TurnStatus.QUEUED)
RUNNING = a_turn("running", TurnStatus.RUNNING)
BEHIND = a_turn("behind", TurnStatus.QUEUED, ahead=1)
RESTING = a_turn("resting", TurnStatus.QUEUED, why_it_rests="It sleeps.")
ENDED = a_turn("ended")
CALLERS = a_turn("callers", TurnStatus.RUNNING, is_callers=True)
ABOVE = a_turn("above", TurnStatus.RUNNING, waits_for_caller=True)


@pytest.mark.parametrize(
    ("turns", "at_first", "later"),
    [
        ([WAITING, RUNNING, ENDED], [WAITING, RUNNING], [WAITING, RUNNING]),
        ([WAITING, BEHIND], [], [WAITING]),
        ([RUNNING, RESTING], [], [RUNNING]),
        ([ENDED], [], []),
        ([RUNNING, CALLERS, ABOVE], [RUNNING], [RUNNING]),
    ],
)
def test_only_what_may_end_soon_is_waited_for(turns, at_first, later):
    assert (to_wait_for_at_first(turns), to_wait_for(turns)) == (at_first, later)
