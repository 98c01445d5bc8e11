"""A person lets an agent go on, or wants a fresh session (docs/turns.md, "Pauses"). Real database, scripted agent."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from adapters.contract import AdapterError, Completed, Failed, Started
from groupx.kernel.days import LocalDays
from groupx.kernel.errors import ErrorCode
from rooms.caller import web_caller
from rooms.models import Event, SessionBinding
from rooms.requests import Command
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedSession
from tests.fakes.clock import MovedClock
from tests.turns.stage import WAIT_SECONDS, LaneStage
from turns import commands
from turns.models import Lane, Turn
from turns.queries.agents import agent_view

pytestmark = pytest.mark.django_db(transaction=True)

LIMITED = Failed(code=ErrorCode.NATIVE_RATE_LIMITED, message="429: slow down.", hint="Wait.", retry_after_seconds=3_600)
FULL = Failed(code=ErrorCode.NATIVE_CONTEXT_FULL, message="Prompt is too long.", hint="Begin a fresh session.")
OVERLOADED_START = AdapterError(
    ErrorCode.NATIVE_START_FAILED, "It is overloaded.", temporary=True, retry_after_seconds=3_600
)
LIMITED_START = AdapterError(
    ErrorCode.NATIVE_RATE_LIMITED, "429 at the start.", temporary=True, retry_after_seconds=3_600
)
SIGN_IN = AdapterError(ErrorCode.NATIVE_AUTH_REQUIRED, "Nobody is signed in.", hint="Run “kimi login” in a terminal.")


def is_shown(status: str) -> bool:
    return Lane.objects.filter(actor_id="agent:builder", status=status).exists()


def go_on(clock) -> dict:
    command = Command(client_command_id=given.command_id())
    return commands.resume("agent:builder", command, caller=web_caller(), days=LocalDays(), clock=clock).result


def begin_afresh(clock) -> dict:
    command = Command(client_command_id=given.command_id())
    return commands.begin_afresh("agent:builder", command, caller=web_caller(), clock=clock).result


def events(type_: str) -> list[dict]:
    return [event.body for event in Event.objects.filter(type=type_).order_by("seq")]


# ---------------------------------------------------------------- rate limits
async def test_a_rate_limit_is_still_waited_for_after_a_restart_of_the_worker_and_starts_no_cli(live_room, clock):
    wall = MovedClock(datetime(2026, 11, 30, 10, 0, tzinfo=UTC))
    session = ScriptedSession()
    session.say(Started(), LIMITED)
    turns = [await in_db(given.queued_turn, "builder", clock=clock) for _ in range(2)]
    async with LaneStage(live_room, "builder", session, clock=wall) as lane:
        await lane.status_of(turns[0], "failed")
        await lane.until(lambda: is_shown("paused"))
    [failed] = await in_reader(events, "turn.failed")
    assert failed["pausedUntil"] == "2026-11-30T11:00:00.000Z"

    async with LaneStage(live_room, "builder", clock=wall) as lane:
        await lane.until(lambda: is_shown("paused"))
        card = (await in_reader(agent_view, "agent:builder")).wire()
        assert (card["pausedFor"], card["statusText"]) == ("rate_limit", "429: slow down.")
    assert lane.driver.resumes == []

    wall.at += timedelta(hours=1)
    again = ScriptedSession("native-1", resumed=True)
    again.answer("again")
    async with LaneStage(live_room, "builder", again, clock=wall) as lane:
        await lane.status_of(turns[1], "completed")


async def test_whoever_lets_it_go_on_ends_the_pause_of_a_rate_limit_early(live_room, clock):
    session = ScriptedSession()
    session.say(Started(), LIMITED)
    turns = [await in_db(given.queued_turn, "builder", clock=clock) for _ in range(2)]
    async with LaneStage(live_room, "builder", session) as lane:
        await lane.until(lambda: is_shown("paused"))
        session.answer("again")
        assert (await in_db(go_on, clock))["pausedFor"] == "rate_limit"
        await lane.status_of(turns[1], "completed")
        await lane.until(lambda: is_shown("ready"))


@pytest.mark.parametrize("error", [LIMITED_START, OVERLOADED_START])
async def test_a_long_delay_at_the_start_pauses_as_well_and_the_room_is_told(live_room, clock, error):
    wall = MovedClock(datetime(2026, 11, 30, 10, 0, tzinfo=UTC))
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    session = ScriptedSession()
    session.answer("at last")
    async with LaneStage(live_room, "builder", error, session, clock=wall) as lane:
        await lane.until(lambda: is_shown("paused"))
        [failure] = await in_reader(events, "session.failed")
        assert (failure["errorCode"], failure["pausedUntil"]) == (error.code, "2026-11-30T11:00:00.000Z")
        await in_db(go_on, clock)
        await lane.status_of(turn_id, "completed")


# ---------------------------------------------------------------- what has failed
async def test_an_agent_that_somebody_had_to_sign_in_to_is_tried_again_at_once(live_room, clock):
    async with LaneStage(live_room, "builder", SIGN_IN, ScriptedSession()) as lane:
        await lane.until(lambda: is_shown("failed"))
        card = await in_reader(agent_view, "agent:builder")
        assert card.last_error["hint"] == "Run “kimi login” in a terminal."
        assert await in_db(go_on, clock) == {"actorId": "agent:builder", "accepted": True}
        await lane.until(lambda: is_shown("ready"))


async def test_a_failed_turn_leaves_what_to_do_on_the_card_and_the_lane_goes_on(live_room, clock):
    session = ScriptedSession()
    session.say(Started(), Failed(code=ErrorCode.NATIVE_AUTH_REQUIRED, message="401", hint="Run “kimi login”."))
    turns = [await in_db(given.queued_turn, "builder", clock=clock) for _ in range(2)]
    async with LaneStage(live_room, "builder", session) as lane:
        await lane.status_of(turns[0], "failed")
        await lane.until(lambda: Lane.objects.filter(last_error__hint="Run “kimi login”.").exists())
        session.answer("signed in by now")
        await lane.status_of(turns[1], "completed")


def test_there_must_be_something_to_go_on_with(live_room, clock):
    given.a_lane("builder", clock=clock)
    assert go_on(clock) == {"actorId": "agent:builder", "accepted": False}
    assert Lane.objects.get(actor_id="agent:builder").resume_generation == 0


@pytest.mark.parametrize("what", ["resume", "fresh-session"])
def test_a_command_is_done_once_and_only_for_agents_of_the_room(live_room, clock, client: Client, what: str):
    given.a_lane("builder", clock=clock)
    body = {"clientCommandId": "press-1"}
    answers = [
        client.post(f"/api/agents/agent:builder/{what}", body, content_type="application/json") for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].content == answers[1].content
    assert Lane.objects.get(actor_id="agent:builder").fresh_generation == (1 if what == "fresh-session" else 0)
    for nobody in ("agent:retired", "user:web"):
        refused = client.post(
            f"/api/agents/{nobody}/{what}", {"clientCommandId": nobody}, content_type="application/json"
        )
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "UNKNOWN_ACTOR")


# ---------------------------------------------------------------- fresh sessions
async def test_a_full_context_is_left_for_a_fresh_session_that_says_so(live_room, clock):
    full, fresh = ScriptedSession("native-1"), ScriptedSession("native-2")
    full.say(Started(), FULL)
    fresh.answer("with room to think")
    first = await in_db(given.queued_turn, "builder", clock=clock)
    async with LaneStage(live_room, "builder", full, fresh) as lane:
        await lane.status_of(first, "failed")
        await lane.until(lambda: Lane.objects.filter(last_error__code="NATIVE_CONTEXT_FULL").exists())
        await in_db(begin_afresh, clock)
        await lane.until(lambda: SessionBinding.objects.filter(native_session_id="native-2").exists())
        await lane.until(lambda: is_shown("ready"))
        assert (await in_reader(agent_view, "agent:builder")).last_error is None
        second = await in_db(given.queued_turn, "builder", clock=clock)
        await lane.status_of(second, "completed")

    assert full.closed and lane.driver.resumes == [None, None]
    started = await in_reader(events, "session.started")
    assert [(body["contextLost"], "message" in body) for body in started] == [(False, False), (False, True)]


async def test_the_turn_that_runs_is_finished_before_the_fresh_session_begins(live_room, clock):
    old, fresh = ScriptedSession("native-1"), ScriptedSession("native-2")
    fresh.answer("fresh")
    turns = [await in_db(given.queued_turn, "builder", clock=clock) for _ in range(2)]
    async with LaneStage(live_room, "builder", old, fresh) as lane:
        async with asyncio.timeout(WAIT_SECONDS):
            await old.prompted.wait()
        await in_db(begin_afresh, clock)
        old.say(Started(), Completed("undisturbed"))
        await lane.status_of(turns[1], "completed")

    assert (await in_reader(lambda: Turn.objects.get(turn_id=turns[0]))).status == "completed"
    assert (len(old.prompts), len(fresh.prompts)) == (1, 1)


async def test_a_worker_that_dies_before_it_obeys_is_followed_by_one_that_resumes_nothing(live_room, clock):
    async with LaneStage(live_room, "builder", ScriptedSession("native-1")) as lane:
        await lane.until(lambda: is_shown("ready"))
    await in_db(begin_afresh, clock)
    async with LaneStage(live_room, "builder", ScriptedSession("native-2")) as lane:
        await lane.until(lambda: is_shown("ready"))
    assert lane.driver.resumes == [None]
    # and the fresh one is resumed as ever
    async with LaneStage(live_room, "builder", ScriptedSession("native-2", resumed=True)) as lane:
        await lane.until(lambda: is_shown("ready"))
    assert lane.driver.resumes == ["native-2"]


async def test_a_fresh_session_that_is_asked_for_during_a_pause_begins_when_that_is_over(live_room, clock):
    limited, fresh = ScriptedSession("native-1"), ScriptedSession("native-2")
    limited.say(Started(), LIMITED)
    fresh.answer("fresh and unlimited")
    turns = [await in_db(given.queued_turn, "builder", clock=clock) for _ in range(2)]
    async with LaneStage(live_room, "builder", limited, fresh) as lane:
        await lane.until(lambda: is_shown("paused"))
        await in_db(begin_afresh, clock)
        await lane.until(lambda: Event.objects.filter(type="session.stopped").exists())
        await lane.until(lambda: Lane.objects.filter(status="paused", instance=None).exists())
        assert lane.driver.resumes == [None]
        await in_db(go_on, clock)
        await lane.status_of(turns[1], "completed")
    assert lane.driver.resumes == [None, None]
