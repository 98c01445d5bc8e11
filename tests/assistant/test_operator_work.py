"""worker_dispatch, worker_ask, dispatch_event and send (docs/mcp.md, "Operator"). Seed contract,
sections 4 and 12."""

import asyncio
from typing import Any

import pytest

from rooms.models import Event
from rooms.transactions import in_db, in_reader
from tests import given
from tests.assistant.operator_stage import brain_of, operator_server
from tests.turns.asking_stage import OF_THE_TAIL, readers_are_done
from turns.models import Lane, SupervisionPair, Turn
from turns.queries.packets import packet_for
from turns.settlement import TurnOutcome
from turns.state import LaneStatus, TurnStatus

pytestmark = pytest.mark.django_db(transaction=True)


def events(*types: str) -> list[dict[str, Any]]:
    fields = ("event_id", "type", "actor_id", "source_kind", "to", "body", "reply_to_event_id", "forwarded_event_id")
    return list(Event.objects.filter(type__in=types).order_by("seq").values(*fields))


def work(*names: str, content: str = "paint it blue", **more: Any) -> dict[str, Any]:
    to = [f"agent:{name}" for name in names]
    return {"to": to, "content": content, "clientCommandId": given.command_id(), **more}


async def test_work_is_an_operator_dispatch_with_a_turn_for_each_agent_and_no_message(brain):
    given_work = work("builder", "reviewer")
    told = await brain.answer("worker_dispatch", **given_work)

    [dispatch] = await in_db(events, "operator.dispatch")
    assert dispatch["event_id"] == told["dispatchEventId"]
    assert (dispatch["actor_id"], dispatch["source_kind"]) == ("user:assistant", "operator")
    assert dispatch["to"] == given_work["to"]
    assert dispatch["body"] == {
        "content": "paint it blue",
        "operation": "worker_dispatch",
        "promptLength": 13,
        "targets": given_work["to"],
    }
    assert [turn["target"] for turn in told["turns"]] == given_work["to"]
    assert await in_db(events, "message.created") == []


async def test_the_same_command_again_gives_the_first_answer_and_another_work_under_it_is_a_conflict(brain):
    once = work("builder")
    first, again = [await brain.answer("worker_dispatch", **once) for _ in range(2)]

    assert first == again and len(await in_db(events, "operator.dispatch")) == 1
    assert (await brain.refusal("worker_dispatch", **{**once, "content": "red"}))["code"] == "CLIENT_COMMAND_CONFLICT"


async def test_the_agent_is_given_the_work_as_the_assistants_and_its_answer_is_a_message_to_it(brain, clock):
    told = await brain.answer("worker_dispatch", **work("builder"))
    packet = await in_reader(_packet_of_builder, told)
    await in_db(given.worked_off, "builder", clock=clock)

    assert "paint it blue" in packet.text and "author=user:assistant source=operator" in packet.text
    [answer] = await in_db(events, "message.created")
    assert (answer["actor_id"], answer["reply_to_event_id"]) == ("agent:builder", told["dispatchEventId"])


def _packet_of_builder(told):
    return packet_for(
        "agent:builder",
        None,
        source=told["dispatchEventId"],
        root_correlation_id=told["correlationId"],
        through_seq=100,
        max_chars=100_000,
    )


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"to": ["agent:nobody"]}, "UNKNOWN_TARGET"),
        ({"to": []}, "INVALID_ENVELOPE"),
        ({"to": ["builder"]}, "INVALID_ENVELOPE"),
        ({"content": " "}, "INVALID_ENVELOPE"),
        ({"content": "x" * 131_073}, "MESSAGE_TOO_LARGE"),
        ({"replyToEventId": "evt_none"}, "NOT_FOUND"),
        ({"clientCommandId": ""}, "INVALID_ENVELOPE"),
        ({"supervision": {"observers": ["agent:builder"], "mode": "live_steer"}}, "SUPERVISION_PAIR_INVALID"),
    ],
)
async def test_work_that_does_not_fit_is_refused_whole(brain, changed, code):
    for tool in ("worker_dispatch", "worker_ask"):
        assert (await brain.refusal(tool, **{**work("builder"), **changed}))["code"] == code
    assert await in_db(Turn.objects.count) == 0 and await in_db(events, "operator.dispatch") == []


async def test_a_full_queue_refuses_it_and_names_the_agent(live_room, server, clock, tmp_path):
    async with operator_server(clock, tmp_path, queue_per_agent=1) as small:
        brain = brain_of(small)
        await brain.answer("worker_dispatch", **work("builder"))
        refused = await brain.refusal("worker_dispatch", **work("builder", "reviewer"))
    assert refused["code"] == "QUEUE_CAPACITY_REACHED" and refused["details"]["fullTargets"] == ["agent:builder"]


async def test_the_task_of_supervised_work_is_the_dispatch(brain):
    told = await brain.answer(
        "worker_dispatch", **work("builder", supervision={"observers": ["agent:reviewer"], "mode": "live_steer"})
    )
    [pair] = await in_db(lambda: list(SupervisionPair.objects.all()))
    assert pair.task_id == told["dispatchEventId"] and [turn["target"] for turn in told["watchTurns"]] == [
        "agent:reviewer"
    ]
    shown = await brain.answer("supervision_status", taskEventId=told["dispatchEventId"])
    [item] = shown["items"]
    assert (item["isOver"], item["workers"][0]["turnId"]) == (False, told["turns"][0]["turnId"])


async def test_worker_ask_waits_for_the_answer(brain, clock):
    await in_db(given.a_lane, "builder", clock=clock)
    await in_db(Lane.objects.update, status=LaneStatus.READY.value)
    asking = asyncio.create_task(brain.answer("worker_ask", **work("builder", content="what time is it?")))
    await clock.until_asleep(OF_THE_TAIL + 1)  # it waits
    await readers_are_done()
    await in_db(given.worked_off, "builder", clock=clock)
    told = await asking

    assert told["state"] == "terminal"
    [result] = told["results"]
    assert (result["target"], result["status"]) == ("agent:builder", "completed") and result["content"]


async def test_an_agent_that_is_busy_leaves_it_pending_and_the_same_call_gets_the_answer_later(brain, clock):
    await in_db(given.running_turn, "builder", clock=clock)
    asked = work("builder")
    pending = await brain.answer("worker_ask", **asked)
    [result] = pending["results"]
    assert (pending["state"], result["status"]) == ("pending", "pending")
    assert "the same clientCommandId" in result["note"] and "collect" not in result["note"]

    turn_id = result["turnId"]
    await in_db(given.cancelled, turn_id, clock=clock)
    again = await brain.answer("worker_ask", **asked)
    assert (again["state"], again["results"][0]["status"]) == ("terminal", "cancelled")
    assert len(await in_db(events, "operator.dispatch")) == 1


async def test_only_what_was_said_can_be_handed_on(brain, clock):
    await in_db(given.queued_turn, "builder", clock=clock)
    [queued] = await in_db(events, "turn.queued")
    for event_id in ("evt_none", queued["event_id"]):
        refused = await brain.refusal(
            "dispatch_event", forwardedEventId=event_id, to=["agent:scribe"], clientCommandId=given.command_id()
        )
        assert refused["code"] == "NOT_FOUND"
    assert await in_db(events, "operator.dispatch") == []


async def test_send_is_a_message_of_the_assistant_that_wakes_whom_it_names_and_else_nobody(brain):
    alone = await brain.answer("send", content="hello all", clientCommandId=given.command_id())
    named = await brain.answer("send", **work("builder", content="hello you"))

    first, second = await in_db(events, "message.created")
    assert (alone["turns"], first["to"], first["actor_id"]) == ([], [], "user:assistant")
    assert [turn["target"] for turn in named["turns"]] == second["to"] == ["agent:builder"]
    assert first["source_kind"] == second["source_kind"] == "operator"
    lonely = {"supervision": {"observers": ["agent:reviewer"], "mode": "live_steer"}}
    refused = await brain.refusal("send", content="x", clientCommandId=given.command_id(), **lonely)
    assert refused["code"] == "INVALID_ENVELOPE"


async def test_a_failed_turn_of_the_work_can_be_tried_again(brain, clock):
    await brain.answer("worker_dispatch", **work("builder"))
    failed = TurnOutcome(status=TurnStatus.FAILED, message="broke")
    turn_id = (await in_db(given.worked_off, "builder", failed, clock=clock)).turn_id
    assert await in_db(given.retried, turn_id, clock=clock) != turn_id
