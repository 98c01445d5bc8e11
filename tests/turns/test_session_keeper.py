"""When a lane pauses, tries again or stops trying (docs/turns.md, "Lanes"). Real database, scripted agent."""

import pytest

from adapters.contract import AdapterError, AgentSpec, Failed, Started
from groupx.kernel.errors import ErrorCode
from rooms.caller import web_caller
from rooms.models import Event, SessionBinding
from rooms.requests import Command
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedSession
from tests.turns.stage import LaneStage
from turns.commands import restart
from turns.models import Lane, Turn
from turns.queries.agents import agent_view

pytestmark = pytest.mark.django_db(transaction=True)


def limited(seconds: float) -> Failed:
    return Failed(
        code=ErrorCode.NATIVE_RATE_LIMITED, message="429: slow down.", hint="Wait.", retry_after_seconds=seconds
    )


LOST = Failed(code=ErrorCode.NATIVE_SESSION_LOST, message="It is gone.", hint="Fresh next.", session_lost=True)
RESUME_KILLS = AdapterError(
    ErrorCode.NATIVE_START_FAILED, "It died.", temporary=True, retry_after_seconds=0.01, while_resuming=True
)


def is_shown(status: str) -> bool:
    return Lane.objects.filter(actor_id="agent:builder", status=status).exists()


async def test_a_rate_limit_pauses_this_lane_alone_shows_it_and_a_restart_tries_at_once(live_room, clock):
    first, second, other = ScriptedSession("native-1"), ScriptedSession("native-1", resumed=True), ScriptedSession()
    first.say(Started(), limited(3_600))
    second.answer("again")
    other.answer("not limited")
    turns = [await in_db(given.queued_turn, name, clock=clock) for name in ("builder", "builder", "reviewer")]

    async with LaneStage(live_room, "builder", first, second) as lane, LaneStage(live_room, "reviewer", other):
        await lane.status_of(turns[0], "failed")
        await lane.until(lambda: Lane.objects.filter(status="paused", last_error__code="NATIVE_RATE_LIMITED").exists())
        await lane.status_of(turns[2], "completed")
        assert (await in_reader(agent_view, "agent:builder")).wire()["pausedFor"] == "rate_limit"
        assert (await in_reader(lambda: Turn.objects.get(turn_id=turns[1]))).status == "queued"

        command = Command(client_command_id=given.command_id())
        await in_db(restart, "agent:builder", command, caller=web_caller(), clock=clock)
        await lane.status_of(turns[1], "completed")

    assert len(first.prompts) == 1


async def test_a_pause_ends_by_itself(live_room, clock):
    session = ScriptedSession()
    session.say(Started(), limited(0.05))
    turns = [await in_db(given.queued_turn, "builder", clock=clock) for _ in range(2)]

    async with LaneStage(live_room, "builder", session) as lane:
        await lane.status_of(turns[0], "failed")
        session.answer("again")
        await lane.status_of(turns[1], "completed")
        await lane.until(lambda: is_shown("ready"))


async def test_a_session_whose_resumption_kills_its_agent_twice_is_left_and_a_fresh_one_says_so(live_room, clock):
    async with LaneStage(live_room, "builder", ScriptedSession("native-1")) as lane:
        await lane.until(lambda: is_shown("ready"))
    async with LaneStage(live_room, "builder", RESUME_KILLS, RESUME_KILLS, ScriptedSession("native-2")) as lane:
        await lane.until(
            lambda: SessionBinding.objects.exclude(instance=None).filter(actor_id="agent:builder").count() == 2
        )

    assert lane.driver.resumes == ["native-1", "native-1", None]
    started = await in_reader(lambda: list(Event.objects.filter(type="session.started").order_by("seq")))
    assert [event.body["contextLost"] for event in started] == [False, True]


async def test_sessions_that_are_lost_three_times_in_a_row_do_not_burn_the_queue(live_room, clock):
    sessions = [ScriptedSession(f"native-{number}") for number in range(4)]
    for session in sessions:
        session.say(Started(), LOST)
    turns = [await in_db(given.queued_turn, "builder", clock=clock) for _ in range(4)]

    async with LaneStage(live_room, "builder", *sessions) as lane:
        await lane.status_of(turns[2], "failed")
        await lane.until(lambda: is_shown("failed"))

    assert lane.driver.resumes == [None, None, None]
    assert (await in_reader(lambda: Turn.objects.get(turn_id=turns[3]))).status == "queued"
    assert "session.failed" in await in_reader(lambda: list(Event.objects.values_list("type", flat=True)))


async def test_a_resumed_session_that_dies_again_and_again_is_not_resumed_after_it_was_given_up(live_room, clock):
    async with LaneStage(live_room, "builder", ScriptedSession("native-1")) as lane:
        await lane.until(lambda: is_shown("ready"))
    resumed = [ScriptedSession("native-1", resumed=True) for _ in range(3)]
    async with LaneStage(live_room, "builder", *resumed, ScriptedSession("native-2")) as lane:
        for number, session in enumerate(resumed):
            await lane.until(
                lambda n=number: (
                    is_shown("ready")
                    and SessionBinding.objects.exclude(instance=None).filter(actor_id="agent:builder").count() == n + 2
                )
            )
            session.die()
        await lane.until(lambda: is_shown("failed"))
        command = Command(client_command_id=given.command_id())
        await in_db(restart, "agent:builder", command, caller=web_caller(), clock=clock)
        await lane.until(lambda: is_shown("ready"))

    assert lane.driver.resumes == ["native-1", "native-1", "native-1", None]


async def test_an_agent_that_works_in_another_folder_now_starts_fresh_and_says_so(live_room, clock, tmp_path):
    async with LaneStage(live_room, "builder", ScriptedSession("native-1")) as lane:
        await lane.until(lambda: is_shown("ready"))
    moved = AgentSpec(agent_id="builder", driver="scripted", argv=("scripted",), cwd=tmp_path)
    async with LaneStage(live_room, "builder", ScriptedSession("native-2"), spec=moved) as lane:
        await lane.until(
            lambda: SessionBinding.objects.exclude(instance=None).filter(actor_id="agent:builder").count() == 2
        )

    assert lane.driver.resumes == [None]
    started = await in_reader(lambda: list(Event.objects.filter(type="session.started").order_by("seq")))
    assert started[-1].body["contextLost"] is True
