"""Long texts in the log: cut where a page or a stream shows them, whole for who asks. docs/protocol.md, "Long text"."""

import json

import pytest

from groupx.kernel.config import GroupXConfig
from rooms.bodies import MessageCreated, ToolProgressRecorded, TurnFailed
from rooms.envelope import SHOWN_CHARS
from rooms.models import Event
from rooms.queries import events_after, events_before, one_event_json
from tests.fakes.clock import FakeClock
from tests.rooms.log_events import append

LONG = "0123456789" * 300_000
HUGE_TOOL = {"output": "x" * 400_000, "input": {"path": "README.md"}}
BODIES = [
    (MessageCreated(content=LONG, turn_id="turn_1"), "content", len(LONG)),
    (TurnFailed(turn_id="turn_1", target_actor_id="agent:builder", partial_text=LONG), "partialText", len(LONG)),
]


@pytest.mark.parametrize(("body", "field", "length"), BODIES, ids=["answer", "partial text"])
def test_a_long_text_is_read_cut_and_given_whole_on_demand(
    room: GroupXConfig, clock: FakeClock, body: MessageCreated, field: str, length: int
) -> None:
    append(body, clock=clock)

    for [event] in (events_after(0, 10), events_before(2, 10)):
        assert event.body[field] == LONG[:SHOWN_CHARS]
        assert (event.body["truncated"], event.body["fullLength"]) == (True, length)
    whole = json.loads(one_event_json(event.event_id))["body"]
    assert whole[field] == LONG and "truncated" not in whole


def test_long_details_of_a_tool_are_read_cut_and_given_whole_on_demand(room: GroupXConfig, clock: FakeClock) -> None:
    tool = ToolProgressRecorded(
        turn_id="turn_1",
        native_type="tool.completed",
        tool_call_id="1",
        name="build",
        status="completed",
        details=HUGE_TOOL,
    )
    append(tool, clock=clock)

    [event] = events_after(0, 10)
    assert event.body["truncated"] and len(event.body["details"]["output"]) < SHOWN_CHARS
    assert event.body["details"]["input"] == HUGE_TOOL["input"]
    assert json.loads(one_event_json(event.event_id))["body"]["details"] == HUGE_TOOL


def test_who_reads_the_log_does_not_load_the_whole_of_long_texts(room: GroupXConfig, clock: FakeClock) -> None:
    append(MessageCreated(content=LONG), MessageCreated(content="short"), clock=clock)

    cut, short = Event.objects.order_by("seq")
    assert len(str(cut.cut_body)) < SHOWN_CHARS + 1_000
    assert short.cut_body is None
