"""Answers of megabytes from the agent's pipe to the reader, with real processes. docs/protocol.md, "Long text"."""

from collections.abc import Iterator

import pytest

from rooms.envelope import SHOWN_CHARS
from tests.running_room import RunningRoom, StreamReader, do, running_room

MB = 1_000_000
GROWTH_MB = 200
"""A few copies of the longest answer; nothing that stays grows with the number of readers or of deltas."""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    with running_room(tmp_path_factory.mktemp("room"), "builder") as room:
        room.until_agent("builder", "ready")
        yield room


def memory_mb(room: RunningRoom) -> dict[str, float]:
    return {name: room.processes(name)[0].memory_info().rss / MB for name in ("groupx_serve", "groupx_lane")}


@pytest.mark.parametrize(
    ("step", "length"),
    [
        ({"big": 3 * MB}, 3 * MB),
        ({"many": [3_000, 1_000]}, 3 * MB),
        ({"big": 15 * MB}, 15 * MB),
        ({"many": [5_000, 4_000]}, 20 * MB),
    ],
    ids=["3 MB at once", "3 MB in pieces", "15 MB at once", "20 MB in pieces"],
)
def test_a_long_answer_is_cut_for_readers_and_whole_on_demand(room: RunningRoom, step: dict, length: int) -> None:
    before = memory_mb(room)
    reader = StreamReader(room)
    answer = room.send("builder", content=do(steps=[step]))
    assert room.until_turn(room.turn(answer))["status"] == "completed"
    newest = room.get("/api/bootstrap")
    reader.until(newest["cursor"])
    reader.close()

    told = "".join(event["body"]["text"] for event in reader.transient if event["type"] == "turn.content.delta")
    assert len(told) == SHOWN_CHARS
    [at_once] = [event for event in reader.events if event["type"] == "message.created"][-1:]
    [in_snapshot] = [event for event in newest["recentEvents"] if event["type"] == "message.created"][-1:]
    for event in (at_once, in_snapshot):
        assert (len(event["body"]["content"]), event["body"]["fullLength"]) == (SHOWN_CHARS, length)
    whole = room.get(f"/api/events/{at_once['eventId']}")["body"]["content"]
    assert len(whole) == length and whole.startswith(told)
    after = memory_mb(room)
    assert {name: after[name] - before[name] < GROWTH_MB for name in before} == dict.fromkeys(before, True), after


def test_a_line_that_is_longer_than_any_may_be_fails_its_turn_and_no_other(room: RunningRoom) -> None:
    answer = room.send("builder", content=do(steps=[{"big": 20 * MB}]))
    turn = room.until_turn(room.turn(answer))
    assert (turn["status"], turn["errorCode"]) == ("failed", "PROTOCOL_INVALID_MESSAGE")

    answer = room.send("builder", content="and now?")
    assert room.until_turn(room.turn(answer))["status"] == "completed"


def test_a_reader_that_comes_in_the_middle_of_a_long_answer_gets_its_beginning_and_the_length(
    room: RunningRoom,
) -> None:
    go_on = room.folder / "builder" / "go-on"
    answer = room.send("builder", content=do(steps=[{"many": [5_000, 4_000]}, {"wait": str(go_on)}, {"text": "end"}]))
    early = StreamReader(room)
    turn_id = room.turn(answer)
    early.until_transient(lambda body: body.get("turnId") == turn_id and body.get("fullLength", 0) > 19 * MB)

    late = StreamReader(room)
    late.until_transient(lambda body: body.get("turnId") == turn_id and body.get("replace"))
    go_on.write_text("")
    assert room.until_turn(turn_id)["status"] == "completed"
    early.close()
    late.close()

    [first] = [e["body"] for e in late.transient if e["body"].get("turnId") == turn_id and e["body"].get("replace")]
    assert (len(first["text"]), first["truncated"]) == (SHOWN_CHARS, True)
    assert first["fullLength"] > 19 * MB
