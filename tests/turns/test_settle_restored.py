"""What a backup holds as open ends when it is restored, and nothing is sent again (docs/turns.md, "Recovery")."""

import pytest

from groupx.kernel.clock import on_the_wall
from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode
from rooms.actions.seed_room import open_store
from rooms.caller import web_caller
from rooms.models import AgentInstance, Event, SessionBinding
from rooms.queries import epoch, newest_native_session
from rooms.requests import Command
from rooms.vocabulary import OPERATOR_BINDING, SYSTEM_BINDING, WEB_BINDING
from tests import given
from turns import commands
from turns.actions.claim_turn import claim_turn
from turns.actions.settle_restored import settle_restored
from turns.models import Lane, PartialText, Turn, TurnAttempt

pytestmark = pytest.mark.usefixtures("room")


def ends(turn_id: str) -> list[Event]:
    return [event for event in Event.objects.all() if event.idempotency_key == f"turn:{turn_id}:terminal"]


@pytest.fixture
def open_turns(room, clock) -> dict[str, str]:
    """One turn in each open state, by that state."""
    running = given.running_turn("builder", clock=clock).turn_id
    queued = given.queued_turn("builder", clock=clock)
    dispatching = given.claimed_turn("reviewer", clock=clock).turn_id
    cancelling = given.running_turn("scribe", clock=clock).turn_id
    given.cancelled(cancelling, clock=clock)
    return {"running": running, "queued": queued, "dispatching": dispatching, "cancelling": cancelling}


def test_every_open_turn_ends_exactly_once_with_the_reason(open_turns: dict[str, str], clock):
    PartialText.objects.create(
        attempt=TurnAttempt.objects.get(turn_id=open_turns["running"]), position=0, text="so far"
    )
    assert settle_restored(clock=clock).settled_turns == 4
    assert {name: Turn.objects.get(turn_id=turn_id).status for name, turn_id in open_turns.items()} == {
        "running": "interrupted",
        "queued": "cancelled",
        "dispatching": "interrupted",
        "cancelling": "interrupted",
    }
    for turn_id in open_turns.values():
        [end] = ends(turn_id)
        assert end.body["errorCode"] == ErrorCode.ROOM_RESTORED and end.body["message"]
    assert ends(open_turns["running"])[0].body["partialText"] == "so far"
    assert not TurnAttempt.objects.exclude(dispatch_phase="terminal").exists()


def test_no_lane_finds_anything_to_send(open_turns: dict[str, str], clock):
    settle_restored(clock=clock)
    for name in ("builder", "reviewer", "scribe"):
        given.a_lane(name, "new", clock=clock)
        assert claim_turn(f"agent:{name}", "new", clock=clock) is None


def test_each_of_them_can_be_tried_again_by_a_person(open_turns: dict[str, str], clock):
    settle_restored(clock=clock)
    for turn_id in open_turns.values():
        again = Command(client_command_id=given.command_id())
        receipt = commands.retry(turn_id, again, caller=web_caller(), limits=Limits(), clock=clock)
        assert receipt.result["status"] == "queued"


def test_what_is_known_of_a_delivery_stays_known(open_turns: dict[str, str], clock):
    settle_restored(clock=clock)
    certainties = dict(TurnAttempt.objects.values_list("turn_id", "delivery_certainty"))
    assert certainties[open_turns["running"]] == "delivered"
    assert certainties[open_turns["dispatching"]] == "not_delivered"


def test_a_worker_that_was_the_lane_is_it_no_more(open_turns: dict[str, str], clock):
    settle_restored(clock=clock)
    assert set(Lane.objects.values_list("lane_token", "status", "worker_pid")) == {("", "stopped", None)}


def test_sessions_are_closed_and_not_resumed_but_ours_stay_open(open_turns: dict[str, str], clock):
    settle_restored(clock=clock)
    former = newest_native_session("agent:builder")
    assert former is not None and not former.is_resumable
    still_open = SessionBinding.objects.filter(closed_at=None).values_list("binding_id", flat=True)
    assert set(still_open) == {WEB_BINDING, OPERATOR_BINDING, SYSTEM_BINDING}
    assert not AgentInstance.objects.filter(ended_at=None).exists()
    clock.tick(1)
    given.a_session("builder", "native-2", clock=clock)
    assert newest_native_session("agent:builder").is_resumable


def test_readers_begin_anew_and_the_room_says_why(open_turns: dict[str, str], clock):
    before = epoch()
    ends_at = Event.objects.order_by("-seq")[0].occurred_at
    assert settle_restored(clock=clock).ends_at == ends_at
    assert epoch() != before
    said = Event.objects.order_by("-seq")[0]
    assert (said.type, said.body["errorCode"]) == ("system.error", "ROOM_RESTORED")
    assert f"from a backup that ends {on_the_wall(ends_at)}. " in said.body["message"]
    restored = epoch()
    open_store("another boot")
    assert epoch() == restored, "once is enough"


def test_a_room_without_open_turns_is_restored_too(clock):
    assert settle_restored(clock=clock).settled_turns == 0
