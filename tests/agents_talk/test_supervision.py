"""Observers see what a worker does and may redirect it (protocol sections 4.3, 6.7; docs/turns.md, "Supervision")."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.agents_talk.talking_room import LIMITS, TalkingRoom, Told, agents, call, say, task


def watch(until: str = "next_milestone", **more: Any) -> dict[str, Any]:
    return call("watch", until=until, timeoutMs=20_000, **more)


def steer(action: str, content: Any = "look at the tests first", **more: Any) -> dict[str, Any]:
    return call("steer", action=action, reason="it went astray", content=content, **more)


@contextmanager
def watched(
    room: TalkingRoom, *observing: dict[str, Any], work: tuple[dict[str, Any], ...] = ()
) -> Iterator[tuple[Told, Told]]:
    """Ben works until this ends, or is cancelled, and Dan observes him: the work, and the watch.

    Ben begins with a thought, of which no observer is told: text that he says would be a milestone too, which comes
    with the one before it or with the one after it or alone.
    """
    gate = uuid.uuid4().hex
    nonce = room.prepare("dan", *observing)
    supervision = {"observers": agents("dan"), "mode": "live_steer"}
    told = room.tell("ben", {"thought": "so"}, *work, {"wait": gate}, say("I work"), supervision=supervision)
    watching = Told(room, "dan", nonce, {**told.answer, "turns": told.answer["watchTurns"]})
    try:
        told.until("running", "cancelling", "cancelled")  # its observer may be quicker than this look
        yield told, watching
    finally:
        room.open_gate("ben", gate)
        room.until_quiet(told.root)


def test_a_message_with_observers_starts_a_watch_beside_the_work(room):
    with watched(room, say("I watched")) as (work, watching):
        assert [turn["target"] for turn in work.answer["turns"]] == agents("ben")
        assert [turn["target"] for turn in work.answer["watchTurns"]] == agents("dan")
        pairing = room.event(work.answer["pairEventId"])
        brief = room.event(work.answer["watchEventId"])
        assert (pairing["type"], brief["type"]) == ("supervision.paired", "supervision.brief")
        assert brief["to"] == agents("dan")
        assert watching.until()["status"] == "completed"
        assert room.get(f"/api/turns/{work.turn_id}")["status"] == "running"
        assert len({event["rootCorrelationId"] for event in (pairing, brief)} | {work.root}) == 1


def test_an_observer_at_work_with_the_worker_is_told_of_each_milestone(room):
    begin, end = uuid.uuid4().hex, uuid.uuid4().hex
    tool = {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "look", "kind": "read", "status": "in_progress"}
    done = {"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed", "rawOutput": "hidden"}
    work = ({"wait": begin}, {"update": tool}, {"wait": end}, {"update": done})
    bens = room.folder / "ben"
    looking = (watch(), {"write": str(bens / begin)}, watch(), {"write": str(bens / end)}, watch())
    with watched(room, *looking, work=work) as (work, watching):
        looks = watching.results()

        assert work.until("running")
    told = [milestone for look in looks for milestone in look["milestones"]]
    assert [(one["kind"], one.get("status")) for one in told] == [
        ("turn_started", None),
        ("tool", "running"),
        ("tool", "completed"),
    ]
    snapshot = looks[-1]["snapshot"]
    assert (snapshot["subjectTurnId"], snapshot["status"]) == (work.turn_id, "running")
    assert (snapshot["deliveryCertainty"], snapshot["steers"]) == ("delivered", 0)
    assert snapshot["task"]["eventId"] == work.message_id
    assert snapshot["tools"] == [{"toolCallId": "t1", "name": told[1]["name"], "status": "completed"}]
    assert "hidden" not in str([look["snapshot"]["tools"] for look in looks])
    [observed] = room.of_root(work.root, "supervision.observed")
    assert observed["actor"]["actorId"] == "agent:dan"


def test_the_end_of_the_work_ends_the_watch(room):
    with watched(room, watch("terminal")) as (_work, watching):
        pass

    look = watching.result()
    assert (look["state"], look["snapshot"]["status"]) == ("terminal", "completed")
    assert look["milestones"][-1]["kind"] == "terminal"


def test_a_person_who_cancels_the_work_ends_the_watch_and_nothing_is_redirected(room):
    with watched(room, watch(), watch("terminal")) as (work, watching):
        room.until_noted("dan", "called", watching.nonce)
        room.command(f"/api/turns/{work.turn_id}/cancel")

        assert watching.results()[1]["state"] == "subject_cancelled"
        assert work.until()["status"] == "cancelled"
    assert room.of_root(work.root, "supervision.steered") == []
    assert len(room.of_root(work.root, "turn.queued")) == 2


def test_a_nudge_is_the_workers_next_turn_with_the_guidance_for_everybody_to_read(room):
    with watched(room, watch(), steer("nudge", task(say("guided")))) as (work, watching):
        _, nudged = watching.results()

    after = nudged["nextTurn"]["turnId"]
    assert (nudged["subjectTurnId"], nudged["steers"]) == (work.turn_id, 1)
    assert work.until()["status"] == "completed"
    assert room.answer_of(after) == "guided"
    guidance = room.event(nudged["messageEventId"])
    assert (guidance["actor"]["actorId"], guidance["to"]) == ("agent:dan", agents("ben"))
    [steered] = room.of_root(work.root, "supervision.steered")
    assert (steered["actor"]["actorId"], steered["body"]["reason"]) == ("agent:dan", "it went astray")
    [queued] = [e for e in room.of_root(work.root, "turn.queued") if e["body"]["turnId"] == after]
    assert queued["causationId"] == steered["eventId"]


def test_an_interrupt_cancels_the_whole_turn_and_starts_one_with_the_guidance(room):
    with watched(room, watch(), steer("interrupt", task(say("guided")))) as (work, watching):
        _, interrupted = watching.results()

        assert work.until()["status"] == "cancelled"
        after = interrupted["nextTurn"]["turnId"]
        assert room.until_turn(after)["status"] == "completed"
        assert room.answer_of(after) == "guided"
    assert not [event for event in room.of_root(work.root) if event["type"].startswith("approval.")]


def test_the_same_steer_twice_is_one(room):
    once = steer("nudge", clientCommandId=uuid.uuid4().hex)
    with watched(room, watch(), once, once) as (work, watching):
        _, first, second = watching.results()

        assert first == second
    assert len(room.of_root(work.root, "supervision.steered")) == 1


def test_a_turn_is_steered_so_often_and_no_oftener(room):
    limit = LIMITS["steersPerSubjectTurn"]
    with watched(
        room, watch(), *[steer("nudge", subjectTurnId="$0.snapshot.subjectTurnId") for _ in range(limit + 1)]
    ) as (work, watching):
        assert watching.codes() == [None] * (1 + limit) + ["STEER_LIMIT_REACHED"]
    assert len(room.of_root(work.root, "supervision.steered")) == limit
    assert "STEER_LIMIT_REACHED" in str(room.of_root(work.root, "system.error"))


def test_an_observer_reads_but_steers_instead_of_asking_or_sending(room):
    with watched(
        room,
        watch(),
        call("read"),
        call("ask", to=agents("ben"), content="stop"),
        call("send", to=agents("ben"), content="stop"),
    ) as (_work, watching):
        assert watching.codes() == [None, None, "SUPERVISION_STEER_REQUIRED", "SUPERVISION_STEER_REQUIRED"]


@pytest.mark.parametrize("step", [watch(), steer("nudge")], ids=["watch", "steer"])
def test_nobody_else_watches_or_steers(room, step):
    assert room.tell("ada", step).codes() == ["SUPERVISION_WATCH_REQUIRED"]


def test_an_agent_gives_its_own_question_an_observer(room):
    gate = uuid.uuid4().hex
    nonce = room.prepare("dan", watch(), {"write": str(room.folder / "ben" / gate)}, watch("terminal"))
    supervision = {"observers": agents("dan"), "mode": "live_steer"}
    work = task(say("I "), {"wait": gate}, say("work"))
    told = room.tell("ada", call("send", to=agents("ben"), content=work, supervision=supervision))

    sent = told.result()
    room.until_quiet(told.root)
    assert [turn["target"] for turn in sent["turns"] + sent["watchTurns"]] == agents("ben", "dan")
    first, last = room.noted("dan", "called", nonce)
    assert first["result"]["snapshot"]["subjectTurnId"] == sent["turns"][0]["turnId"]
    assert last["result"]["state"] == "terminal"


@pytest.mark.parametrize("observers", [["agent:ben"], ["agent:ada"]], ids=["the worker", "the sender"])
def test_nobody_observes_its_own_work_or_message(room, observers):
    supervision = {"observers": observers, "mode": "live_steer"}
    told = room.tell("ada", call("send", to=agents("ben"), content="x", supervision=supervision))

    assert told.codes() == ["SUPERVISION_PAIR_INVALID"]
    assert len(room.of_root(told.root, "turn.queued")) == 1


def test_what_observers_are_told_is_no_context_of_others(room):
    with watched(room, watch(), say("I watched")) as (work, watching):
        watching.results()
    other = room.tell("cleo", say("what was there"))
    other.until()

    packet = room.get(f"/api/turns/{other.turn_id}/packet")["text"]
    assert room.event(work.answer["watchEventId"])["body"]["content"] not in packet
    assert work.message_id in packet
