"""Events put into the log the way actions do it, for tests of readers."""

import json

from groupx.kernel.clock import Clock
from rooms.actions.append_event import append_events
from rooms.bodies import Body, MessageCreated
from rooms.caller import PERSON
from rooms.new_event import NewEvent
from rooms.transactions import durable
from rooms.vocabulary import SourceKind


@durable
def append(*bodies: Body, clock: Clock) -> int:
    """One transaction; gives the last seq."""
    who = {"actor": PERSON, "source_kind": SourceKind.WEB, "correlation_id": "corr_1", "root_correlation_id": "corr_1"}
    events = append_events([NewEvent(body=body, **who) for body in bodies], clock=clock)
    return events[-1].seq


def messages(count: int, content: str = "hello") -> list[Body]:
    return [MessageCreated(content=f"{content} {number}") for number in range(count)]


def events_of(raw: bytes) -> list[dict]:
    """The envelopes in a piece of a stream, in order; comments and `retry` left out."""
    found = []
    for block in raw.decode().split("\n\n"):
        lines = block.split("\n")
        data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        if data:
            event = json.loads(data[0])
            ids = [line.removeprefix("id: ") for line in lines if line.startswith("id: ")]
            assert ids == ([str(event["seq"])] if event.get("seq") is not None else [])
            found.append(event)
    return found


def seqs_of(raw: bytes) -> list[int]:
    return [event["seq"] for event in events_of(raw) if event.get("seq") is not None]
