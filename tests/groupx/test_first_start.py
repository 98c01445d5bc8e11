"""The first start in a folder without a configuration, and the demo's (docs/configuration.md). Our contract."""

import io
import json
import sys
from pathlib import Path

import pytest

from adapters.contract import ProbeResult
from groupx import first_start
from groupx.first_start import write_demo, write_first_configuration
from groupx.kernel.config_file import load_config
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.run_config import allowed_drivers

GROK = ProbeResult(driver="grok", executable="/usr/bin/grok", version="1.2.3")
KIMI = ProbeResult(driver="kimi", executable="/opt/kimi", version=None)
NO_OPENCODE = ProbeResult(driver="opencode", executable=None, version=None, problem="not installed")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_every_installed_cli_becomes_an_agent_and_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = write_first_configuration(tmp_path / "groupx.json", [GROK, NO_OPENCODE, KIMI])

    run = load_config(path, allowed_drivers())
    assert {agent_id: (agent.driver, agent.command) for agent_id, agent in run.config.agents.items()} == {
        "grok": ("grok", "/usr/bin/grok"),
        "kimi": ("kimi", "/opt/kimi"),
    }
    said = capsys.readouterr().err
    assert str(path) in said and "grok 1.2.3" in said and "kimi" in said and "opencode" not in said


def test_without_any_cli_it_says_what_to_do_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(GroupXError, match="groupx demo") as refused:
        write_first_configuration(tmp_path / "groupx.json", [NO_OPENCODE])
    assert refused.value.code is ErrorCode.START_FAILED and "opencode" in refused.value.message
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("answer", ["\n", "y\n", "Yes\n"])
def test_at_a_terminal_it_offers_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str):
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys, "stderr", Terminal())
    path = write_first_configuration(tmp_path / "groupx.json", [NO_OPENCODE])
    assert path == tmp_path / ".groupx-demo" / "groupx.json" and path.exists()
    assert not (tmp_path / "groupx.json").exists()


@pytest.mark.parametrize("answer", ["n\n", ""])
def test_at_a_terminal_no_is_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str):
    monkeypatch.setattr(sys, "stdin", Terminal(answer or "no"))
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(GroupXError):
        write_first_configuration(tmp_path / "groupx.json", [NO_OPENCODE])


def test_a_file_that_came_meanwhile_is_never_overwritten(tmp_path: Path):
    path = tmp_path / "groupx.json"
    path.write_text("mine")
    with pytest.raises(GroupXError):
        write_first_configuration(path, [GROK])
    assert path.read_text() == "mine"


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
    assert json.loads(write_demo(tmp_path).read_text()) == first_start.demo_configuration()
