"""The demo's configuration (docs/configuration.md). Our contract."""

import json
from pathlib import Path

import pytest

from groupx import demo_room
from groupx.demo_room import write_demo
from groupx.kernel.config_file import load_config
from groupx.run_config import allowed_drivers


def test_the_demo_has_three_scripted_agents_in_folders_of_their_own(tmp_path: Path):
    run = load_config(write_demo(tmp_path / ".groupx-demo"), allowed_drivers())

    agents = run.config.agents
    assert [agent.name for agent in agents.values()] == ["Builder", "Reviewer", "Scribe"]
    assert len({agent.cwd for agent in agents.values()}) == 3
    for agent in agents.values():
        assert Path(agent.cwd).is_dir() and Path(agent.cwd).is_relative_to(tmp_path)
        assert all(Path(part).is_absolute() and Path(part).exists() for part in agent.argv)


def test_a_changed_demo_configuration_is_kept(tmp_path: Path):
    path = write_demo(tmp_path)
    configuration = json.loads(path.read_text())
    configuration["server"] = {"port": 4999}
    path.write_text(json.dumps(configuration))

    assert json.loads(write_demo(tmp_path).read_text())["server"] == {"port": 4999}


@pytest.mark.parametrize("damage", ["{", "[]", '{"agents": {"builder": {"command": "/gone/python"}}}'])
def test_a_demo_configuration_of_another_installation_is_written_anew(tmp_path: Path, damage: str):
    (tmp_path / "groupx.json").write_text(damage)
    assert json.loads(write_demo(tmp_path).read_text()) == demo_room.demo_configuration()
