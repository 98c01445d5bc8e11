"""dispatch_event: a message of the room for other agents (docs/mcp.md, "Operator"). Seed contract, section 4."""

import pytest

from rooms.models import Event
from rooms.transactions import in_db, in_reader
from tests import given
from turns.actions.dispatch_event import ANSWER_IT
from turns.queries.packets import packet_for

pytestmark = pytest.mark.django_db(transaction=True)
LONG = 131_072


def handed_on(event_id: str, *names: str, **more) -> dict:
    to = [f"agent:{name}" for name in names]
    return {"forwardedEventId": event_id, "to": to, "clientCommandId": given.command_id(), **more}


def said_by_builder(text: str, clock) -> Event:
    given.completed_turn("builder", clock=clock, text=text)
    return Event.objects.get(type="message.created", actor_id="agent:builder")


def packet_of(name: str, told: dict, *, session: str | None = None):
    return packet_for(
        f"agent:{name}",
        session,
        source=told["dispatchEventId"],
        root_correlation_id=told["correlationId"],
        through_seq=100,
        max_chars=256_000,
    )


async def test_the_agent_is_given_it_quoted_as_its_authors_and_the_rest_as_the_assistants(brain, clock):
    answer = await in_db(said_by_builder, "the door squeaks", clock)
    told = await brain.answer("dispatch_event", **handed_on(answer.event_id, "reviewer", content="please look"))

    packet = (await in_reader(packet_of, "reviewer", told)).text
    chain, current = packet[packet.index("[reply_chain]") :].split("[current_message]")
    head = f"- id={answer.event_id} seq={answer.seq} author=agent:builder source=adapter"
    assert head in chain and "> the door squeaks" in chain
    assert "author=user:assistant source=operator" in current and current.endswith("\nplease look")
    assert "squeaks" not in current


async def test_the_log_says_it_once(brain, clock):
    answer = await in_db(said_by_builder, "the door squeaks", clock)
    told = await brain.answer("dispatch_event", **handed_on(answer.event_id, "reviewer"))

    dispatch = await in_db(Event.objects.get, event_id=told["dispatchEventId"])
    assert dispatch.body == {
        "content": ANSWER_IT,
        "operation": "dispatch_event",
        "promptLength": len(ANSWER_IT),
        "targets": ["agent:reviewer"],
    }
    assert (dispatch.forwarded_event_id, dispatch.reply_to_event_id) == (answer.event_id, answer.event_id)
    assert await in_db(Event.objects.filter(type="message.created", body__content="the door squeaks").count) == 1


async def test_as_long_a_message_as_there_can_be_is_handed_on(brain, clock):
    receipt = await in_db(given.sent, given.a_message("builder", content="x" * LONG), clock=clock)
    original = receipt.result["messageEventId"]
    told = await brain.answer("dispatch_event", **handed_on(original, "reviewer", content="y"))
    packet = (await in_reader(packet_of, "reviewer", told)).text
    assert "> " + "x" * LONG in packet


async def test_its_own_author_may_be_given_it_again(brain, clock):
    answer = await in_db(said_by_builder, "the door squeaks", clock)
    told = await brain.answer("dispatch_event", **handed_on(answer.event_id, "builder", content="Mend it."))
    packet = (await in_reader(packet_of, "builder", told)).text
    assert "> the door squeaks" in packet


async def test_it_is_handed_on_once_per_command_and_to_several_with_observers(brain, clock):
    answer = await in_db(said_by_builder, "the door squeaks", clock)
    watched = {"observers": ["agent:scribe"], "mode": "live_steer"}
    asked = handed_on(answer.event_id, "builder", "reviewer", supervision=watched)
    first, again = [await brain.answer("dispatch_event", **asked) for _ in range(2)]

    assert first["dispatchEventId"] == again["dispatchEventId"]
    assert [turn["target"] for turn in first["turns"]] == ["agent:builder", "agent:reviewer"]
    assert [turn["target"] for turn in first["watchTurns"]] == ["agent:scribe"]
    status = await brain.answer("supervision_status", taskEventId=first["dispatchEventId"])
    assert [turn["target"] for turn in status["items"][0]["workers"]] == ["agent:builder", "agent:reviewer"]
    refusal = await brain.refusal("dispatch_event", **{**asked, "to": ["agent:builder"]})
    assert refusal["code"] == "CLIENT_COMMAND_CONFLICT"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"to": ["agent:nobody"]}, "UNKNOWN_TARGET"),
        ({"to": []}, "INVALID_ENVELOPE"),
        ({"content": " "}, "INVALID_ENVELOPE"),
        ({"content": "x" * (LONG + 1)}, "MESSAGE_TOO_LARGE"),
        ({"supervision": {"observers": ["agent:reviewer"], "mode": "live_steer"}}, "SUPERVISION_PAIR_INVALID"),
    ],
)
async def test_what_does_not_fit_is_refused_whole(brain, clock, changed, code):
    answer = await in_db(said_by_builder, "the door squeaks", clock)
    before = await in_db(Event.objects.count)
    refusal = await brain.refusal("dispatch_event", **{**handed_on(answer.event_id, "reviewer"), **changed})
    assert refusal["code"] == code
    assert await in_db(Event.objects.count) == before
