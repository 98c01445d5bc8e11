"""REST around turns (docs/protocol.md): one happy path, one refusal, one error shape each."""

import json

import pytest

from memory.packet import ContextPacket
from rooms.queries import last_seq
from tests import given
from turns.state import TurnStatus

JSON = {"content_type": "application/json"}


def error_of(response) -> str:
    body = response.json()
    assert set(body) == {"error"} and set(body["error"]) <= {"code", "message", "details"}
    assert body["error"]["message"]
    assert response["Content-Type"].startswith("application/json")
    return body["error"]["code"]


def post(client, path, **body):
    return client.post(path, json.dumps(body), **JSON)


def test_history_gives_older_events_newest_first_with_a_cursor(room, client, clock):
    for _ in range(3):
        given.queued_turn("builder", clock=clock)

    page = client.get("/api/history?limit=4").json()
    rest = client.get(f"/api/history?limit=4&beforeSeq={page['nextCursor']}").json()

    assert [e["seq"] for e in page["events"] + rest["events"]] == [6, 5, 4, 3, 2, 1]
    assert "nextCursor" not in rest


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=501",
        "limit=x",
        "beforeSeq=-1",
        "beforeSeq=1.5",
        "beforeSeq=",
        "beforeSeq=٣",
        "limit=" + "0" * 18 + "100000",
        "limit=" + "9" * 5000,
    ],
)
def test_history_refuses_what_is_no_number_by_name(room, client, query):
    response = client.get(f"/api/history?{query}")

    assert (response.status_code, error_of(response)) == (400, "INVALID_ENVELOPE")
    assert response.json()["error"]["details"]["issues"][0]["path"] == query.split("=")[0]


@pytest.mark.parametrize("path", ["history", "agents", "events/evt_1", "turns/turn_1", "turns/turn_1/packet"])
def test_another_room_is_not_found(room, client, path):
    response = client.get(f"/api/{path}?roomId=room:other")

    assert error_of(response) == "NOT_FOUND"
    assert "room:other" in response.json()["error"]["message"]


def test_one_event_is_given_whole(room, client, clock):
    event_id = given.sent(given.a_message("builder", content="x" * 10), clock=clock).result["messageEventId"]

    assert client.get(f"/api/events/{event_id}").json()["body"] == {"content": "x" * 10}
    assert error_of(client.get("/api/events/evt_nowhere")) == "NOT_FOUND"


def test_the_roster_shows_each_agent_with_its_queue_and_folder(room, client, clock):
    given.queued_turn("builder", clock=clock)

    items = client.get("/api/agents").json()["items"]

    assert [(a["actorId"], a["queueLength"], a["status"]) for a in items] == [
        ("agent:builder", 1, "stopped"),
        ("agent:reviewer", 0, "stopped"),
        ("agent:scribe", 0, "stopped"),
        ("agent:retired", 0, "disabled"),
    ]
    assert items[0]["cwd"] == "/tmp"


def test_a_restart_is_accepted_for_an_enabled_agent_only(room, client):
    response = post(client, "/api/agents/agent:builder/restart", clientCommandId="r1")
    assert (response.status_code, response.json()) == (202, {"actorId": "agent:builder", "accepted": True})
    assert error_of(post(client, "/api/agents/agent:nobody/restart", clientCommandId="r2")) == "UNKNOWN_ACTOR"


def test_a_turn_shows_its_attempts_and_what_is_certain_about_them(room, client, clock):
    turn = given.ended_turn("builder", TurnStatus.INTERRUPTED, clock=clock, text="half")

    shown = client.get(f"/api/turns/{turn.turn_id}").json()

    assert (shown["status"], shown["partialText"]) == ("interrupted", "half")
    assert [(a["dispatchPhase"], a["deliveryCertainty"]) for a in shown["attempts"]] == [("terminal", "delivered")]
    assert error_of(client.get("/api/turns/turn_nowhere")) == "NOT_FOUND"


def test_the_packet_of_a_turn_can_be_read(room, client, clock):
    turn = given.running_turn("builder", clock=clock)
    waiting = given.queued_turn("builder", clock=clock)

    assert client.get(f"/api/turns/{turn.turn_id}/packet").json()["text"] == "the packet"
    for turn_id, why in (
        (waiting, "Nothing was sent to an agent"),
        ("turn_nowhere", "There is no turn “turn_nowhere”"),
    ):
        refused = client.get(f"/api/turns/{turn_id}/packet")
        assert error_of(refused) == "NOT_FOUND"
        assert refused.json()["error"]["message"].startswith(why)


def test_up_to_where_a_summary_stood_is_told_of_an_attempt_and_of_its_packet(room, client, clock):
    claimed = given.claimed_turn("builder", clock=clock)
    packet = ContextPacket(text="x", after_seq=1, summary_through_seq=1)
    given.invoke_prompt(claimed, given.a_session("builder", clock=clock), clock=clock, packet=packet)
    without = given.completed_turn("reviewer", clock=clock).turn_id

    [attempt] = client.get(f"/api/turns/{claimed.turn_id}").json()["attempts"]
    assert (attempt["contextAfterSeq"], attempt["summaryThroughSeq"]) == (1, 1)
    assert client.get(f"/api/turns/{claimed.turn_id}/packet").json()["summaryThroughSeq"] == 1
    assert "summaryThroughSeq" not in client.get(f"/api/turns/{without}/packet").json()
    assert "summaryThroughSeq" not in client.get(f"/api/turns/{without}").json()["attempts"][0]


def test_a_retry_is_answered_the_same_twice(room, client, clock):
    turn = given.ended_turn("builder", TurnStatus.FAILED, clock=clock)
    path = f"/api/turns/{turn.turn_id}/retry"

    first = post(client, path, clientCommandId="again")
    second = post(client, path, clientCommandId="again")

    assert first.status_code == 202 and first.json() == second.json()
    assert error_of(post(client, path, clientCommandId="another")) == "DUPLICATE_DISPATCH"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("get", "/api/nowhere", 404, "NOT_FOUND"),
        ("put", "/api/history", 405, "METHOD_NOT_ALLOWED"),
        ("get", "/api/turns/x/retry", 405, "METHOD_NOT_ALLOWED"),
        ("get", "/api/runtime/shutdown", 405, "METHOD_NOT_ALLOWED"),
    ],
)
def test_every_refusal_has_the_one_error_shape(room, client, method, path, status, code):
    response = getattr(client, method)(path)

    assert (response.status_code, error_of(response)) == (status, code)
    assert status != 405 or response["Allow"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{oops", "INVALID_ENVELOPE"),
        (b'{"clientCommandId":"c","from":"x"}', "SENDER_FIELD_FORBIDDEN"),
        (b'{"clientCommandId":"c","transport":"direct"}', "INVALID_ENVELOPE"),
        (b'{"clientCommandId":"c\\ud800"}', "INVALID_ENVELOPE"),
    ],
)
def test_a_bad_body_is_refused_and_nothing_changes(room, client, clock, body, code):
    turn = given.ended_turn("builder", TurnStatus.FAILED, clock=clock)
    before = last_seq()

    assert error_of(client.post(f"/api/turns/{turn.turn_id}/retry", body, **JSON)) == code
    assert last_seq() == before
