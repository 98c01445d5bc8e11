"""What the assistant is told of observers, and what it may do with them (docs/mcp.md). Seed contract, section 4.3."""

import pytest

from rooms.models import Event
from rooms.transactions import in_db
from tests import given
from tests.turns import supervising
from tests.turns.tool_clients import tool_server, tools_for
from turns.models import Turn
from turns.queries.operator_reading import PAIRS_SHOWN

pytestmark = pytest.mark.django_db(transaction=True)


def work(*observers: str, **more) -> dict:
    supervision = supervising.supervised(*observers)
    command = {"clientCommandId": given.command_id(), "supervision": supervision}
    return {"to": ["agent:builder"], "content": "paint it blue", **command, **more}


async def test_it_tells_how_often_a_worker_was_steered_and_what_it_is_at_now(brain, clock):
    watched = await in_db(supervising.watched, clock=clock)
    steered = await in_db(watched.steer, "interrupt")

    [pair] = (await brain.answer("supervision_status"))["items"]
    assert (pair["taskEventId"], pair["pairEventId"]) == (
        watched.answer["messageEventId"],
        watched.answer["pairEventId"],
    )
    first, after = pair["workers"]
    assert (first["turnId"], first["status"], first["steers"], first["wasInterrupted"]) == (
        watched.worker_turn_id,
        "cancelling",
        1,
        True,
    )
    assert (after["turnId"], after["status"], after["steers"]) == (steered["nextTurn"]["turnId"], "queued", 0)
    [observer] = pair["observers"]
    assert (observer["turnId"], observer["target"], observer["status"]) == (
        watched.watch_turn_id,
        "agent:reviewer",
        "running",
    )


async def test_a_pair_is_over_when_all_of_its_turns_have_ended(brain):
    told = await brain.answer("worker_dispatch", **work("reviewer"))
    assert (await brain.answer("supervision_status"))["items"][0]["isOver"] is False
    await brain.answer("turns_cancel", correlationId=told["correlationId"], clientCommandId=given.command_id())
    assert (await brain.answer("supervision_status"))["items"][0]["isOver"] is True


async def test_the_newest_pairs_come_first_and_older_ones_are_found_by_their_task(brain, clock):
    tasks = []
    for _ in range(PAIRS_SHOWN + 1):
        tasks.append((await brain.answer("worker_dispatch", **work("reviewer")))["dispatchEventId"])
        await clock.advance(1)
    told = await brain.answer("supervision_status")
    assert [pair["taskEventId"] for pair in told["items"]] == tasks[:0:-1]
    [oldest] = (await brain.answer("supervision_status", taskEventId=tasks[0]))["items"]
    assert oldest["taskEventId"] == tasks[0]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"observers": ["agent:nobody"]}, "UNKNOWN_TARGET"),
        ({"observers": []}, "INVALID_ENVELOPE"),
        ({"observers": ["@all"]}, "INVALID_ENVELOPE"),
        ({"observers": ["agent:reviewer"] * 2}, "INVALID_ENVELOPE"),
        ({"mode": "review"}, "INVALID_ENVELOPE"),
        ({"rounds": 3}, "INVALID_ENVELOPE"),
        ({"observers": ["agent:builder"]}, "SUPERVISION_PAIR_INVALID"),
    ],
)
@pytest.mark.parametrize("tool", ["send", "worker_dispatch", "worker_ask"])
async def test_observers_that_do_not_fit_are_refused_and_nothing_begins(brain, tool, changed, code):
    supervision = {**supervising.supervised("reviewer"), **changed}
    assert (await brain.refusal(tool, **work("reviewer", supervision=supervision)))["code"] == code
    assert await in_db(Turn.objects.count) == await in_db(Event.objects.count) == 0


async def test_the_observer_of_the_assistants_work_can_watch_and_steer_it(brain, clock):
    told = await brain.answer("worker_dispatch", **work("reviewer"))
    await in_db(given.running, told["turns"][0]["turnId"], "builder", clock=clock)
    observer = await in_db(given.running, told["watchTurns"][0]["turnId"], "reviewer", clock=clock)
    handle = given.last_handle()
    brief = await in_db(Event.objects.get, type="supervision.brief")
    assert observer.turn.source_event_id == brief.event_id
    assert (brief.body["taskEventId"], brief.actor_id) == (told["dispatchEventId"], "system:groupx")

    async with tool_server(clock) as members, tools_for(members, handle) as client:
        guidance = {"action": "nudge", "reason": "astray", "content": "Green.", "clientCommandId": "1"}
        steered = (await client.call_tool("steer", guidance)).structured_content
    assert steered["subjectTurnId"] == told["turns"][0]["turnId"]
    [pair] = (await brain.answer("supervision_status", taskEventId=told["dispatchEventId"]))["items"]
    assert [turn["steers"] for turn in pair["workers"]] == [1, 0]
