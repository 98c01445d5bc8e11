"""The bounded answer of `watch` (docs/mcp.md, "watch"). Pure; our contract."""

import pytest

from rooms.envelope import dump
from rooms.live_sight import LiveSight, SeenTool, plain_tool_name
from turns.state import DeliveryCertainty, TurnStatus
from turns.supervision import WorkerTurn, subject_among
from turns.watching import ANSWER_CHARS, Facts, Told, news_in, told_after, watched_answer


def worker(number: int = 1, status: TurnStatus = TurnStatus.RUNNING, target: str = "agent:builder") -> WorkerTurn:
    return WorkerTurn(
        turn_id=f"turn_{number}",
        target=target,
        status=status,
        source_event_id="evt_1",
        correlation_id="corr_1",
        enqueue_seq=number,
        error_code="",
        steers=0,
        was_interrupted=False,
    )


def tools(count: int, name: str = "bash") -> tuple[SeenTool, ...]:
    return tuple(
        SeenTool(tool_call_id=f"call_{n}" * 8, name=name, status="running", number=n) for n in range(1, count + 1)
    )


def facts(**changes) -> Facts:
    known = {
        "subject": worker(),
        "workers": [worker()],
        "certainty": DeliveryCertainty.DELIVERED,
        "task_event_id": "evt_1",
        "task": "Do it.",
        "milestones": [],
        "last_seq": 9,
    }
    return Facts(**(known | changes))


@pytest.mark.parametrize("letter", ["x", "字", "\x01", '"', "😀"])
def test_an_answer_never_has_more_than_8000_characters_and_keeps_what_is_newest(letter):
    long = letter * 100_000
    full = facts(
        task=long,
        messages=[(f"evt_{n}", long) for n in range(50)],
        milestones=[{"kind": "message", "seq": n, "eventId": f"evt_{n}", "excerpt": long[:300]} for n in range(50)],
        last_steer_reason=long,
        workers=[worker(n) for n in range(200)],
        live=LiveSight(tools=tools(64, letter * 80), changes=64, text=long, text_length=len(long)),
    )

    answer = watched_answer(full, news_in(full, Told(), 0.0))

    assert len(dump(answer)) <= ANSWER_CHARS
    assert answer["snapshot"]["subjectTurnId"] == "turn_1"
    for kept, newest in ((answer["snapshot"]["tools"], "call_64" * 8),):
        assert not kept or kept[-1]["toolCallId"] == newest


def test_what_was_told_is_no_news():
    live = facts(live=LiveSight(tools=tools(3), changes=3, text="Hello", text_length=5))
    told = told_after(live, Told(), 0.0)

    assert news_in(live, told, 60.0) == []
    more = facts(live=LiveSight(tools=tools(4), changes=4, text="Hello you", text_length=9))
    assert [m["kind"] for m in news_in(more, told, 1.0)] == ["tool"]
    assert [m.get("excerpt") for m in news_in(more, told, 2.0)] == [None, " you"]


@pytest.mark.parametrize(
    ("statuses", "chosen"),
    [
        ((TurnStatus.COMPLETED, TurnStatus.RUNNING, TurnStatus.QUEUED), 2),
        ((TurnStatus.QUEUED, TurnStatus.RUNNING), 2),
        ((TurnStatus.COMPLETED, TurnStatus.QUEUED, TurnStatus.QUEUED), 2),
        ((TurnStatus.COMPLETED, TurnStatus.FAILED), 2),
    ],
)
def test_the_turn_to_look_at_is_what_runs_before_what_waits_before_what_came_last(statuses, chosen):
    turns = [worker(number, status) for number, status in enumerate(statuses, 1)]

    assert subject_among(turns, None).turn_id == f"turn_{chosen}"


@pytest.mark.parametrize(
    ("name", "details", "told"),
    [
        ("Bash", {}, "Bash"),
        ("rm -rf build", {"title": "rm -rf build", "kind": "execute"}, "execute"),
        ("rm -rf build", {"title": "rm -rf build"}, "tool"),
        ("shell", {"title": "rm -rf build"}, "shell"),
        (None, {"kind": "read"}, "read"),
        ("a\nb" + "c" * 200, {}, "a b" + "c" * 77),
    ],
)
def test_a_tool_that_is_named_by_what_it_does_is_told_by_its_kind(name, details, told):
    assert plain_tool_name(name, details) == told
