"""Trying an agent that is not saved yet, with real processes: what is told of it, and that nothing is left."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from pydantic import TypeAdapter

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.setup.answers import Tried
from tests.running_room import ROOT, scripted
from tests.setup.desks import a_desk, an_agent_draft, text_of, write
from tests.setup.trials import HANGS, running_in, until, working_trials
from tests.waiting import wait_until


def scripted_draft(folder: Path, **changes: Any) -> dict[str, Any]:
    return {"agent": an_agent_draft(**{"id": "mine", **scripted("mine", folder), **changes})}


async def test_an_agent_says_hello_and_nothing_of_it_is_kept(tmp_path: Path):
    path = write(tmp_path, {"agents": {"mine": scripted("mine", tmp_path)}})
    before = text_of(path)

    told = await a_desk(path).try_agent(scripted_draft(tmp_path))

    TypeAdapter(Tried).validate_python(told)
    assert (told["ok"], told["answer"]) == (True, "ok") and told["tookMs"] > 0
    assert text_of(path) == before and text_of(tmp_path / ".groupx") is None
    assert running_in(tmp_path / "mine") == []


async def test_an_agent_that_is_switched_off_can_be_tried(tmp_path: Path):
    told = await a_desk(tmp_path / "groupx.json").try_agent(scripted_draft(tmp_path, enabled=False))
    assert told["ok"]


async def test_an_agent_that_does_not_start_is_told_with_code_and_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_AGENT", '{"stderr": 20, "exit": 3}')
    told = await a_desk(tmp_path / "groupx.json").try_agent(scripted_draft(tmp_path))

    TypeAdapter(Tried).validate_python(told)
    assert (told["ok"], told["errorCode"]) == (False, "NATIVE_START_FAILED") and told["message"] and told["hint"]


async def test_a_program_that_is_not_there_is_told_at_once(tmp_path: Path):
    told = await a_desk(tmp_path / "groupx.json").try_agent(scripted_draft(tmp_path, command="no-such-cli"))
    assert (told["ok"], told["errorCode"]) == (False, "COMMAND_NOT_FOUND") and "no-such-cli" in told["message"]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"cwd": "nowhere"}, "agent.cwd"),
        ({"driver": "eliza"}, "agent.driver"),
        ({"driver": "kimi", "args": ["--x"]}, "agent.args"),
        ({"id": "assistant"}, "agent.id"),
        ({"command": {"executable": "sh", "shell": True}}, "agent.command.shell"),
    ],
)
async def test_a_draft_with_a_mistake_is_not_tried(tmp_path: Path, change: dict[str, Any], where: str):
    with pytest.raises(GroupXError) as refused:
        await a_desk(tmp_path / "groupx.json").try_agent(scripted_draft(tmp_path, **change))
    assert refused.value.code is ErrorCode.INVALID_ENVELOPE
    assert [issue["path"] for issue in refused.value.details["issues"]] == [where]


async def test_it_ends_with_whoever_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_AGENT", HANGS)
    desk = a_desk(tmp_path / "groupx.json")
    trial = asyncio.create_task(desk.try_agent(scripted_draft(tmp_path)))
    await until(working_trials, "an agent that hangs")

    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial
    assert running_in(tmp_path) == []


async def test_more_than_are_tried_at_once_are_refused_with_a_word_and_not_kept_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FAKE_AGENT", HANGS)
    monkeypatch.setattr("groupx.setup.desk.TRIALS_AT_ONCE", 1)
    desk = a_desk(tmp_path / "groupx.json")
    trial = asyncio.create_task(desk.try_agent(scripted_draft(tmp_path)))
    await until(working_trials, "an agent that hangs")

    with pytest.raises(GroupXError, match="1 agents are being tried already") as refused:
        await desk.try_agent(scripted_draft(tmp_path))
    assert refused.value.code is ErrorCode.SESSION_NOT_AVAILABLE
    trial.cancel()
    await asyncio.gather(trial, return_exceptions=True)
    assert running_in(tmp_path) == []


async def test_when_its_process_is_killed_the_agent_is_ended_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FAKE_AGENT", HANGS)
    trial = asyncio.create_task(a_desk(tmp_path / "groupx.json").try_agent(scripted_draft(tmp_path)))
    await until(working_trials, "an agent that hangs")

    [doctor] = working_trials()
    doctor.send_signal(signal.SIGKILL)
    told = await trial
    assert (told["ok"], told["errorCode"]) == (False, "START_FAILED")
    assert running_in(tmp_path) == []


SERVING = """
import asyncio, json, sys
from pathlib import Path
from tests.setup.desks import a_desk
asyncio.run(a_desk(Path(sys.argv[1])).try_agent(json.loads(sys.argv[2])))
"""


def test_when_the_server_is_killed_the_trial_ends_itself_and_its_agent(tmp_path: Path):
    draft = json.dumps(scripted_draft(tmp_path))
    env = {**os.environ, "FAKE_AGENT": HANGS}
    server = subprocess.Popen([sys.executable, "-c", SERVING, str(tmp_path / "groupx.json"), draft], cwd=ROOT, env=env)
    try:
        wait_until(lambda: running_in(tmp_path / "mine"), timeout_seconds=60, what="an agent that hangs")
        trials = psutil.Process(server.pid).children(recursive=True)
    finally:
        server.kill()
        server.wait(20)
    assert trials
    wait_until(lambda: not any(map(runs, trials)), timeout_seconds=30, what="the end of all of it")


def runs(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
