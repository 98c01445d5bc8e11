"""`groupx resume AGENT` in a terminal, against a real server (our contract: docs/operations.md, "Commands")."""

from pathlib import Path

from tests.groupx.kept_rooms import manage
from tests.running_room import running_room


def test_a_person_at_a_terminal_lets_an_agent_go_on(tmp_path: Path):
    with running_room(tmp_path, "builder") as room:
        for name in ("builder", "agent:builder"):
            idle = manage("groupx_resume", name, folder=tmp_path, LANG="C")
            assert (idle.returncode, idle.stdout) == (0, "agent:builder is neither paused nor given up.\n")
        unknown = manage("groupx_resume", "nobody", folder=tmp_path, LANG="C")
        assert (unknown.returncode, unknown.stderr) == (1, "No enabled agent is called agent:nobody.\n")
        assert room.get("/api/agents")["items"][0]["actorId"] == "agent:builder"
    ended = manage("groupx_resume", "builder", folder=tmp_path, LANG="C")
    assert ended.returncode == 1 and "This room does not run" in ended.stderr
