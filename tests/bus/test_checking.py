"""`aig doctor` and `aig selfcheck` (docs/aig.md, "Commands"): what they find, and that they leave nothing behind."""

from pathlib import Path

import pytest

from adapters.headless.channels import CHANNELS
from tests.bus.aig import tree

FAKE = "#!/bin/sh\n"


def executable(path: Path, script: str) -> Path:
    path.write_text(FAKE + script)
    path.chmod(0o755)
    return path


@pytest.fixture
def bin(tmp_path: Path) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def test_doctor_tells_which_channels_are_there_and_their_versions(aig, bin):
    executable(bin / "codex", 'printf "\\033[1mcodex-cli 0.99\\033[0m\\nmore\\n"')
    executable(bin / "claude", "exit 3")
    (found,) = aig.records("doctor", PATH=str(bin))
    channels = {channel.pop("transport"): channel for channel in found["channels"]}
    assert set(channels) == set(CHANNELS)
    assert channels["codex"] == {"found": True, "path": str(bin / "codex"), "version": "codex-cli 0.99"}
    assert channels["claude"] == {"found": True, "path": str(bin / "claude"), "version": None}
    assert channels["opencode"] == {"found": False, "path": None, "version": None}
    assert channels["command"]["found"] and channels["groupx"]["found"]
    told = aig.ok("doctor", PATH=str(bin))
    assert "codex-cli 0.99" in told and "not found: opencode" in told and "can be written" in told


def test_doctor_leaves_no_trace(aig, bin):
    aig.ok("doctor", PATH=str(bin))
    assert not aig.home.exists()
    aig.ok("use", "main")
    aig.ok("doctor", "--as", "codex", PATH=str(bin))
    assert not (aig.room() / "presence/codex.json").exists()


def test_doctor_tells_of_a_folder_that_cannot_be_written(aig, bin):
    aig.home.parent.joinpath("home").write_text("a file")
    ended = aig("doctor", "--json", PATH=str(bin))
    assert ended.code == 1 and ended.records[0]["writable"] is False and "--home" in ended.err


def test_selfcheck_says_what_it_checked_and_touches_nothing(aig, tmp_path):
    (tmp_path / "tmp").mkdir()
    checked = aig.records("selfcheck", TMPDIR=str(tmp_path / "tmp"), AIGROUP_DEPTH="2", AIGROUP_ROOM="other")
    assert [(check["ok"], check["fault"]) for check in checked] == [(True, None)] * 4
    assert [check["check"].split()[-1] for check in checked] == ["once", "line", "lock", "waking"]
    assert not aig.home.exists() and tree(tmp_path / "tmp") == []
