"""What waits for a restart: the file as it is now against what the room runs with. Our contract."""

from pathlib import Path
from typing import Any

import pytest

from rooms.bodies import SetupSaved
from tests.setup.desks import AGENT, ServerOfTest, a_desk, a_draft, an_agent_draft, write

BRAIN = {"driver": "kimi", "command": "kimi"}
ROOM: dict[str, Any] = {
    "agents": {"builder": AGENT, "retired": {**AGENT, "enabled": False}},
    "assistant": {"enabled": True, "name": "Ada", "brain": BRAIN},
}
BUILDER = {"actorId": "agent:builder", "displayName": "Builder", "driver": "kimi"}
ADA = {"actorId": "user:assistant", "displayName": "Ada", "driver": "kimi"}


def with_agents(**agents: Any) -> dict[str, Any]:
    return {**ROOM, "agents": {**ROOM["agents"], **agents}}


@pytest.mark.parametrize(
    ("now", "changes"),
    [
        (ROOM, []),
        (with_agents(builder={**AGENT, "identity": "You build."}), [{**BUILDER, "change": "changed"}]),
        (with_agents(builder={**AGENT, "enabled": False}), [{**BUILDER, "change": "removed"}]),
        (with_agents(retired={**AGENT, "name": "Old", "enabled": False}), []),
        (
            with_agents(new={"driver": "grok", "command": "grok"}),
            [{"actorId": "agent:new", "displayName": "new", "driver": "grok", "change": "added"}],
        ),
        ({**ROOM, "agents": {}}, [{**BUILDER, "change": "removed"}]),
        ({**ROOM, "assistant": {**ROOM["assistant"], "enabled": False}}, [{**ADA, "change": "removed"}]),
        ({**ROOM, "assistant": {**ROOM["assistant"], "extraInstructions": "Hm"}}, [{**ADA, "change": "changed"}]),
        ({**ROOM, "limits": {"hopCount": 3}}, [{"displayName": "Settings", "change": "settings"}]),
        ({**ROOM, "server": {"port": 5000}}, [{"displayName": "Settings", "change": "settings"}]),
    ],
)
async def test_what_differs_and_is_switched_on_waits_for_a_restart(tmp_path: Path, now: Any, changes: Any):
    desk = a_desk(write(tmp_path, ROOM), is_running=True)
    write(tmp_path, now)

    told = await desk.pending()
    assert told == {"restartRequired": bool(changes), "changes": changes}


async def test_a_file_that_cannot_be_read_waits_with_what_is_wrong(tmp_path: Path):
    path = write(tmp_path, ROOM)
    desk = a_desk(path, is_running=True)
    write(tmp_path, "{")

    told = await desk.pending()
    assert told["restartRequired"] and str(path) in told["problem"]


async def test_before_the_first_start_nothing_waits(tmp_path: Path):
    assert await a_desk(tmp_path / "groupx.json").pending() == {"restartRequired": False, "changes": []}


@pytest.mark.parametrize(
    ("agents", "is_required"), [([an_agent_draft()], False), ([an_agent_draft(name="Other")], True)]
)
async def test_a_save_tells_the_pages_whether_a_restart_is_needed(tmp_path: Path, agents: Any, is_required: bool):
    server = ServerOfTest()
    desk = a_desk(write(tmp_path, ROOM), is_running=True, server=server)

    saved = await desk.save(a_draft(*agents))
    assert saved["restartRequired"] is is_required
    assert server.told == [SetupSaved(restart_required=is_required)]
