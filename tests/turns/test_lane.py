"""One agent's worker on a real database with a scripted agent (docs/turns.md, "Lanes"). Our contract."""

import asyncio

import pytest

from adapters.contract import AdapterError, Cancelled, Failed, Started, TextDelta
from groupx.kernel.errors import ErrorCode
from rooms.caller import web_caller
from rooms.models import Event, SessionBinding
from rooms.requests import Command
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedSession
from tests.turns.stage import WAIT_SECONDS, LaneStage
from turns.actions.claim_turn import claim_turn
from turns.actions.release_turn import release_turn
from turns.commands import restart
from turns.models import Lane, Turn
from turns.queries.agents import agent_view

pytestmark = pytest.mark.django_db(transaction=True)


def event_types() -> list[str]:
    return list(Event.objects.order_by("seq").values_list("type", flat=True))


async def prompted(session: ScriptedSession, times: int = 1) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        await session.prompted.wait()
    assert len(session.prompts) == times


async def test_a_waiting_turn_is_prompted_and_its_answer_enters_the_room(live_room, clock):
    session = ScriptedSession()
    session.answer("hello you")
    turn_id = await in_db(given.queued_turn, "builder", clock=clock, content="say hello")

    async with LaneStage(live_room, "builder", session) as lane:
        await lane.status_of(turn_id, "completed")

    assert session.prompts[0].endswith("say hello")
    answer = await in_reader(lambda: Event.objects.get(type="message.created", actor_id="agent:builder"))
    assert answer.body["content"] == "hello you"


async def test_the_start_of_a_session_is_told_in_the_room(live_room, clock):
    async with LaneStage(live_room, "builder", ScriptedSession()) as lane:
        await lane.until(lambda: Lane.objects.filter(status="ready").exists())

    assert (await in_reader(event_types))[:3] == ["session.starting", "session.started", "session.ready"]


async def test_turns_of_one_lane_run_one_after_the_other(live_room, clock):
    session = ScriptedSession()
    first = await in_db(given.queued_turn, "builder", clock=clock)
    second = await in_db(given.queued_turn, "builder", clock=clock)

    async with LaneStage(live_room, "builder", session) as lane:
        await lane.status_of(first, "dispatching", "running")
        assert (await in_reader(lambda: Turn.objects.get(turn_id=second))).status == "queued"
        session.answer("one")
        session.answer("two")
        await lane.status_of(second, "completed")

    assert len(session.prompts) == 2


async def test_a_cancel_reaches_the_agent_without_any_connection_to_the_server(live_room, clock):
    session = ScriptedSession()
    session.answers_cancel_with = Cancelled()
    session.say(Started(), TextDelta("half"))
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)

    async with LaneStage(live_room, "builder", session) as lane:
        await lane.status_of(turn_id, "running")
        await in_db(given.cancelled, turn_id, clock=clock)
        await lane.status_of(turn_id, "cancelled")

    assert session.cancels == 1


async def test_an_agent_that_cannot_start_is_an_error_on_its_own_card_and_its_queue_waits(live_room, clock):
    missing = AdapterError(
        ErrorCode.COMMAND_NOT_FOUND, "There is no program “ghost”.", hint="Install it.", exit_code=127, output="ghost?"
    )
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)

    async with LaneStage(live_room, "builder", missing) as lane:
        await lane.until(lambda: Lane.objects.filter(status="failed").exists())
        card = await in_reader(agent_view, "agent:builder")

    assert card.last_error == {
        "code": "COMMAND_NOT_FOUND",
        "message": "There is no program “ghost”.",
        "hint": "Install it.",
        "exitCode": 127,
        "output": "ghost?",
    }
    assert "session.failed" in await in_reader(event_types)
    assert (await in_reader(lambda: Turn.objects.get(turn_id=turn_id))).status == "queued"


async def test_a_temporary_failure_to_start_is_tried_again_visibly(live_room, clock):
    busy = AdapterError(ErrorCode.NATIVE_START_FAILED, "It is busy.", temporary=True, retry_after_seconds=0.01)
    async with LaneStage(live_room, "builder", busy, busy, ScriptedSession()) as lane:
        await lane.until(lambda: Lane.objects.filter(status="ready").exists())

    assert [(told.attempt, told.error_code) for told in lane.told] == [
        (1, "NATIVE_START_FAILED"),
        (2, "NATIVE_START_FAILED"),
    ]


async def test_a_restart_opens_a_new_session_with_a_new_binding_and_resumes_the_native_one(live_room, clock):
    first, second = ScriptedSession("native-1"), ScriptedSession("native-1", resumed=True)
    async with LaneStage(live_room, "builder", first, second) as lane:
        await lane.until(lambda: Lane.objects.filter(status="ready").exists())
        command = Command(client_command_id=given.command_id())
        await in_db(restart, "agent:builder", command, caller=web_caller(), clock=clock)
        await lane.until(
            lambda: SessionBinding.objects.exclude(instance=None).filter(actor_id="agent:builder").count() == 2
        )
        assert first.closed
        assert lane.driver.resumes == [None, "native-1"]
        assert (
            await in_reader(lambda: SessionBinding.objects.filter(actor_id="agent:builder", closed_at=None).count())
            == 1
        )

    assert "session.resumed" in await in_reader(event_types)


async def test_a_restart_interrupts_the_running_turn_and_says_so(live_room, clock):
    first = ScriptedSession()
    first.answers_cancel_with = Cancelled()
    first.say(Started(), TextDelta("half"))
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)

    async with LaneStage(live_room, "builder", first, ScriptedSession()) as lane:
        await lane.status_of(turn_id, "running")
        command = Command(client_command_id=given.command_id())
        await in_db(restart, "agent:builder", command, caller=web_caller(), clock=clock)
        await lane.status_of(turn_id, "interrupted")

    body = (await in_reader(lambda: Event.objects.get(type="turn.interrupted"))).body
    assert (body["errorCode"], body["partialText"]) == ("AGENT_RESTARTED", "half")


async def test_an_agent_that_dies_while_idle_is_started_again_for_the_next_turn(live_room, clock):
    first, second = ScriptedSession(), ScriptedSession()
    second.answer("back")
    async with LaneStage(live_room, "builder", first, second) as lane:
        await lane.until(lambda: Lane.objects.filter(status="ready").exists())
        first.die()
        await lane.until(
            lambda: SessionBinding.objects.exclude(instance=None).filter(actor_id="agent:builder").count() == 2
        )
        turn_id = await in_db(given.queued_turn, "builder", clock=clock)
        await lane.status_of(turn_id, "completed")

    assert second.prompts


async def test_a_session_that_turns_out_dead_is_not_prompted_again_and_the_next_one_starts_fresh(live_room, clock):
    first, second = ScriptedSession("native-1"), ScriptedSession("native-2")
    first.say(Started(), Failed(code=ErrorCode.NATIVE_SESSION_LOST, message="It is gone.", session_lost=True))
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)

    async with LaneStage(live_room, "builder", first, second) as lane:
        await lane.status_of(turn_id, "failed")
        await lane.until(
            lambda: SessionBinding.objects.exclude(instance=None).filter(actor_id="agent:builder").count() == 2
        )

    assert lane.driver.resumes == [None, None]
    assert len(first.prompts) == 1
    started = await in_reader(lambda: list(Event.objects.filter(type="session.started").order_by("seq")))
    assert started[-1].body["contextLost"] is True


async def test_a_driver_that_breaks_its_contract_still_ends_the_turn(live_room, clock):
    first, second = ScriptedSession(), ScriptedSession()
    first.say(Started(), TextDelta("half"), RuntimeError("a bug in a driver"))
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)

    async with LaneStage(live_room, "builder", first, second) as lane:
        await lane.status_of(turn_id, "failed")

    assert first.closed
    body = (await in_reader(lambda: Event.objects.get(type="turn.failed"))).body
    assert (body["errorCode"], body["partialText"]) == ("PROTOCOL_INVALID_MESSAGE", "half")


async def test_a_message_too_long_for_the_context_fails_before_anything_is_sent(live_room, clock):
    limits = live_room.limits.model_copy(update={"context_characters": 1_024})
    session = ScriptedSession()
    turn_id = await in_db(given.queued_turn, "builder", clock=clock, content="x" * 2_000)

    async with LaneStage(live_room.model_copy(update={"limits": limits}), "builder", session) as lane:
        await lane.status_of(turn_id, "failed")

    assert session.prompts == []
    body = (await in_reader(lambda: Event.objects.get(type="turn.failed"))).body
    assert body["errorCode"] == "CONTEXT_BUDGET_EXCEEDED"


async def test_closing_interrupts_the_running_turn_and_leaves_waiting_ones_in_the_queue(live_room, clock):
    session = ScriptedSession()
    session.answers_cancel_with = Cancelled()
    session.say(Started())
    running = await in_db(given.queued_turn, "builder", clock=clock)
    waiting = await in_db(given.queued_turn, "builder", clock=clock)

    async with LaneStage(live_room, "builder", session) as lane:
        await lane.status_of(running, "running")

    assert (await in_reader(lambda: Turn.objects.get(turn_id=running))).status == "interrupted"
    assert (await in_reader(lambda: Turn.objects.get(turn_id=waiting))).status == "queued"
    assert session.closed


async def test_a_replaced_worker_stops_by_itself_and_touches_nothing(live_room, clock):
    session = ScriptedSession()
    async with LaneStage(live_room, "builder", session) as lane:
        await lane.until(lambda: Lane.objects.filter(status="ready").exists())
        await in_db(given.a_lane, "builder", "somebody else", clock=clock)
        async with asyncio.timeout(WAIT_SECONDS):
            await lane.task

    assert session.closed
    assert (await in_reader(lambda: Lane.objects.get(actor_id="agent:builder"))).lane_token == "somebody else"


async def test_a_stop_ends_an_opening_that_hangs(live_room, clock):
    async with LaneStage(live_room, "builder", asyncio.Event(), ScriptedSession()) as lane:
        await lane.until(lambda: Event.objects.filter(type="session.starting").exists())
        lane.worker.close()
        async with asyncio.timeout(WAIT_SECONDS):
            await lane.task

    assert (await in_reader(lambda: Lane.objects.get(actor_id="agent:builder"))).status == "stopped"


async def test_a_restart_ends_an_opening_that_hangs_and_opens_another(live_room, clock):
    async with LaneStage(live_room, "builder", asyncio.Event(), ScriptedSession()) as lane:
        await lane.until(lambda: Event.objects.filter(type="session.starting").exists())
        command = Command(client_command_id=given.command_id())
        await in_db(restart, "agent:builder", command, caller=web_caller(), clock=clock)
        await lane.until(lambda: Lane.objects.filter(status="ready").exists())


async def test_an_agent_that_dies_again_and_again_is_given_up_with_its_last_words(live_room, clock):
    sessions = [ScriptedSession(f"native-{n}") for n in range(3)]
    for session in sessions:
        session.last_words = "no licence"
    async with LaneStage(live_room, "builder", *sessions) as lane:
        for number, session in enumerate(sessions):
            await lane.until(
                lambda n=number: (
                    Lane.objects.filter(status="ready").exists()
                    and SessionBinding.objects.exclude(instance=None).filter(actor_id="agent:builder").count() == n + 1
                )
            )
            session.die()
        await lane.until(lambda: Lane.objects.filter(status="failed").exists())
        card = await in_reader(agent_view, "agent:builder")

    assert (card.last_error["exitCode"], card.last_error["output"]) == (7, "no licence")
    assert "session.failed" in await in_reader(event_types)


async def test_a_claimed_turn_goes_back_to_its_queue_when_the_lane_is_to_stop_before_sending_it(live_room, clock):
    claimed = await in_db(given.claimed_turn, "builder", clock=clock)

    await in_db(release_turn, claimed.attempt_id, "lane", clock=clock)

    turn = await in_reader(lambda: Turn.objects.get(turn_id=claimed.turn_id))
    assert turn.status == "queued"
    again = await in_db(claim_turn, "agent:builder", "lane", clock=clock)
    assert again.turn_id == claimed.turn_id and again.attempt_id != claimed.attempt_id


async def test_a_side_task_that_fails_ends_the_lane_instead_of_leaving_it_deaf(live_room, clock):
    session = ScriptedSession()
    async with LaneStage(live_room, "builder", session) as lane:
        await lane.until(lambda: Lane.objects.filter(status="ready").exists())
        lane.link.signals.put_nowait("no signal at all")
        await in_db(delete_lane, "agent:builder")
        async with asyncio.timeout(WAIT_SECONDS):
            await asyncio.gather(lane.task, return_exceptions=True)

    assert session.closed


def delete_lane(actor_id):
    """What nobody does; it makes the orders unreadable."""
    Lane.objects.filter(actor_id=actor_id).delete()
