"""`watch`: what an observer is told, when, and what it never is (protocol section 6.7; docs/mcp.md, "watch")."""

import asyncio
import json

import pytest

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.live_turn import DeltaKind
from rooms.queries import events_after
from rooms.transactions import in_reader
from tests import given
from tests.turns.watching_stage import watching_stage
from turns.recording import ToolRecord
from turns.state import TurnStatus

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def stage(live_room, clock):
    async with watching_stage(clock) as stage:
        yield stage


def kinds(answer) -> list[str]:
    return [milestone["kind"] for milestone in answer["milestones"]]


async def test_the_first_look_tells_how_the_turn_stands_and_the_room_is_told_once(stage):
    answer = await stage.watch()
    await stage.watch(afterSeq=0)

    assert (answer["state"], kinds(answer)) == ("milestone", ["turn_started"])
    snapshot = answer["snapshot"]
    assert (snapshot["subjectTurnId"], snapshot["agent"]) == (stage.scene.worker_turn_id, "agent:builder")
    assert (snapshot["status"], snapshot["deliveryCertainty"], snapshot["steers"]) == ("running", "delivered", 0)
    assert snapshot["task"] == {"eventId": stage.scene.answer["messageEventId"], "excerpt": "hello"}
    observed = [e for e in await in_reader(events_after, 0, 50) if e.type == "supervision.observed"]
    assert [(e.actor.actor_id, e.source_kind) for e in observed] == [("agent:reviewer", "supervision")]
    assert observed[0].body == {
        "watchTurnId": stage.scene.watch_turn_id,
        "subjectTurnId": stage.scene.worker_turn_id,
        "targetActorId": "agent:builder",
    }


async def test_a_tool_that_starts_or_ends_is_told_by_name_and_state(stage):
    await stage.watch()

    watching = await stage.watching()
    stage.tool("call_1", "bash", "running")
    started = await watching
    watching = await stage.watching()
    stage.tool("call_1", "bash", "completed")
    ended = await watching

    assert started["milestones"] == [{"kind": "tool", "toolCallId": "call_1", "name": "bash", "status": "running"}]
    assert ended["milestones"][0]["status"] == "completed"
    assert ended["snapshot"]["tools"] == [{"toolCallId": "call_1", "name": "bash", "status": "completed"}]


async def test_what_happens_between_two_watches_is_told_at_once_and_nothing_twice(stage, clock):
    await stage.watch()
    stage.tool("call_1", "bash", "running")

    assert kinds(await stage.watch()) == ["tool"]
    watching = await stage.watching(timeoutMs=3_000)
    await clock.advance(3)
    assert (await watching)["state"] == "pending"


async def test_growing_text_is_told_every_two_seconds_at_the_most(stage, clock):
    await stage.watch()

    watching = await stage.watching()
    stage.says("I will ")
    stage.says("look first.")
    await clock.advance(2)
    first = await watching
    stage.says(" Then mend.")
    watching = await stage.watching()
    await clock.advance(1.9)
    assert not watching.done()
    await clock.advance(0.1)
    second = await watching

    assert first["milestones"] == [{"kind": "message", "excerpt": "I will look first."}]
    assert second["milestones"] == [{"kind": "message", "excerpt": " Then mend."}]
    assert second["snapshot"]["textSoFar"] == "I will look first. Then mend."


async def test_what_the_worker_publishes_is_a_milestone_and_what_others_say_is_none(stage):
    await stage.watch()
    watching = await stage.watching()

    await stage.do(given.queued_turn, "scribe", content="something else")
    await stage.do(given.published, stage.scene.worker, "Half done.")
    answer = await watching

    [milestone] = answer["milestones"]
    assert (milestone["kind"], milestone["excerpt"]) == ("message", "Half done.")
    assert answer["snapshot"]["messages"] == [{"eventId": milestone["eventId"], "excerpt": "Half done."}]


@pytest.mark.parametrize("status", [TurnStatus.COMPLETED, TurnStatus.FAILED, TurnStatus.INTERRUPTED])
@pytest.mark.parametrize("until", ["next_milestone", "terminal"])
async def test_the_end_of_the_turn_ends_the_watch(stage, status, until):
    await stage.watch()
    watching = await stage.watching(until)

    await stage.end(status, text="Done.")
    answer = await watching

    assert (answer["state"], answer["snapshot"]["status"]) == ("terminal", status)
    assert answer["milestones"][-1]["status"] == status
    assert "nothing left to watch" in answer["note"]


async def test_until_terminal_milestones_on_the_way_do_not_end_the_watch_but_are_told_with_it(stage):
    watching = await stage.watching("terminal")
    stage.tool("call_1", "bash", "running")
    await stage.do(given.published, stage.scene.worker, "Half done.")
    assert not watching.done()

    await stage.end(TurnStatus.COMPLETED, text="Done.")

    assert kinds(await watching) == ["turn_started", "message", "message", "terminal"]


@pytest.mark.parametrize(
    "end",
    [
        {"status": TurnStatus.CANCELLED},
        {"status": TurnStatus.INTERRUPTED, "error_code": ErrorCode.TURN_CANCEL_TIMEOUT},
    ],
    ids=["heeded", "ended"],
)
async def test_a_cancel_by_a_person_ends_the_watch_as_that(stage, end):
    watching = await stage.watching("terminal")
    await stage.do(given.cancelled, stage.scene.worker_turn_id)
    await stage.end(**end)

    answer = await watching

    assert answer["state"] == "subject_cancelled"
    assert "nothing comes of it" in answer["note"]
    assert (await stage.watch())["state"] == "subject_cancelled"


async def test_a_steer_is_a_milestone_and_the_turn_it_starts_is_watched_next(stage):
    await stage.watch()
    watching = await stage.watching()
    steered = await stage.steer("interrupt", reason="Wrong way.")
    told = await watching
    await stage.end(TurnStatus.CANCELLED)
    ended = await stage.watch(subjectTurnId=stage.scene.worker_turn_id)
    following = await stage.watching(timeoutMs=2_000)
    await stage.clock.advance(2)

    assert told["milestones"][0] | {"seq": 0} == {
        "kind": "steered",
        "seq": 0,
        "action": "interrupt",
        "reason": "Wrong way.",
    }
    assert (ended["state"], ended["snapshot"]["lastSteerReason"]) == ("terminal", "Wrong way.")
    assert steered["nextTurn"]["turnId"] in ended["note"]
    assert (await following)["snapshot"]["subjectTurnId"] == steered["nextTurn"]["turnId"]


async def test_a_turn_that_had_ended_before_is_told_at_once(live_room, clock):
    async with watching_stage(clock) as stage:
        await stage.end(TurnStatus.COMPLETED, text="Done.", tools=[_record()])
        answer = await stage.watch()

    assert answer["state"] == "terminal"
    assert kinds(answer) == ["turn_started", "message", "terminal"]
    assert answer["snapshot"]["tools"] == [{"toolCallId": "call_1", "name": "bash", "status": "completed"}]


async def test_after_a_restart_of_the_server_what_is_in_the_log_is_still_told(stage):
    first = await stage.watch()
    stage.room = stage.new_server()

    assert kinds(await stage.watch()) == kinds(first) == ["turn_started"]
    watching = await stage.watching(afterSeq=first["nextAfterSeq"])
    stage.tool("call_1", "bash", "running")
    assert kinds(await watching) == ["tool"]


async def test_several_observers_of_a_turn_are_each_told(stage):
    await stage.watch()
    watching = [await stage.watching(), await stage.watching("terminal", waits=2)]
    stage.tool("call_1", "bash", "running")
    assert kinds(await watching[0]) == ["tool"]
    await stage.end(TurnStatus.COMPLETED, text="Done.")
    assert (await watching[1])["state"] == "terminal"


async def test_the_client_hears_that_it_is_still_watched(stage, clock):
    await stage.watch()
    watching = await stage.watching("terminal")
    await clock.advance(10)
    await stage.end(TurnStatus.COMPLETED, text="Done.")
    await watching

    assert stage.progress == ["Watching agent:builder."]


async def test_a_watch_ends_when_the_room_closes(stage):
    await stage.watch()
    watching = [await stage.watching(), await stage.watching("terminal", waits=2)]
    stage.tail.close()

    for answer in await asyncio.gather(*watching):
        assert (answer["state"], answer["note"]) == ("pending", "The room is closing; the turns go on.")


async def test_a_turn_that_is_no_watch_turn_watches_nothing(stage):
    with pytest.raises(GroupXError) as refused:
        await stage.watch(member=stage.scene.worker)
    assert refused.value.code is ErrorCode.SUPERVISION_WATCH_REQUIRED

    with pytest.raises(GroupXError) as refused:
        await stage.watch(subjectTurnId=stage.scene.watch_turn_id)
    assert refused.value.code is ErrorCode.NOT_FOUND


# ---------------------------------------------------------------- what never comes out of it
def _record(status: str = "completed", name: str = "bash", **details) -> ToolRecord:
    return ToolRecord(native_type="tool.completed", tool_call_id="call_1", name=name, status=status, details=details)


async def test_neither_thoughts_nor_arguments_nor_results_nor_native_words_reach_an_observer(stage):
    marked = {"input": {"command": "MARK-input"}, "output": "MARK-output", "title": "rm MARK-title", "kind": "execute"}
    stage.says("MARK-thought", DeltaKind.REASONING)
    stage.tool("call_1", "rm MARK-title", "running", **marked)
    live = await stage.watch()
    await stage.end(
        TurnStatus.FAILED,
        text="partly",
        reasoning="MARK-thought",
        tools=[_record(name="rm MARK-title", **marked)],
        error_code=ErrorCode.NATIVE_ERROR,
        message="MARK-stderr",
        hint="MARK-hint",
    )
    ended = await stage.watch()

    assert "MARK" not in json.dumps([live, ended])
    assert [answer["snapshot"]["tools"][0]["name"] for answer in (live, ended)] == ["execute", "execute"]
    assert ended["snapshot"]["errorCode"] == "NATIVE_ERROR"
