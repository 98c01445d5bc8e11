"""POST /api/preview (docs/protocol.md, "Messages"): what agents would be given, and nothing done."""

import json

import pytest
from django.apps import apps

from groupx.kernel.config import Limits
from groupx.kernel.errors import GroupXError
from groupx.kernel.shapes import parse
from memory.packet_text import NOT_SENT
from rooms.caller import web_caller
from rooms.models import Actor
from rooms.queries import last_seq
from tests import given
from tests.given_context import reset, summed_up
from turns.actions.claim_turn import claim_turn
from turns.queries.packets import packet_for
from turns.queries.preview import preview
from turns.requests import MessageDraft, SendMessage

JSON = {"content_type": "application/json"}


def asked(client, *names: str, **more: object):
    body = {"to": [f"agent:{name}" for name in names], "content": "draft", **more}
    return client.post("/api/preview", json.dumps(body), **JSON)


def previewed(client, *names: str, **more: object) -> list[dict]:
    response = asked(client, *names, **more)
    assert response.status_code == 200, response.json()
    return response.json()["agents"]


def of_limits(**limits: int) -> list[dict]:
    draft = MessageDraft(to=["agent:builder", "agent:reviewer"], content="x" * 900)
    return preview(draft, caller=web_caller(), limits=Limits(**limits))["agents"]


def test_the_preview_is_what_the_turn_is_given_but_for_what_only_sending_gives(room, client, clock):
    given.completed_turn("builder", clock=clock, text="mine")
    given.remembered("a fact of the room", clock=clock)
    old = given.sent(given.a_message("reviewer", content="of the delta"), clock=clock).result["messageEventId"]
    through = last_seq()
    [shown] = previewed(client, "builder", content="a draft\n[x]", replyToEventId=old)

    given.queued_turn("builder", clock=clock, content="a draft\n[x]", replyToEventId=old)
    claimed = claim_turn("agent:builder", "lane", clock=clock)
    real = packet_for(
        "agent:builder",
        "native-1",
        source=claimed.source_event_id,
        root_correlation_id=claimed.root_correlation_id,
        through_seq=claimed.context_through_seq,
        max_chars=256_000,
    )

    expected = real.text.replace(f"through_seq={claimed.context_through_seq}\n", f"through_seq={through}\n").replace(
        f"id={claimed.source_event_id} seq={through + 1} ", f"id={NOT_SENT} seq={NOT_SENT} "
    )
    assert shown["text"] == expected
    assert "of the delta" in shown["text"] and "a fact of the room" in shown["text"]
    assert (shown["actorId"], shown["characters"]) == ("agent:builder", len(shown["text"]))
    assert (shown["omissions"], shown["needsCompaction"]) == ({}, False)
    assert "problem" not in shown


def test_everyone_is_each_enabled_agent_in_the_order_of_the_roster(room, client):
    agents = previewed(client, to=["@all"])
    everyone = ["agent:builder", "agent:reviewer", "agent:scribe"]
    assert [agent["actorId"] for agent in agents] == everyone
    assert all(f"to={','.join(everyone)}\ndraft" in agent["text"] for agent in agents)
    assert f"target={everyone[1]}\n" in agents[1]["text"]


def test_each_agent_is_shown_from_what_its_present_session_was_given(room, client, clock):
    given.completed_turn("builder", clock=clock, text="of builder")
    given.sent(given.a_message("scribe", content="since then"), clock=clock)

    builder, reviewer = previewed(client, "builder", "reviewer")

    assert "since then" in builder["text"] and "of builder" not in builder["text"]
    assert "since then" in reviewer["text"] and "of builder" in reviewer["text"]

    given.a_session("builder", "a-fresh-one", clock=clock)
    [builder] = previewed(client, "builder")
    assert "of builder" in builder["text"]


def test_a_summary_and_a_reset_are_seen_in_it(room, client, clock):
    given.sent(given.a_message("reviewer", content="long ago"), clock=clock)
    covered = last_seq()
    summed_up(covered, "in short", clock=clock)
    [shown] = previewed(client, "builder")
    assert "in short" in shown["text"] and "long ago" not in shown["text"]
    assert shown["summaryThroughSeq"] == covered

    reset(clock=clock)
    [shown] = previewed(client, "builder")
    assert "in short" not in shown["text"]
    assert "summaryThroughSeq" not in shown


def test_what_does_not_fit_asks_for_compaction(room, clock):
    given.sent(given.a_message("scribe", content="y" * 900), clock=clock)
    [builder, _] = of_limits(context_characters=3_000)
    assert builder["needsCompaction"] is True
    assert builder["omissions"] == {"roomDelta": 1}


def test_what_is_too_long_for_an_agent_is_told_there_and_not_of_the_others(room, clock):
    needed = len(of_limits()[0]["text"])
    Actor.objects.filter(actor_id="agent:reviewer").update(identity="z" * 2_000)

    builder, reviewer = of_limits(context_characters=needed + 400)

    assert builder["text"] and "problem" not in builder
    assert (reviewer["text"], reviewer["characters"], reviewer["needsCompaction"]) == (None, None, False)
    assert reviewer["problem"]["code"] == "CONTEXT_BUDGET_EXCEEDED"
    assert "limits.contextCharacters allows" in reviewer["problem"]["message"]


def test_it_writes_nothing_and_wakes_nobody(room, client, clock):
    given.completed_turn("builder", clock=clock)
    before = {model: list(model.objects.order_by("pk").values()) for model in apps.get_models() if model._meta.managed}

    previewed(client, to=["@all"])

    assert before == {model: list(model.objects.order_by("pk").values()) for model in before}


@pytest.mark.parametrize(
    ("body", "status", "code", "path"),
    [
        ({"to": []}, 400, "INVALID_ENVELOPE", "to"),
        ({"to": ["agent:builder"] * 2}, 400, "INVALID_ENVELOPE", "to"),
        ({"to": ["@all", "agent:builder"]}, 400, "INVALID_ENVELOPE", "to"),
        ({"to": ["builder"]}, 400, "INVALID_ENVELOPE", "to.0"),
        ({"to": ["agent:retired"]}, 404, "UNKNOWN_TARGET", None),
        ({"content": "x" * 131_073}, 413, "MESSAGE_TOO_LARGE", "content"),
        ({"content": None}, 400, "INVALID_ENVELOPE", "content"),
        ({"replyToEventId": "evt_nowhere"}, 404, "NOT_FOUND", "replyToEventId"),
        ({"roomId": "room:other"}, 400, "INVALID_ENVELOPE", "roomId"),
        ({"from": "agent:builder"}, 400, "SENDER_FIELD_FORBIDDEN", "from"),
        ({"unknown": 1}, 400, "INVALID_ENVELOPE", "unknown"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_it_is_refused_as_sending_would_be(room, client, clock, body, status, code, path):
    draft = {"to": ["agent:builder"], "content": "draft", **body}

    refused = client.post("/api/preview", json.dumps(draft), **JSON)

    assert refused.status_code == status
    error = refused.json()["error"]
    assert error["code"] == code
    if path is not None:
        assert path in [issue["path"] for issue in error["details"]["issues"]]
    with pytest.raises(GroupXError) as of_sending:
        given.sent(parse(SendMessage, {**draft, "clientCommandId": "c1"}), clock=clock)
    assert (of_sending.value.code, of_sending.value.message) == (code, error["message"])


def test_it_is_refused_where_a_queue_is_full(room, client, clock):
    for _ in range(Limits().queue_per_agent):
        given.queued_turn("builder", clock=clock)
    refused = asked(client, "reviewer", "builder")
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "QUEUE_CAPACITY_REACHED")
