"""`aig reset` (docs/aig.md, "Commands"): what was said is put aside, seqs go on."""

import json

from tests.bus.aig import tree


def test_without_yes_nothing_happens(aig):
    aig.ok("send", "hello")
    before = tree(aig.home)
    assert "--yes" in aig.refused("reset")
    assert tree(aig.home) == before


def test_log_and_cursors_are_archived_and_seqs_go_on(aig):
    aig.ok("send", "one")
    aig.ok("send", "two", "--as", "bob")
    aig.ok("read", "--as", "bob")
    aig.ok("member", "bob", "--note", "stays")
    (archived,) = aig.records("reset", "--yes")
    assert tree(aig.room() / "archive")[1:] == [
        path.replace("*", tree(aig.room() / "archive")[0])
        for path in ("*/cursors", "*/cursors/bob.json", "*/messages.jsonl")
    ]
    kept = (aig.room() / "archive" / archived["archive"] / "messages.jsonl").read_text()
    assert [json.loads(line)["text"] for line in kept.splitlines()] == ["one", "two"]
    assert aig.records("read", "--all") == [] and aig.cursor("bob") == 0
    assert aig.records("send", "three", "--as", "eva")[0]["seq"] == 3
    assert [message["text"] for message in aig.records("read", "--as", "bob")] == ["three"]
    assert [member["member"] for member in aig.records("members")] == ["bob"]


def test_seqs_go_on_even_when_state_was_lost_before(aig):
    aig.ok("send", "one")
    (aig.room() / "state.json").unlink()
    aig.ok("reset", "--yes")
    assert aig.records("send", "two")[0]["seq"] == 2


def test_seqs_go_on_even_when_state_is_lost_right_afterwards(aig):
    aig.ok("send", "one")
    aig.ok("reset", "--yes")
    (aig.room() / "state.json").unlink()
    assert aig.records("send", "two")[0]["seq"] == 2


def test_resetting_twice_keeps_both(aig):
    for text in ("one", "two"):
        aig.ok("send", text)
        aig.ok("reset", "--yes")
    assert len(list((aig.room() / "archive").iterdir())) == 2


def test_an_empty_room_and_none_at_all_archive_nothing(aig):
    assert aig.records("reset", "--yes") == [{"room": "main", "archive": None}]
    assert not aig.home.exists()
    aig.ok("use", "main")
    assert aig.records("reset", "--yes") == [{"room": "main", "archive": None}]
