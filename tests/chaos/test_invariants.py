"""The judge of the chaos rounds finds what it is there to find: each case breaks one promise of a good room."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.chaos.evidence import Evidence, LoggedEvent, TurnRow
from tests.chaos.invariants import judge
from tests.running_room import do

NONCE = "a1b2c3"
REQUEST = do(n=NONCE, steps=[{"text": "well "}, {"text": "done"}])


def logged(seq: int, kind: str, actor: str = "agent:builder", **body: Any) -> LoggedEvent:
    return LoggedEvent(seq=seq, event_id=f"evt_{seq}", type=kind, actor=actor, body=body)


def a_good_room() -> Evidence:
    """One message to two agents, both answered."""
    log, turns = [logged(1, "message.created", "user:web", content=REQUEST)], []
    for number, agent in enumerate(("builder", "reviewer")):
        turn = {"turnId": f"turn_{agent}"}
        log.append(logged(2 + number, "turn.queued", "system:groupx", **turn))
        turns.append(
            TurnRow(
                turn_id=turn["turnId"],
                target=f"agent:{agent}",
                status="completed",
                source_event_id="evt_1",
                enqueue_seq=2 + number,
                times_invoked=1,
            )
        )
    for agent in ("builder", "reviewer"):
        for kind in ("turn.dispatched", "turn.started", "message.created", "turn.completed"):
            said = {"content": "well done"} if kind == "message.created" else {}
            log.append(logged(len(log) + 1, kind, f"agent:{agent}", turnId=f"turn_{agent}", **said))
    return Evidence(
        log=log,
        turns=turns,
        accepted={
            NONCE: {"messageEventId": "evt_1", "turns": [{"turnId": "turn_builder"}, {"turnId": "turn_reviewer"}]}
        },
        retried={},
        prompts=Counter({("agent:builder", NONCE): 1, ("agent:reviewer", NONCE): 1}),
        readers=[list(range(1, 12))],
        rests_at=11,
    )


def without(room: Evidence, kind: str) -> Evidence:
    """The log without the first event of this kind, closed up."""
    gone = next(event for event in room.log if event.type == kind)
    left = [event for event in room.log if event is not gone]
    log = [replace(event, seq=seq) for seq, event in enumerate(left, start=1)]
    return replace(room, log=log, rests_at=len(log))


def with_turn(room: Evidence, **changes: Any) -> Evidence:
    return replace(room, turns=[replace(room.turns[0], **changes), *room.turns[1:]])


def again(room: Evidence, kind: str, **body: Any) -> Evidence:
    log = [*room.log, logged(12, kind, "agent:builder", turnId="turn_builder", **body)]
    return replace(room, log=log, readers=[list(range(1, 13))])


def test_a_room_that_kept_all_promises_has_no_faults():
    verdict = judge(a_good_room())
    assert verdict.faults == ()
    assert (verdict.accepted, verdict.completed) == (1, 2)


@pytest.mark.parametrize(
    ("breaks", "count"),
    [
        (lambda room: replace(room, log=room.log[1:]), "lost"),
        (lambda room: replace(room, turns=room.turns[:1]), "lost"),
        (lambda room: with_turn(room, status="running"), "lost"),
        (lambda room: replace(room, retried={"c": {"turnId": "turn_never"}}), "lost"),
        (lambda room: replace(room, prompts=room.prompts + Counter({("agent:builder", NONCE): 1})), "prompted_twice"),
        (lambda room: with_turn(room, times_invoked=2), "prompted_twice"),
        (lambda room: replace(room, orphans=["4711 agent"]), "orphans"),
        (lambda room: replace(room, readers=[[1, 2, 4]]), "gaps"),
        (lambda room: replace(room, readers=[[1, 2, 2, 3]]), "gaps"),
        (lambda room: replace(room, readers=[list(range(1, 10))]), "gaps"),
        (lambda room: replace(room, resyncs=1), "gaps"),
    ],
)
def test_each_broken_promise_is_counted(breaks: Callable[[Evidence], Evidence], count: str):
    assert getattr(judge(breaks(a_good_room())), count) > 0


@pytest.mark.parametrize(
    ("breaks", "words"),
    [
        (lambda room: replace(room, log=[*room.log[:3], *room.log[4:]]), "the log has a hole"),
        (lambda room: replace(room, late_deltas=1), "after the end of their turn"),
        (lambda room: replace(room, broken_answers=1), "fault of ours"),
        (lambda room: without(room, "turn.completed"), "has 0 terminal events"),
        (lambda room: again(room, "turn.failed"), "has 2 terminal events"),
        (lambda room: again(room, "turn.started"), "came too late"),
        (lambda room: again(room, "message.created", content="well done"), "was answered"),
        (lambda room: with_turn(room, status="interrupted"), "was answered"),
        (lambda room: replace(room, prompts=Counter()), "never saw it"),
        (
            lambda room: replace(room, turns=[room.turns[0], replace(room.turns[1], target="agent:builder")]),
            "while",
        ),
    ],
)
def test_each_fault_of_the_log_is_named(breaks: Callable[[Evidence], Evidence], words: str):
    room = breaks(a_good_room())
    if words == "while":  # both turns are one agent's now, and the first has not ended before the second begins
        log = sorted(room.log, key=lambda event: (event.type in ("turn.completed",), event.seq))
        room = replace(room, log=[replace(event, seq=seq) for seq, event in enumerate(log, start=1)])
    assert [fault for fault in judge(room).faults if words in fault]
