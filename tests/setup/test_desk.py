"""The setup as the page and the assistant's tools ask it: reading, checking and saving a real file. Our contract."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.setup.answers import Checked, SetupSaved, SetupTold
from tests.setup.desks import AGENT, ServerOfTest, a_desk, a_draft, an_agent_draft, room_of, text_of, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path, {"agents": {"builder": AGENT}, "limits": {"queuePerAgent": 77}})


async def test_before_the_first_start_a_draft_of_what_is_installed_is_suggested(tmp_path: Path):
    told = await a_desk(tmp_path / "groupx.json").read()

    TypeAdapter(SetupTold).validate_python(told)
    assert (told["existing"], told["runtimeActive"], told["config"]["agents"]) == (False, False, [])
    assert [agent["id"] for agent in told["suggested"]["agents"]] == ["codex", "kimi"]
    assert told["suggested"]["assistant"]["enabled"] and told["suggested"]["assistant"]["brain"]["driver"] == "codex"


async def test_what_is_suggested_can_be_saved_and_begins_the_room(tmp_path: Path):
    server = ServerOfTest()
    desk = a_desk(tmp_path / "groupx.json", server=server)

    saved = await desk.save((await desk.read())["suggested"])

    TypeAdapter(SetupSaved).validate_python(saved)
    assert (saved["restartRequired"], "backupPath" in saved, server.configured) == (False, False, 1)
    assert list(room_of(tmp_path / "groupx.json").config.agents) == ["codex", "kimi"]


async def test_reading_tells_the_file_the_drivers_and_no_suggestion_where_there_is_a_file(path: Path):
    told = await a_desk(path, is_running=True).read()

    TypeAdapter(SetupTold).validate_python(told)
    assert (told["configPath"], told["existing"], told["runtimeActive"]) == (str(path), True, True)
    assert "suggested" not in told and told["config"]["agents"][0]["name"] == "Builder"
    found = {driver["driver"]: driver["found"] for driver in told["drivers"]}
    assert {"codex", "grok", "kimi", "hermes", "claude", "acp"} <= set(found)
    assert (found["kimi"], found["grok"]) == (True, False)
    assert all(driver["install"] for driver in told["drivers"] if driver["driver"] != "acp")


async def test_a_save_in_a_running_room_changes_the_file_and_starts_nothing(path: Path):
    server = ServerOfTest()
    saved = await a_desk(path, is_running=True, server=server).save(a_draft(an_agent_draft(), an_agent_draft(id="b")))

    assert saved["restartRequired"] and saved["agents"] == ["builder", "b"] and server.configured == 0
    assert saved["backupPath"] == f"{path}.bak"
    assert json.loads(text_of(path) or "")["limits"] == {"queuePerAgent": 77}


BAD: list[tuple[dict[str, Any], str]] = [
    (a_draft(an_agent_draft(), an_agent_draft()), "config.agents.1.id"),
    (a_draft(an_agent_draft(enabled=False)), "config.agents"),
    (a_draft(an_agent_draft(driver="eliza")), "config.agents.0.driver"),
    (a_draft(an_agent_draft(args=["--model", "x"])), "config.agents.0.args"),
    (a_draft(an_agent_draft(mode="yolo")), "config.agents.0.mode"),
    (a_draft(an_agent_draft(cwd="nowhere")), "config.agents.0.cwd"),
    (a_draft(an_agent_draft(cwd="groupx.json")), "config.agents.0.cwd"),
    (a_draft(an_agent_draft(cwd="~nobody-x/y")), "config.agents.0.cwd"),
    (a_draft(storagePath="."), "config.storagePath"),
    (a_draft(storagePath="groupx.json"), "config.storagePath"),
    (a_draft(storagePath="groupx.json/room.db"), "config.storagePath"),
    (
        a_draft(assistant={"enabled": True, "brain": {"driver": "eliza", "command": "sh", "cwd": "."}}),
        "config.assistant.brain.driver",
    ),
    (
        a_draft(assistant={"enabled": True, "brain": {"driver": "kimi", "command": "sh", "cwd": "nowhere"}}),
        "config.assistant.brain.cwd",
    ),
]


@pytest.mark.parametrize(("draft", "where"), BAD)
async def test_a_mistake_is_an_issue_of_the_check_and_refuses_the_save(path: Path, draft: dict[str, Any], where: str):
    desk, before = a_desk(path), text_of(path)

    issues = [issue.wire() for issue in await desk.check({"config": draft})]
    TypeAdapter(Checked).validate_python({"issues": issues})
    assert [issue["path"] for issue in issues if issue["severity"] == "error"] == [where]
    with pytest.raises(GroupXError) as refused:
        await desk.save(draft)
    assert refused.value.code is ErrorCode.INVALID_ENVELOPE
    assert [issue["path"] for issue in refused.value.details["issues"]] == [where]
    assert (text_of(path), text_of(path.with_name("groupx.json.bak"))) == (before, None)


async def test_a_draft_of_the_wrong_shape_is_checked_too(path: Path):
    issues = await a_desk(path).check({"config": {"agents": [{"id": "my agent"}], "serverPort": "x"}})
    assert {issue.path for issue in issues} >= {"config.serverPort", "config.agents.0.id", "config.agents.0.cwd"}


@pytest.mark.parametrize("config", [{"from": "me"}, a_draft(author="me")])
async def test_a_sender_is_refused_before_anything_else(path: Path, config: dict[str, Any]):
    for ask in (a_desk(path).save, lambda draft: a_desk(path).check({"config": draft})):
        with pytest.raises(GroupXError) as refused:
            await ask(config)
        assert refused.value.code is ErrorCode.SENDER_FIELD_FORBIDDEN


async def test_a_program_that_is_not_there_is_a_warning(path: Path):
    program = {"executable": "sh", "prefixArgs": ["./nowhere.mjs"]}
    draft = a_draft(an_agent_draft(command="no-such-cli"), an_agent_draft(id="b", command=program))
    desk = a_desk(path)

    found = {issue.path: issue.severity.value for issue in await desk.check({"config": draft})}
    assert found == {"config.agents.0.command": "warning", "config.agents.1.command": "warning"}
    assert (await desk.save(draft))["saved"]


async def test_of_an_agent_that_is_off_nothing_needs_to_be_there(path: Path):
    off = an_agent_draft(id="off", enabled=False, cwd="nowhere", command="no-such-cli")
    assert await a_desk(path).check({"config": a_draft(an_agent_draft(), off)}) == []


async def test_a_port_that_somebody_has_is_a_warning_and_our_own_is_none(path: Path, taken_port: int):
    desk = a_desk(path)
    assert await desk.check({"config": a_draft()}) == []
    [issue] = await desk.check({"config": a_draft(serverPort=taken_port)})
    assert (issue.path, issue.severity.value) == ("config.serverPort", "warning")


@pytest.mark.parametrize("broken", ["{ not json", '{"agents": {"a": {"driver": "kimi", "command": "k", "modell": 1}}}'])
async def test_a_file_that_is_no_configuration_is_told_and_never_written_over(path: Path, broken: str):
    desk = a_desk(path, is_running=True)
    write(path.parent, broken)

    told = await desk.read()
    assert told["existing"] and str(path) in told["problem"]
    assert [agent["id"] for agent in told["config"]["agents"]] == ["builder"], "what the room runs with"
    with pytest.raises(GroupXError) as refused:
        await desk.save(a_draft())
    assert refused.value.code is ErrorCode.FILE_REFUSED and str(path) in refused.value.message
    assert text_of(path) == broken
