"""Messages with observers: who works, who watches, and what the room is told (protocol sections 4.3, 10.2)."""

import pytest

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.models import ClientCommand, Event
from rooms.queries import events_after
from tests import given
from tests import given_calls as calls
from tests.turns.supervising import paired, supervised, watched
from turns import member_commands
from turns.actions.claim_turn import claim_turn
from turns.member_requests import SendRequest
from turns.models import PairedTurn, SupervisionPair, Turn
from turns.settlement import TurnOutcome
from turns.state import CommandType, SupervisionRole, TurnStatus


def test_a_message_with_observers_queues_the_work_and_a_watch_for_each_observer_in_one_go(room, clock):
    answer = paired("builder", observers=("reviewer", "scribe"), clock=clock)

    events = events_after(0, 20)
    assert [e.type for e in events] == [
        "message.created",
        "turn.queued",
        "supervision.brief",
        "turn.queued",
        "turn.queued",
        "supervision.paired",
    ]
    assert [t["target"] for t in answer["turns"]] == ["agent:builder"]
    assert [t["target"] for t in answer["watchTurns"]] == ["agent:reviewer", "agent:scribe"]
    assert (answer["watchEventId"], answer["pairEventId"]) == (events[2].event_id, events[5].event_id)
    watch = Turn.objects.get(turn_id=answer["watchTurns"][0]["turnId"])
    assert watch.command_type == CommandType.WATCH
    assert watch.source_event_id == answer["watchEventId"]
    assert watch.root_correlation_id == events[0].root_correlation_id


def test_the_room_is_told_who_watches_whom_by_the_system_and_only_the_brief_is_for_the_observers(room, clock):
    answer = paired("builder", clock=clock)

    by_type = {e.type: e for e in events_after(0, 20)}
    brief, told = by_type["supervision.brief"], by_type["supervision.paired"]
    assert {(e.actor.actor_id, e.source_kind) for e in (brief, told)} == {("system:groupx", "supervision")}
    assert (brief.to, told.to) == (("agent:reviewer",), ())
    worker = {"turnId": answer["turns"][0]["turnId"], "targetActorId": "agent:builder"}
    watcher = {"turnId": answer["watchTurns"][0]["turnId"], "targetActorId": "agent:reviewer"}
    assert brief.body["workers"] == told.body["workers"] == [worker]
    assert told.body["watchers"] == [watcher]
    assert told.body["taskEventId"] == answer["messageEventId"]


def test_a_message_without_observers_says_nothing_of_watching(room, clock):
    answer = given.sent(given.a_message("builder"), clock=clock).result

    assert not {"watchTurns", "watchEventId", "pairEventId"} & set(answer)
    assert not SupervisionPair.objects.exists()


def test_the_rows_say_which_turn_has_which_part(room, clock):
    answer = paired("builder", "scribe", clock=clock)

    roles = dict(PairedTurn.objects.values_list("turn_id", "role"))
    workers = {turn["turnId"]: SupervisionRole.WORKER for turn in answer["turns"]}
    observers = {turn["turnId"]: SupervisionRole.OBSERVER for turn in answer["watchTurns"]}
    assert roles == workers | observers
    assert {p.pair_id for p in PairedTurn.objects.all()} == {answer["pairEventId"]}


def test_with_everyone_addressed_all_work_but_the_observers(room, clock):
    message = given.a_message("builder", supervision=supervised("reviewer")).model_copy(update={"to": ["@all"]})

    answer = given.sent(message, clock=clock).result

    assert [t["target"] for t in answer["turns"]] == ["agent:builder", "agent:scribe"]
    assert events_after(0, 1)[0].to == ("agent:builder", "agent:scribe")


@pytest.mark.parametrize(
    ("targets", "observers", "code"),
    [
        (["agent:builder"], ["agent:builder"], ErrorCode.SUPERVISION_PAIR_INVALID),
        (["agent:builder", "agent:scribe"], ["agent:reviewer", "agent:scribe"], ErrorCode.SUPERVISION_PAIR_INVALID),
        (["@all"], ["agent:builder", "agent:reviewer", "agent:scribe"], ErrorCode.SUPERVISION_PAIR_INVALID),
        (["agent:builder"], ["agent:retired"], ErrorCode.UNKNOWN_TARGET),
        (["agent:builder"], ["agent:nobody"], ErrorCode.UNKNOWN_TARGET),
    ],
)
def test_a_pairing_that_cannot_be_refuses_the_message_whole(room, clock, targets, observers, code):
    message = given.a_message("builder", supervision={"observers": observers, "mode": "live_steer"})

    with pytest.raises(GroupXError) as refused:
        given.sent(message.model_copy(update={"to": targets}), clock=clock)

    assert refused.value.code is code
    assert any(observers[-1] in named for named in refused.value.details.values() if isinstance(named, list))
    assert not Event.objects.exists()
    assert not ClientCommand.objects.exists()


@pytest.mark.parametrize("observers", [[], ["reviewer", "reviewer"], ["a", "b", "c", "d", "e"]])
def test_one_to_four_different_observers_are_taken(observers):
    with pytest.raises(ValueError, match="observers"):
        given.a_message("builder", supervision=supervised(*observers))


def test_everyone_cannot_observe():
    with pytest.raises(ValueError, match="cannot observe"):
        given.a_message("builder", supervision={"observers": ["@all"], "mode": "live_steer"})


def test_the_order_of_observers_makes_no_other_command_and_other_observers_do(room, clock):
    message = given.a_message("builder", supervision=supervised("reviewer", "scribe"))
    first = given.sent(message, clock=clock)
    reordered = message.model_copy(
        update={"supervision": message.supervision.model_copy(update={"observers": ["agent:scribe", "agent:reviewer"]})}
    )

    assert given.sent(reordered, clock=clock).text == first.text
    with pytest.raises(GroupXError) as refused:
        given.sent(message.model_copy(update={"supervision": None}), clock=clock)
    assert refused.value.code is ErrorCode.CLIENT_COMMAND_CONFLICT


def test_a_full_queue_of_an_observer_refuses_the_message(room, clock):
    given.queued_turn("reviewer", clock=clock)

    with pytest.raises(GroupXError) as refused:
        message = given.a_message("builder", supervision=supervised("reviewer"))
        given.sent(message, clock=clock, limits=Limits(queue_per_agent=1))

    assert refused.value.code is ErrorCode.QUEUE_CAPACITY_REACHED
    assert refused.value.details["fullTargets"] == ["agent:reviewer"]


# ---------------------------------------------------------------- agents that send
def _send(member, to, *, clock, **more):
    request = {"to": to, "content": "Do it.", "clientCommandId": given.command_id()} | more
    return member_commands.send(SendRequest.model_validate(request), member=member, limits=Limits(), clock=clock).result


def test_an_agent_hands_work_out_under_the_eyes_of_a_third(room, clock):
    scribe = given.running(given.queued_turn("scribe", clock=clock), "scribe", clock=clock)

    answer = _send(scribe, ["agent:builder"], clock=clock, supervision=supervised("reviewer"))

    turns = Turn.objects.in_bulk([answer["turns"][0]["turnId"], answer["watchTurns"][0]["turnId"]])
    assert {(t.parent_turn_id, t.hop_count) for t in turns.values()} == {(scribe.turn.turn_id, 1)}


def test_an_agent_cannot_observe_what_it_hands_out(room, clock):
    scribe = given.running(given.queued_turn("scribe", clock=clock), "scribe", clock=clock)

    with pytest.raises(GroupXError) as refused:
        _send(scribe, ["agent:builder"], clock=clock, supervision=supervised("scribe"))
    assert refused.value.code is ErrorCode.SUPERVISION_PAIR_INVALID


def test_an_observer_in_its_watch_turn_does_not_send_to_whom_it_watches_but_to_others(room, clock):
    observer = watched(clock=clock).observer

    with pytest.raises(GroupXError) as refused:
        _send(observer, ["agent:builder"], clock=clock)
    assert refused.value.code is ErrorCode.SUPERVISION_STEER_REQUIRED
    assert _send(observer, ["agent:scribe"], clock=clock)["turns"]


@pytest.mark.parametrize("command", ["send", "ask"])
def test_nor_does_it_give_whom_it_watches_a_turn_as_an_observer(room, clock, command):
    observer = watched(clock=clock).observer
    call = calls.sent if command == "send" else calls.asked

    with pytest.raises(GroupXError) as refused:
        call(observer, "scribe", supervision=supervised("builder"), clock=clock)

    assert refused.value.code is ErrorCode.SUPERVISION_STEER_REQUIRED
    assert refused.value.details["watchedTargets"] == ["agent:builder"]


# ---------------------------------------------------------------- a watch that comes too late
def test_a_watch_turn_with_nothing_left_to_watch_ends_before_anything_is_sent(room, clock):
    answer = paired("builder", clock=clock)
    worker_turn_id, watch_turn_id = answer["turns"][0]["turnId"], answer["watchTurns"][0]["turnId"]
    given.running(worker_turn_id, "builder", clock=clock)
    given.end_turn(worker_turn_id, "builder", TurnOutcome(status=TurnStatus.COMPLETED, text="Done."), clock=clock)
    later = given.queued_turn("reviewer", clock=clock)

    given.a_lane("reviewer", clock=clock)
    claimed = claim_turn("agent:reviewer", "lane", clock=clock)

    assert claimed.turn_id == later
    watch = Turn.objects.get(turn_id=watch_turn_id)
    assert watch.status == TurnStatus.CANCELLED
    assert "had ended before it could begin" in watch.message
    assert not watch.attempts.exists()


def test_a_watch_turn_runs_as_long_as_one_of_its_workers_is_not_done(room, clock):
    answer = paired("builder", "scribe", clock=clock)
    given.cancelled(answer["turns"][0]["turnId"], clock=clock)

    given.a_lane("reviewer", clock=clock)

    assert claim_turn("agent:reviewer", "lane", clock=clock).turn_id == answer["watchTurns"][0]["turnId"]
