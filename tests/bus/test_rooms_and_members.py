"""`aig use`, `rooms`, `members`, `member`, `who` (docs/aig.md, "Commands")."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.bus.aig import tree


def test_using_a_room_makes_it_current(aig):
    made, again = aig.records("use", "dev"), aig.records("use", "dev")
    assert [made[0]["created"], again[0]["created"]] == [True, False]
    assert (aig.home / "current-room").read_text() == "dev\n"
    state = json.loads((aig.room("dev") / "state.json").read_text())
    assert set(state) == {"nextSeq", "createdAt", "updatedAt"} and state["nextSeq"] == 1
    assert not (aig.room("dev") / ".lock").exists()


def test_rooms_tells_messages_last_activity_and_which_is_current(aig):
    assert aig.records("rooms") == []
    aig.ok("use", "dev")
    aig.ok("use", "empty")
    aig.ok("send", "one", "--room", "dev")
    (last,) = aig.records("send", "two", "--room", "dev")
    assert aig.records("rooms") == [
        {"room": "dev", "messages": 2, "lastActivity": last["time"], "current": False},
        {"room": "empty", "messages": 0, "lastActivity": None, "current": True},
    ]
    lines = aig.ok("rooms").splitlines()
    assert lines[2].split() == ["*", "empty", "0", "–"]


def test_a_long_log_is_counted_by_its_first_and_last_seq(aig):
    aig.ok("use", "main")
    lines = [json.dumps({"seq": seq, "text": "x" * 100_000}) for seq in range(11, 36)]
    (aig.room() / "messages.jsonl").write_text("\n".join(lines) + "\n")
    assert [room["messages"] for room in aig.records("rooms")] == [25]


def test_folders_that_are_no_rooms_are_left_out(aig):
    aig.ok("use", "dev")
    (aig.home / "rooms/not a room").mkdir()
    (aig.home / "rooms/file").write_text("")
    assert [room["room"] for room in aig.records("rooms")] == ["dev"]


# ---------------------------------------------------------------- members
def test_a_member_is_made_changed_shown_and_removed(aig, tmp_path):
    aig.ok("member", "codex", "--transport", "codex", "--model", "gpt-5", "--note", "Reviews 代码", "--cwd", tmp_path)
    profile = {"transport": "codex", "model": "gpt-5", "note": "Reviews 代码", "cwd": str(tmp_path)}
    assert json.loads((aig.room() / "members.json").read_text()) == {"codex": profile}
    aig.ok("member", "codex", "--model", "gpt-6", "--note", "")
    assert aig.records("member", "codex") == [
        {"member": "codex", "transport": "codex", "model": "gpt-6", "cwd": str(tmp_path)}
    ]
    assert aig.records("members") == aig.records("member", "codex")
    assert "gpt-6" in aig.ok("members") and "gpt-6" in aig.ok("member", "codex")
    aig.ok("member", "codex", "--remove")
    assert aig.records("members") == []


def test_a_channel_that_is_not_known_is_kept_with_a_warning(aig):
    ended = aig("member", "codex", "--transport", "codx")
    assert ended.code == 0 and "codx" in ended.err and "opencode" in ended.err
    assert aig.records("status")[0]["withoutChannel"] == ["codex"]


def test_a_relative_folder_is_kept_whole(aig):
    aig.ok("member", "codex", "--cwd", "work")
    assert aig.records("member", "codex")[0]["cwd"] == str(aig.home.parent / "work")


def test_a_new_primary_replaces_the_old_one(aig):
    aig.ok("member", "codex", "--role", "primary")
    aig.ok("member", "claude", "--role", "primary", "--transport", "claude")
    assert json.loads((aig.room() / "members.json").read_text()) == {
        "codex": {},
        "claude": {"transport": "claude", "role": "primary"},
    }


def test_unknown_fields_of_a_profile_are_kept(aig):
    aig.ok("use", "main")
    path = aig.room() / "members.json"
    path.write_text('{"codex": {"transport": "codex", "colour": "red"}, "x": {"command": ["cat"]}}')
    aig.ok("member", "codex", "--note", "n")
    assert json.loads(path.read_text()) == {
        "codex": {"transport": "codex", "colour": "red", "note": "n"},
        "x": {"command": ["cat"]},
    }


@pytest.mark.parametrize("content", ["{", "[]", '{"codex": "x"}', "\xff", ""])
def test_a_corrupt_members_file_ends_with_1_and_stays(aig, content):
    aig.ok("use", "main")
    path = aig.room() / "members.json"
    path.write_text(content, "latin-1")
    for arguments in (
        ["members"],
        ["member", "codex"],
        ["member", "codex", "--note", "x"],
        ["member", "codex", "--remove"],
    ):
        assert "members.json" in aig.refused(*arguments, code=1)
    assert path.read_text("latin-1") == content and not (aig.room() / ".lock").exists()


def test_a_member_that_is_not_there_is_neither_shown_nor_removed(aig):
    aig.ok("use", "main")
    aig.refused("member", "codex")
    aig.refused("member", "codex", "--remove")
    aig.refused("member", "codex", "--remove", "--note", "x")


def test_members_changed_at_once_are_all_there(aig):
    aig.ok("use", "main")
    started = [aig.start("member", f"m{number}", "--note", "x") for number in range(8)]
    for process in started:
        process.communicate(timeout=60)
    assert sorted(profile["member"] for profile in aig.records("members")) == [f"m{number}" for number in range(8)]


# ---------------------------------------------------------------- presence
def test_presence_is_of_the_process_that_called(aig):
    aig.ok("send", "hello", "--as", "codex")
    kept = json.loads((aig.room() / "presence/codex.json").read_text())
    assert set(kept) == {"lastSeen", "pid", "host"}
    assert (kept["pid"], kept["host"]) == (os.getpid(), os.uname().nodename)
    assert kept["lastSeen"] >= aig.log()[0]["ts"] - 5_000
    (codex, human) = aig.records("who")
    assert (codex["member"], codex["alive"], human["member"]) == ("codex", True, "human")


def test_who_tells_who_is_gone(aig):
    caller = [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:], check=True)"]
    subprocess.run(
        [*caller, sys.executable, "-m", "rooms.bus", "send", "hi", "--as", "codex"],
        env=aig.environment, check=True, timeout=60, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    path = aig.room() / "presence/elsewhere.json"
    path.write_text(json.dumps({"lastSeen": 1, "pid": os.getpid(), "host": "another machine", "extra": 1}))
    (aig.room() / "presence/broken.json").write_text("{")
    assert {here["member"]: here["alive"] for here in aig.records("who")} == {
        "codex": False, "elsewhere": False, "human": True,
    }  # fmt: skip
    assert "gone" in aig.ok("who")


@pytest.mark.parametrize(
    "command",
    [["read"], ["rooms"], ["send", "x"], ["tail"], ["search", "x"], ["export"], ["members"], ["who"], ["status"],
     ["member", "x", "--note", "y"], ["use", "main"], ["wait", "--timeout", "0"], ["reset", "--yes"]],
)  # fmt: skip
def test_every_command_shows_that_i_am_here(aig, command):
    aig.ok("use", "main")
    aig(*command, "--as", "codex")
    assert (aig.room() / "presence/codex.json").exists()


def test_looking_into_a_room_that_is_not_there_makes_none(aig):
    for command in (["tail"], ["search", "x"], ["export"], ["members"], ["who"], ["status"], ["rooms"]):
        aig.ok(*command)
    assert not aig.home.exists()


def test_a_wait_that_is_killed_shows_as_gone(aig):
    caller = subprocess.Popen(
        [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])",
         sys.executable, "-m", "rooms.bus", "tail", "-f", "--as", "codex"],
        env={**aig.environment, "AIGROUP_ROOM": "main"}, stdout=subprocess.PIPE, start_new_session=True,
    ) if aig.ok("send", "hello") else None  # fmt: skip
    assert caller is not None and caller.stdout is not None
    assert b"hello" in caller.stdout.readline()
    alive = {here["member"]: here["alive"] for here in aig.records("who")}
    os.killpg(caller.pid, signal.SIGKILL)
    caller.wait(10)
    caller.stdout.close()
    gone = {here["member"]: here["alive"] for here in aig.records("who")}
    assert (alive["codex"], gone["codex"]) == (True, False)
    assert "codex.json" in tree(aig.room() / "presence")


@pytest.mark.parametrize("command", [["read"], ["wait", "--timeout", "0"]])
def test_who_looks_for_messages_in_a_room_that_was_not_there_is_told(aig, command):
    assert "in room dvelop, which was made just now" in aig(*command, "--room", "dvelop").err
    assert "just now" not in aig(*command, "--room", "dvelop").err
