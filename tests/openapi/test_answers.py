"""What the room really answers is what the OpenAPI document says, to the field: real rooms, real answers."""

import json

import pytest
from pydantic import TypeAdapter

from groupx.kernel.config import Limits
from rooms.answers import Event
from rooms.bodies import SessionFailed
from rooms.envelope import SHOWN_CHARS, Envelope, dump
from rooms.queries import events_after
from rooms.vocabulary import EventType, SourceKind
from tests import given
from tests.fakes.clock import FakeClock
from tests.openapi.validation import response_validator, validator_of
from turns.actions.lane_status import set_lane_status
from turns.queries.room import room_snapshot
from turns.state import LaneStatus, TurnStatus

JSON = {"content_type": "application/json"}


def conforms(client, path: str, template: str, method: str = "GET", status: int = 200, **body):
    answer = client.get(path) if method == "GET" else client.post(path, json.dumps(body), **JSON)
    assert answer.status_code == status
    response_validator(method, template, status).validate(answer.json())
    return answer.json()


@pytest.fixture
def lively_room(room, clock):
    """Turns that ended in each way, one that runs, one that waits, an agent that failed."""
    ended = [given.ended_turn("builder", s, clock=clock, text="x" * 9) for s in TurnStatus if s.is_terminal]
    given.running_turn("reviewer", clock=clock)
    given.queued_turn("reviewer", clock=clock)
    given.a_lane("scribe", clock=clock)
    error = {"code": "NATIVE_EXITED", "message": "It ended.", "output": "boom", "exitCode": 1, "hint": "Look."}
    set_lane_status("agent:scribe", "lane", LaneStatus.FAILED, "It ended.", last_error=error, clock=clock)
    return [turn.turn_id for turn in ended]


def test_bootstrap(lively_room):
    response_validator("GET", "/api/bootstrap", 200).validate(json.loads(dump(room_snapshot(Limits()))))


def test_history_events_and_agents(lively_room, client):
    page = conforms(client, "/api/history?limit=5", "/api/history")
    conforms(client, f"/api/history?beforeSeq={page['nextCursor']}", "/api/history")
    for event in events_after(0, 500):
        conforms(client, f"/api/events/{event.event_id}", "/api/events/{eventId}")
    roster = conforms(client, "/api/agents", "/api/agents")
    assert any("lastError" in agent for agent in roster["items"])


def test_turns_their_packets_and_commands_on_them(lively_room, client):
    for turn_id in lively_room:
        conforms(client, f"/api/turns/{turn_id}", "/api/turns/{turnId}")
        conforms(client, f"/api/turns/{turn_id}/packet", "/api/turns/{turnId}/packet")
    completed, failed = lively_room[:2]
    path = "/api/turns/{turnId}/retry"
    conforms(client, f"/api/turns/{failed}/retry", path, "POST", 202, clientCommandId="a")
    conforms(client, f"/api/turns/{failed}", "/api/turns/{turnId}")
    conforms(client, f"/api/turns/{completed}/retry", path, "POST", 409, clientCommandId="b")
    conforms(client, f"/api/turns/{failed}/retry", path, "POST", 409, clientCommandId="c")
    conforms(client, f"/api/turns/{failed}/retry", path, "POST", 400, clientCommandId="d", actor="me")
    conforms(client, "/api/turns/nowhere", "/api/turns/{turnId}", status=404)
    restart = "/api/agents/{actorId}/restart"
    conforms(client, "/api/agents/agent:builder/restart", restart, "POST", 202, clientCommandId="e")
    conforms(client, "/api/agents/agent:nobody/restart", restart, "POST", 404, clientCommandId="f")


def envelope_of(event_type: EventType, body: dict) -> Envelope:
    return Envelope(
        event_id="evt_1",
        seq=None,
        type=event_type.value,
        actor=given.agent("builder"),
        correlation_id="corr_1",
        root_correlation_id="corr_1",
        occurred_at=FakeClock().now(),
        body=body,
        source_kind=SourceKind.ADAPTER,
    )


EVENT = validator_of({"$ref": "#/components/schemas/Event"})


@pytest.mark.parametrize(
    ("event_type", "body"),
    [
        (EventType.MESSAGE_CREATED, {"content": "x" * (SHOWN_CHARS + 1)}),
        (EventType.TURN_FAILED, {"turnId": "t", "targetActorId": "a", "partialText": "x" * (SHOWN_CHARS + 1)}),
        (
            EventType.TOOL_PROGRESS_RECORDED,
            {
                "turnId": "t", "nativeType": "tool.completed", "toolCallId": "c", "name": "n", "status": "done",
                "details": {"output": "x" * (SHOWN_CHARS + 1)},
            },
        ),
    ],
)  # fmt: skip
def test_what_is_shown_short_says_so_in_documented_fields(event_type, body):
    shown = json.loads(dump(envelope_of(event_type, body).shortened().wire()))
    assert shown["body"]["truncated"] is True
    EVENT.validate(shown)


def test_a_body_of_a_known_type_with_an_undocumented_field_does_not_fit():
    body = SessionFailed(actor_id="agent:a", error_code="X", message="m").wire()
    assert EVENT.is_valid(json.loads(dump(envelope_of(EventType.SESSION_FAILED, body).wire())))
    assert not EVENT.is_valid(json.loads(dump(envelope_of(EventType.SESSION_FAILED, {**body, "more": 1}).wire())))


def test_an_unknown_type_may_have_any_body():
    shown = json.loads(dump(envelope_of(EventType.SYSTEM_ERROR, {"anything": 1}).wire())) | {"type": "future.type"}
    EVENT.validate(shown)
    TypeAdapter(Event).validate_python(shown)
