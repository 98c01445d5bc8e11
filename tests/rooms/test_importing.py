"""What may stand in a transcript that is imported (docs/protocol.md, "Export"). Our contract; pure."""

import json
from typing import Any

import pytest

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.importing.lines import read_events


def line(seq: int = 1, **changes: Any) -> str:
    event = {
        "schema": "groupx.event/0.1",
        "eventId": f"evt_{seq}",
        "seq": seq,
        "roomId": "room:main",
        "type": "message.created",
        "actor": {"actorId": "user:web", "kind": "user", "displayName": "You"},
        "to": ["agent:builder"],
        "correlationId": "corr_1",
        "rootCorrelationId": "corr_1",
        "occurredAt": "2026-12-01T10:00:00.000Z",
        "durability": "durable",
        "body": {"content": "hello"},
        "provenance": {"sourceKind": "web"},
    }
    return json.dumps({**event, **changes})


def test_events_in_their_order_are_a_transcript_whatever_later_versions_have_added():
    events = list(read_events([line(1), line(2, type="reaction.added", new={"field": 1})]))
    assert [(event.seq, event.type) for event in events] == [(1, "message.created"), (2, "reaction.added")]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["no json"], "Line 1: this is not JSON"),
        (["[" * 100_000], "Line 1: this is not JSON"),
        (["[]"], "Line 1: "),
        ([""], "Line 1: this is not JSON"),
        ([line(), '{"error":{"code":"STORE_UNAVAILABLE","message":"m"}}'], "Line 2: the export broke off here"),
        ([line(2)], "Line 1, seq: is 2, and 1 comes next"),
        ([line(), line(3)], "Line 2, seq: is 3, and 2 comes next"),
        ([line(), line(2, eventId="evt_1")], "Line 2, eventId: stands there twice"),
        ([line(type="approval.asked")], "Line 1, type: is reserved"),
        ([line(schema="other/1")], "Line 1, schema: must be “groupx.event/0.1”"),
        ([line(roomId="room:other")], "Line 1, roomId: must be “room:main”"),
        ([line(durability="transient")], "Line 1, durability: must be “durable”"),
        ([line(seq=2**63)], "Line 1, seq: "),
        ([line(seq=True)], "Line 1, seq: "),
        ([line(eventId="e" * 65)], "Line 1, eventId: "),
        ([line(actor={"actorId": "robot:x", "displayName": "X"})], "Line 1, actor.actorId: "),
        ([line(actor={"actorId": "agent:x", "displayName": ""})], "Line 1, actor.displayName: "),
        ([line(to=["builder"])], "Line 1, to.0: "),
        ([line(occurredAt="2026-12-01T10:00:00")], "Line 1, occurredAt: "),
        ([line(provenance={"sourceKind": "mail"})], "Line 1, provenance.sourceKind: "),
        ([line(body={"content": "\x00"})], "Line 1: Text must not contain NUL"),
        ([line(body="text")], "Line 1, body: "),
    ],
)
def test_what_is_no_transcript_is_refused_with_the_line_and_the_field(lines: list[str], said: str):
    with pytest.raises(GroupXError) as refused:
        list(read_events(lines))
    assert refused.value.code is ErrorCode.INVALID_ENVELOPE
    assert said in refused.value.message and refused.value.message.endswith(".")
