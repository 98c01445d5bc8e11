"""read, roster, turn_cancel, turns_cancel, agent_restart (docs/mcp.md, "Operator"). Our contract."""

import pytest

from rooms.transactions import in_db
from tests import given
from turns.models import Lane, Turn

pytestmark = pytest.mark.django_db(transaction=True)


async def test_read_gives_what_was_said_and_how_turns_ended_and_no_audit(brain, clock):
    await in_db(given.completed_turn, "builder", clock=clock, text="long " * 1_000)
    await in_db(given.queued_turn, "reviewer", clock=clock)

    read = await brain.answer("read")

    assert {event["type"] for event in read["events"]} == {"message.created", "turn.completed"}
    answer = next(event for event in read["events"] if event["actorId"] == "agent:builder")
    assert len(answer["body"]["content"]) == 2_000 and answer["body"]["fullLength"] == 5_000
    assert [turn["target"] for turn in read["turns"]] == ["agent:reviewer"]
    assert (await brain.refusal("read", limit=201))["code"] == "INVALID_ENVELOPE"
    assert (await brain.refusal("read", correlationId="corr_none"))["code"] == "NOT_FOUND"


async def test_a_read_goes_on_behind_the_last_one(brain, clock):
    for _ in range(3):
        await in_db(given.queued_turn, "builder", clock=clock)
    first = await brain.answer("read", afterSeq=0, limit=2)
    rest = await brain.answer("read", afterSeq=first["nextAfterSeq"])
    assert (len(first["events"]), first["hasMore"], len(rest["events"]), rest["hasMore"]) == (2, True, 1, False)


async def test_roster_tells_who_is_there_and_what_waits_for_them(brain, clock):
    await in_db(given.running_turn, "builder", clock=clock)
    [builder, *others] = (await brain.answer("roster"))["agents"]
    assert (builder["actorId"], builder["queueLength"]) == ("agent:builder", 1) and builder["activeTurnId"]
    assert [agent["actorId"] for agent in others] == ["agent:reviewer", "agent:scribe"]


async def test_a_turn_is_cancelled_once(brain, clock):
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    command = {"turnId": turn_id, "clientCommandId": given.command_id()}
    first, again = [await brain.answer("turn_cancel", **command) for _ in range(2)]

    assert first == again == {"turnId": turn_id, "accepted": True, "status": "cancelled"}
    late = await brain.answer("turn_cancel", turnId=turn_id, clientCommandId=given.command_id())
    assert late["accepted"] is False
    missing = await brain.refusal("turn_cancel", turnId="turn_none", clientCommandId=given.command_id())
    assert missing["code"] == "NOT_FOUND"


async def test_all_turns_of_agents_or_of_a_conversation_are_cancelled_together(brain, clock):
    running = await in_db(given.running_turn, "builder", clock=clock)
    waiting = await in_db(given.queued_turn, "builder", clock=clock)
    other = await in_db(given.queued_turn, "reviewer", clock=clock)
    correlation = await in_db(lambda: Turn.objects.get(turn_id=other).root_correlation_id)

    of_builder = await brain.answer("turns_cancel", to=["agent:builder"], clientCommandId=given.command_id())
    of_talk = await brain.answer("turns_cancel", correlationId=correlation, clientCommandId=given.command_id())

    assert [(turn["turnId"], turn["status"]) for turn in of_builder["turns"]] == [
        (waiting, "cancelled"),
        (running.turn_id, "cancelling"),
    ]
    assert [turn["turnId"] for turn in of_talk["turns"]] == [other] and of_talk["hasMore"] is False
    for wrong, code in (
        ({}, "INVALID_ENVELOPE"),
        ({"to": ["agent:nobody"]}, "UNKNOWN_TARGET"),
        ({"correlationId": "corr_none"}, "NOT_FOUND"),
    ):
        refused = await brain.refusal("turns_cancel", clientCommandId=given.command_id(), **wrong)
        assert refused["code"] == code


async def test_an_agent_is_restarted_by_its_lane(brain, clock):
    await in_db(given.a_lane, "builder", clock=clock)
    told = await brain.answer("agent_restart", agent="agent:builder", clientCommandId=given.command_id())

    assert told["actorId"] == "agent:builder" and told["accepted"]
    assert await in_db(lambda: Lane.objects.get(actor_id="agent:builder").restart_generation) == 1
    for wrong, code in (("agent:nobody", "UNKNOWN_ACTOR"), ("builder", "INVALID_ENVELOPE")):
        refused = await brain.refusal("agent_restart", agent=wrong, clientCommandId=given.command_id())
        assert refused["code"] == code


async def test_nobody_watches_what_nobody_watches(brain):
    assert (await brain.answer("supervision_status"))["items"] == []
    assert (await brain.refusal("supervision_status", taskEventId="evt_none"))["code"] == "NOT_FOUND"
