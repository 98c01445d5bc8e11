"""An observer steers the worker it watches (protocol section 6.7). Our contract, on real SQLite."""

import pytest
from django.db import transaction

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.caller import web_caller
from rooms.models import Actor, Event
from rooms.queries import events_after
from rooms.requests import Command
from tests import given
from tests.turns.supervising import paired, steered_by, watched
from turns import commands
from turns.actions.grant_limit import grant_limit
from turns.chain import ChainLimit
from turns.models import PairedTurn, Turn, TurnAttempt
from turns.settlement import TurnOutcome
from turns.state import CommandType, TurnStatus

COMPLETED = TurnOutcome(status=TurnStatus.COMPLETED, text="Done.")


def _code(steer) -> ErrorCode:
    with pytest.raises(GroupXError) as refused:
        steer()
    return refused.value.code


def test_an_interrupt_cancels_the_whole_turn_and_queues_one_for_the_public_guidance(room, clock):
    scene = watched(clock=clock)
    before = Event.objects.count()

    answer = scene.steer("interrupt", content="Rewrite the plan first.", reason="Wrong way.")

    guidance, steered, queued = events_after(before, 10)
    assert [e.type for e in (guidance, steered, queued)] == ["message.created", "supervision.steered", "turn.queued"]
    assert (guidance.actor.actor_id, guidance.source_kind) == ("agent:reviewer", "mcp")
    assert (guidance.to, guidance.body["content"]) == (("agent:builder",), "Rewrite the plan first.")
    assert guidance.reply_to_event_id == scene.answer["messageEventId"]
    assert (steered.actor.actor_id, steered.source_kind) == ("agent:reviewer", "supervision")
    assert (steered.body["reason"], steered.body["action"]) == ("Wrong way.", "interrupt")
    assert queued.causation_id == steered.event_id == answer["steerEventId"]
    assert Turn.objects.get(turn_id=scene.worker_turn_id).status == TurnStatus.CANCELLING
    next_turn = Turn.objects.get(turn_id=answer["nextTurn"]["turnId"])
    assert next_turn.source_event_id == guidance.event_id == answer["messageEventId"]
    assert (next_turn.target_id, next_turn.command_type) == ("agent:builder", CommandType.STEER)
    assert (next_turn.parent_turn_id, next_turn.hop_count) == (scene.watch_turn_id, 1)
    assert answer["subjectStatus"] == TurnStatus.CANCELLING


def test_a_nudge_lets_the_turn_go_on_and_its_guidance_comes_next(room, clock):
    scene = watched(clock=clock)

    answer = scene.steer("nudge")

    assert Turn.objects.get(turn_id=scene.worker_turn_id).status == TurnStatus.RUNNING
    assert answer["nextTurn"] == {
        "target": "agent:builder",
        "turnId": Turn.objects.latest("enqueue_seq").turn_id,
        "status": "queued",
        "queuePosition": 1,
        "activeTurnId": scene.worker_turn_id,
    }
    assert (answer["steers"], answer["steersLeft"]) == (1, 2)


def test_after_an_interrupt_the_new_turn_is_the_one_that_is_watched(room, clock):
    scene = watched(clock=clock)
    first = scene.steer("interrupt")
    given.end_turn(scene.worker_turn_id, "builder", TurnOutcome(status=TurnStatus.CANCELLED), clock=clock)

    second = scene.steer("interrupt")

    assert second["subjectTurnId"] == first["nextTurn"]["turnId"]
    assert second["subjectStatus"] == TurnStatus.CANCELLED  # it still waited
    assert second["steers"] == 1


def test_a_turn_that_still_waits_is_cancelled_at_once_by_an_interrupt(room, clock):
    scene = watched(clock=clock, worker_runs=False)

    answer = scene.steer("interrupt")

    assert answer["subjectStatus"] == TurnStatus.CANCELLED
    assert answer["nextTurn"]["queuePosition"] == 0
    given.running(answer["nextTurn"]["turnId"], "builder", clock=clock)


def test_the_limit_counts_all_steers_of_one_turn_and_the_room_is_told_once(room, clock):
    answer = paired("builder", observers=("reviewer", "scribe"), clock=clock)
    given.running(answer["turns"][0]["turnId"], "builder", clock=clock)
    observers = [
        given.running(turn["turnId"], turn["target"].removeprefix("agent:"), clock=clock)
        for turn in answer["watchTurns"]
    ]
    limits = Limits(steers_per_subject_turn=2)
    for observer in observers:
        steered_by(observer, clock=clock, limits=limits)

    for observer in observers:
        assert _code(lambda: steered_by(observer, clock=clock, limits=limits)) is ErrorCode.STEER_LIMIT_REACHED  # noqa: B023

    told = [e for e in events_after(0, 100) if e.type == "system.error"]
    assert [e.body["errorCode"] for e in told] == ["STEER_LIMIT_REACHED"]
    assert "Reviewer" in told[0].body["message"]
    assert Turn.objects.filter(command_type=CommandType.STEER).count() == 2


def test_a_full_queue_refuses_a_steer_whole_and_the_room_is_told_once(room, clock):
    scene = watched(clock=clock)
    limits = Limits(queue_per_agent=1)

    for action in ("nudge", "interrupt"):
        assert _code(lambda: scene.steer(action, limits=limits)) is ErrorCode.QUEUE_CAPACITY_REACHED  # noqa: B023

    [told] = [event for event in events_after(0, 100) if event.type == "routing.loop_stopped"]
    assert (told.body["limit"], told.body["targets"]) == ("queuePerAgent", ["agent:builder"])
    assert PairedTurn.objects.get(turn_id=scene.worker_turn_id).steers == 0
    assert Turn.objects.get(turn_id=scene.worker_turn_id).status == TurnStatus.RUNNING


def test_a_steer_taken_before_is_answered_although_the_limit_is_reached(room, clock):
    scene = watched(clock=clock)
    limits = Limits(steers_per_subject_turn=1)
    first = scene.steer(limits=limits, clientCommandId="the-same")

    assert scene.steer(limits=limits, clientCommandId="the-same") == first
    assert Turn.objects.filter(command_type=CommandType.STEER).count() == 1


@pytest.mark.parametrize(
    "end",
    [
        TurnOutcome(status=TurnStatus.CANCELLED),
        TurnOutcome(status=TurnStatus.INTERRUPTED, error_code=ErrorCode.TURN_CANCEL_TIMEOUT),
    ],
    ids=["heeded", "ended"],
)
def test_what_a_person_cancelled_stays_cancelled(room, clock, end):
    scene = watched(clock=clock)
    given.cancelled(scene.worker_turn_id, clock=clock)
    assert _code(lambda: scene.steer("interrupt")) is ErrorCode.STORE_CONFLICT

    given.end_turn(scene.worker_turn_id, "builder", end, clock=clock)

    for action in ("interrupt", "nudge"):
        assert _code(lambda: scene.steer(action)) is ErrorCode.STORE_CONFLICT  # noqa: B023
    assert PairedTurn.objects.get(turn_id=scene.worker_turn_id).steers == 0


def test_a_turn_that_has_ended_by_itself_cannot_be_interrupted_but_nudged(room, clock):
    scene = watched(clock=clock)
    given.end_turn(scene.worker_turn_id, "builder", COMPLETED, clock=clock)

    with pytest.raises(GroupXError) as refused:
        scene.steer("interrupt")
    answer = scene.steer("nudge")

    assert refused.value.details == {"subjectTurnId": scene.worker_turn_id, "subjectStatus": "completed"}
    assert answer["subjectStatus"] == TurnStatus.COMPLETED
    assert answer["nextTurn"]["queuePosition"] == 0


def test_a_completion_that_wins_the_race_stays_completed_and_the_guidance_comes_next(room, clock):
    scene = watched(clock=clock)
    answer = scene.steer("interrupt")

    given.end_turn(scene.worker_turn_id, "builder", COMPLETED, clock=clock)

    assert Turn.objects.get(turn_id=scene.worker_turn_id).status == TurnStatus.COMPLETED
    given.running(answer["nextTurn"]["turnId"], "builder", clock=clock)


def test_a_turn_that_its_worker_is_past_is_not_steered(room, clock):
    scene = watched(clock=clock)
    scene.steer("nudge")
    given.end_turn(scene.worker_turn_id, "builder", COMPLETED, clock=clock)

    with pytest.raises(GroupXError) as refused:
        scene.steer("nudge", subjectTurnId=scene.worker_turn_id)
    assert "is past the turn" in refused.value.message


def test_only_turns_of_the_own_pairing_are_steered(room, clock):
    scene = watched(clock=clock)
    other = given.queued_turn("scribe", clock=clock)

    assert _code(lambda: scene.steer(subjectTurnId=other)) is ErrorCode.NOT_FOUND
    assert _code(lambda: scene.steer(subjectTurnId=scene.watch_turn_id)) is ErrorCode.NOT_FOUND


def test_a_turn_that_is_no_watch_turn_steers_nobody(room, clock):
    answer = paired("builder", clock=clock)
    worker = given.running(answer["turns"][0]["turnId"], "builder", clock=clock)

    assert _code(lambda: steered_by(worker, clock=clock)) is ErrorCode.SUPERVISION_WATCH_REQUIRED


def test_a_worker_that_was_taken_out_of_the_room_is_not_given_another_turn(room, clock):
    scene = watched(clock=clock)
    Actor.objects.filter(actor_id="agent:builder").update(enabled=False)

    assert _code(scene.steer) is ErrorCode.UNKNOWN_TARGET


def test_a_retry_of_a_watched_turn_is_watched_and_a_retry_of_a_watch_watches(room, clock):
    scene = watched(clock=clock)
    failed = TurnOutcome(status=TurnStatus.FAILED)
    given.end_turn(scene.worker_turn_id, "builder", failed, clock=clock)
    given.end_turn(scene.watch_turn_id, "reviewer", failed, clock=clock)
    again = {}
    for turn_id in (scene.worker_turn_id, scene.watch_turn_id):
        command = Command(client_command_id=given.command_id())
        receipt = commands.retry(turn_id, command, caller=web_caller(), limits=Limits(), clock=clock)
        again[turn_id] = receipt.result["turnId"]

    observer = given.running(again[scene.watch_turn_id], "reviewer", clock=clock)

    answer = steered_by(observer, "nudge", clock=clock)
    assert answer["subjectTurnId"] == again[scene.worker_turn_id]
    assert TurnAttempt.objects.filter(turn_id=again[scene.watch_turn_id]).count() == 1


def test_a_steer_that_reaches_a_limit_of_its_chain_is_refused_and_a_person_can_allow_more(room, clock):
    scene = watched(clock=clock)
    limits = Limits(actor_calls_per_root=2)
    scene.steer(limits=limits)

    with pytest.raises(GroupXError) as refused:
        scene.steer(limits=limits)

    assert refused.value.code is ErrorCode.ROOT_TURN_LIMIT_REACHED
    [stopped] = [e for e in events_after(0, 100) if e.type == "routing.loop_stopped"]
    assert (stopped.body["targets"], stopped.body["limit"]) == (["agent:builder"], "actorCallsPerRoot")
    assert "nothing waits to be sent" in stopped.body["hint"]
    assert PairedTurn.objects.get(turn_id=scene.worker_turn_id).steers == 1
    with transaction.atomic():
        grant_limit(
            stopped.root_correlation_id,
            ChainLimit.ACTOR_CALLS_PER_ROOT,
            caller=web_caller(),
            limits=limits,
            clock=clock,
        )
    assert Turn.objects.filter(command_type=CommandType.STEER).count() == 1
    assert scene.steer(limits=limits)["steers"] == 2


def test_the_last_places_in_a_workers_queue_are_kept_from_observers_too(room, clock):
    scene = watched(clock=clock)

    assert _code(lambda: scene.steer(limits=Limits(queue_per_agent=1))) is ErrorCode.QUEUE_CAPACITY_REACHED
