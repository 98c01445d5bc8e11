"""`groupx_import`: an export becomes an empty room's log (docs/operations.md, "Moving a transcript"). Our contract."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from groupx.kernel.config import GroupXConfig
from tests import given
from tests.fakes.clock import FakeClock
from tests.groupx.kept_rooms import keep_room, manage
from tests.running_room import RunningRoom, do, scripted


@pytest.fixture
def transcript(live_room: GroupXConfig, clock: FakeClock, tmp_path: Path) -> Path:
    """Of a room with a turn that has ended, one that runs and one that waits."""
    given.completed_turn("builder", clock=clock, text="ünïcode " + "long " * 60_000)
    given.running_turn("reviewer", clock=clock)
    given.queued_turn("reviewer", clock=clock)
    former = tmp_path / "former"
    former.mkdir()
    keep_room(former)
    exported = manage("groupx_export", "--output", str(tmp_path / "room.jsonl"), folder=former)
    assert exported.returncode == 0, exported.stderr
    return tmp_path / "room.jsonl"


@pytest.fixture
def new_room(tmp_path: Path) -> RunningRoom:
    folder = tmp_path / "new"
    folder.mkdir()
    return RunningRoom(folder, {"builder": scripted("builder", folder)})


def lines_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def imported(room: RunningRoom, path: Path) -> tuple[int, str]:
    done = manage("groupx_import", str(path), folder=room.folder)
    return done.returncode, done.stdout + done.stderr


def rows(room: RunningRoom, query: str) -> list[tuple]:
    with closing(sqlite3.connect(room.folder / ".groupx" / "groupx.db")) as database:
        return database.execute(query).fetchall()


def test_an_import_gives_back_every_event_as_it_was_and_ends_what_was_open(transcript: Path, new_room: RunningRoom):
    exit_code, said = imported(new_room, transcript)
    again = manage("groupx_export", folder=new_room.folder)

    events, before = [json.loads(line) for line in again.stdout.splitlines()], lines_of(transcript)
    assert exit_code == 0 and f"Imported {len(before)} events." in said
    assert events[: len(before)] == before
    assert [event["type"] for event in events[len(before) :]] == ["turn.interrupted", "turn.cancelled"]
    assert "2 turns that were open have ended" in said
    assert rows(new_room, "SELECT count(*) FROM turns_turn") == [(0,)]


def test_a_second_import_of_the_same_file_changes_nothing(transcript: Path, new_room: RunningRoom):
    imported(new_room, transcript)
    before = rows(new_room, "SELECT seq, event_id FROM rooms_event ORDER BY seq")

    exit_code, said = imported(new_room, transcript)

    assert exit_code == 0 and "Nothing to do" in said
    assert rows(new_room, "SELECT seq, event_id FROM rooms_event ORDER BY seq") == before


def test_an_import_that_was_killed_between_two_pages_goes_on_where_it_ended(transcript: Path, new_room: RunningRoom):
    whole = imported(new_room, transcript)
    wanted = rows(new_room, "SELECT seq, event_id FROM rooms_event WHERE idempotency_key IS NULL ORDER BY seq")
    cut = new_room.folder / ".groupx" / "groupx.db"
    with closing(sqlite3.connect(cut)) as database:  # as a kill after the first pages would have left it
        database.execute("DELETE FROM rooms_event WHERE seq > 3")
        database.execute("UPDATE rooms_room SET last_seq = 3")
        database.commit()

    exit_code, said = imported(new_room, transcript)

    assert (whole[0], exit_code) == (0, 0) and f"Imported {len(wanted) - 3} events." in said
    assert rows(new_room, "SELECT seq, event_id FROM rooms_event WHERE idempotency_key IS NULL ORDER BY seq") == wanted


def test_a_room_with_other_events_refuses_and_keeps_its_own(transcript: Path, new_room: RunningRoom):
    imported(new_room, transcript)
    other = new_room.folder / "other.jsonl"
    lines = transcript.read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0]) | {"eventId": "evt_of_another_room"}
    other.write_text("\n".join([json.dumps(first), *lines[1:]]), encoding="utf-8")
    before = rows(new_room, "SELECT seq, event_id FROM rooms_event ORDER BY seq")

    exit_code, said = imported(new_room, other)

    assert exit_code == 1 and "import into a room that was never started" in said and len(said.splitlines()) == 1
    assert rows(new_room, "SELECT seq, event_id FROM rooms_event ORDER BY seq") == before


@pytest.mark.parametrize(
    ("content", "exit_code", "said"),
    [
        (None, 1, "There is no file"),
        (b"", 2, "has no events"),
        (b"# main room\n", 2, "Line 1: this is not JSON"),
        (b"\xff\xfe", 2, "is not a transcript"),
    ],
)
def test_a_file_that_is_no_transcript_is_one_sentence_and_makes_no_database(
    new_room: RunningRoom, content: bytes | None, exit_code: int, said: str
):
    path = new_room.folder / "room.jsonl"
    if content is not None:
        path.write_bytes(content)
    told = imported(new_room, path)
    assert told[0] == exit_code and said in told[1] and len(told[1].splitlines()) == 1
    assert not (new_room.folder / ".groupx").exists()


def test_an_imported_room_starts_wakes_nobody_and_works(transcript: Path, new_room: RunningRoom):
    imported(new_room, transcript)
    try:
        new_room.start()
        new_room.until_agent("builder", "ready")
        shown, prompts = new_room.get("/api/bootstrap"), new_room.prompts("builder")
        refused = imported(new_room, transcript)
        sent = new_room.send("builder", content=do("here you are"))
        answered = new_room.until_turn(new_room.turn(sent))
    finally:
        new_room.stop()

    assert (shown["activeTurns"], prompts) == ([], [])
    assert refused[0] == 1 and "This room runs" in refused[1]
    assert answered["status"] == "completed"
