"""`groupx doctor --live AGENT` with real processes: one short turn, told, kept, nothing left (docs/operations.md)."""

import json
from pathlib import Path
from typing import Any

import psutil
import pytest

from groupx import run_files
from groupx.demo_room import write_demo
from groupx.kernel.config import GroupXConfig
from tests.adapters.scripted import do
from tests.groupx.kept_rooms import database_of, keep_room, manage, rows
from tests.running_room import RunningRoom, scripted

NEVER_READY = '{"replies": {"initialize": {"hang": true}}}'
KNOWN = "SELECT capability, evidence, source FROM turns_capabilityevidence WHERE evidence = 'verified'"


def checked(folder: Path, *options: str, **env: str) -> tuple[int, dict[str, Any], str]:
    """(exit code, the report, what was told on the way)"""
    result = manage("groupx_doctor", "--live", "mine", "--json", *options, folder=folder, **env)
    assert result.stdout, result.stderr
    return result.returncode, json.loads(result.stdout), result.stderr


def nothing_runs_in(folder: Path) -> bool:
    return not any(
        str(folder) in (process.info["cwd"] or "") for process in psutil.process_iter(["cwd"]) if process.info["cwd"]
    )


@pytest.fixture
def kept(tmp_path: Path, live_room: GroupXConfig) -> Path:
    """A room that has been started before, and is stopped."""
    keep_room(tmp_path, agents={"mine": scripted("mine", tmp_path)})
    return tmp_path


@pytest.mark.django_db(transaction=True)
def test_a_stopped_rooms_agent_answers_and_what_it_showed_is_kept(kept: Path):
    exit_code, report, told = checked(kept)
    assert (exit_code, report["ok"], report["answer"], report["inRoom"]) == (0, True, "ok", False)
    assert report["kept"] and report["seen"] == {"prompt": "verified"}
    assert rows(database_of(kept), KNOWN) == [("prompt", "verified", "check")]
    assert "ok" in told and "mine" in told
    assert nothing_runs_in(kept / "mine") and not run_files.recorded_clis(kept / ".groupx" / "run")


@pytest.mark.django_db(transaction=True)
def test_a_turn_that_showed_nothing_is_not_said_to_be_kept(kept: Path):
    hangs = '{"replies": {"session/prompt": {"hang": true}}}'
    exit_code, report, _told = checked(kept, "--seconds", "1", FAKE_AGENT=hangs)
    assert (exit_code, report["seen"], report["kept"]) == (1, {}, False)


def test_without_a_database_it_says_that_nothing_is_kept(tmp_path: Path):
    (tmp_path / "groupx.json").write_text(json.dumps({"agents": {"mine": scripted("mine", tmp_path)}}))
    exit_code, report, _told = checked(tmp_path)
    assert exit_code == 0 and not report["kept"] and "groupx start" in report["notKept"]
    assert not database_of(tmp_path).exists()


def test_an_agent_that_does_not_start_is_a_failure_with_its_last_words(tmp_path: Path):
    (tmp_path / "groupx.json").write_text(json.dumps({"agents": {"mine": scripted("mine", tmp_path)}}))
    exit_code, report, _told = checked(tmp_path, FAKE_AGENT='{"stderr": 20, "exit": 3}')
    assert exit_code == 1 and not report["ok"] and report["errorCode"] == "NATIVE_START_FAILED"
    assert report["hint"] and report["output"]


def test_an_agent_that_never_answers_is_given_up_in_time_and_ended(tmp_path: Path):
    (tmp_path / "groupx.json").write_text(json.dumps({"agents": {"mine": scripted("mine", tmp_path)}}))
    exit_code, report, _told = checked(
        tmp_path, "--seconds", "1", FAKE_AGENT='{"replies": {"session/prompt": {"hang": true}}}'
    )
    assert exit_code == 1 and report["errorCode"] in ("TURN_TIME_LIMIT", "TURN_FIRST_EVENT_TIMEOUT")
    assert nothing_runs_in(tmp_path / "mine")


def test_an_agent_that_never_gets_ready_is_given_up_in_time_and_ended(tmp_path: Path):
    config = {"agents": {"mine": scripted("mine", tmp_path)}, "timeouts": {"handshakeMs": 300_000}}
    (tmp_path / "groupx.json").write_text(json.dumps(config))
    exit_code, report, _told = checked(tmp_path, "--seconds", "1", FAKE_AGENT=NEVER_READY)
    assert (exit_code, report["errorCode"]) == (1, "NATIVE_START_FAILED") and "1 s" in report["message"]
    assert nothing_runs_in(tmp_path / "mine")


def test_in_words_it_tells_the_answer_and_what_was_seen(tmp_path: Path):
    (tmp_path / "groupx.json").write_text(json.dumps({"agents": {"mine": scripted("mine", tmp_path)}}))
    result = manage("groupx_doctor", "--live", "mine", folder=tmp_path)
    assert result.returncode == 0 and "Answered after" in result.stdout and "Seen: answer" in result.stdout
    chinese = manage("groupx_doctor", "--live", "mine", folder=tmp_path, LC_ALL="zh_CN.UTF-8")
    assert "回答" in chinese.stdout


def test_an_agent_that_is_not_configured_is_named_with_those_that_are(tmp_path: Path):
    (tmp_path / "groupx.json").write_text(json.dumps({"agents": {"mine": scripted("mine", tmp_path)}}))
    result = manage("groupx_doctor", "--live", "yours", folder=tmp_path)
    assert result.returncode == 1 and "yours" in result.stderr and "mine" in result.stderr


def test_the_demos_agents_can_be_tried(tmp_path: Path):
    path = write_demo(tmp_path)
    result = manage("groupx_doctor", "--live", "builder", "--json", folder=path.parent)
    report = json.loads(result.stdout)
    assert result.returncode == 0 and report["answer"]
    assert {"prompt", "stream", "reasoning"} <= set(report["seen"])


def test_an_agent_that_pauses_is_said_to_and_what_it_showed_before_is_not_told_as_seen(tmp_path: Path):
    agent = scripted("mine", tmp_path) | {"spendLimit": {"tokensPerDay": 1}}
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    use_it_up = do({"text": "ok"}, {"reply": {"stopReason": "end_turn", "usage": usage}})
    room = RunningRoom(tmp_path, {"mine": agent})
    try:
        room.start()
        room.until_turn(room.turn(room.send("mine", content=use_it_up)))
        room.until_agent("mine", "paused")
        result = manage("groupx_doctor", "--live", "mine", "--seconds", "1", folder=tmp_path)
        assert result.returncode == 1 and "Its card says: paused" in result.stdout
        assert ".." not in result.stdout and "Seen:" not in result.stdout
    finally:
        room.stop()


def test_in_a_running_room_the_turn_goes_through_the_room(tmp_path: Path):
    room = RunningRoom(tmp_path, {"mine": scripted("mine", tmp_path)})
    try:
        room.start()
        room.until_agent("mine", "ready")
        exit_code, report, told = checked(tmp_path)
        assert (exit_code, report["inRoom"], report["answer"]) == (0, True, "ok")
        assert report["kept"] and report["seen"]["prompt"] == "verified" and "ok" in told
        assert told.index("has the message") < told.index("ok\n")
        [agent] = room.get("/api/agents")["items"]
        assert agent["capabilities"]["prompt"]["evidence"] == "verified"
        assert [e["body"]["content"] for e in room.events() if e["type"] == "message.created"][-1] == "ok"
    finally:
        room.stop()
