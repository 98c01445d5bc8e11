"""A worker that keeps dying becomes visible (docs/architecture.md, "Processes"). Our contract."""

import pytest

from groupx.kernel.config import GroupXConfig
from groupx.kernel.errors import ErrorCode
from rooms.announcements import LaneAction, LaneSignal, listen
from rooms.models import Event
from rooms.vocabulary import SYSTEM_ACTOR, EventType
from tests.fakes.clock import FakeClock
from turns.actions.give_up_lane import give_up_lane
from turns.actions.lane_status import set_lane_status
from turns.actions.recover_turns import take_lane
from turns.queries.agents import agent_view
from turns.state import LaneStatus

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def seeded(live_room: GroupXConfig) -> None:
    pass


def errors_in_the_log() -> list[Event]:
    return list(Event.objects.filter(type=EventType.SYSTEM_ERROR.value).order_by("seq"))


def test_the_card_says_failed_and_the_room_is_told_once(clock: FakeClock):
    heard: list[object] = []
    end_listening = listen(heard.append)

    for _ in range(3):
        give_up_lane("agent:builder", clock=clock)
    end_listening()

    card = agent_view("agent:builder")
    assert card.status is LaneStatus.FAILED and "Builder" in card.status_text
    assert card.last_error is not None and card.last_error["code"] == ErrorCode.START_FAILED
    [event] = errors_in_the_log()
    assert event.actor_id == SYSTEM_ACTOR and event.body["errorCode"] == "START_FAILED"
    assert "Builder" in event.body["message"] and event.body["hint"]
    assert heard.count(LaneSignal("agent:builder", LaneAction.CARD)) == 3


def test_a_lane_that_lives_writes_its_own_card(clock: FakeClock):
    give_up_lane("agent:builder", clock=clock)

    take_lane("agent:builder", "token", 7, clock=clock)

    card = agent_view("agent:builder")
    assert (card.status, card.status_text) == (LaneStatus.STARTING, "")


def test_after_the_agent_has_worked_again_the_room_is_told_again(clock: FakeClock):
    give_up_lane("agent:builder", clock=clock)
    take_lane("agent:builder", "token", 7, clock=clock)
    set_lane_status("agent:builder", "token", LaneStatus.READY, last_error=None, clock=clock)

    give_up_lane("agent:builder", clock=clock)

    assert len(errors_in_the_log()) == 2


@pytest.mark.parametrize("actor_id", ["agent:nobody", "agent:retired", "web-user"])
def test_nobody_but_an_enabled_agent_has_a_lane(actor_id: str, clock: FakeClock):
    give_up_lane(actor_id, clock=clock)
    assert not errors_in_the_log()
