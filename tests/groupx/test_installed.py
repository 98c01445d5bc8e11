"""GroupX as a person installs it: a wheel of this checkout as a uv tool, used from any folder."""

import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from groupx.cli import our_commands
from tests.running_room import ROOT, RunningRoom, do, scripted

BUILD_SECONDS, INSTALL_SECONDS, COMMAND_SECONDS = 120, 300, 60
UV = shutil.which("uv")

pytestmark = pytest.mark.skipif(UV is None, reason="uv is not installed")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the installed programs. Nothing of it lies in the home folder."""
    folder = tmp_path_factory.mktemp("installed")
    run(UV, "build", "--wheel", "--quiet", "--out-dir", folder, ROOT, seconds=BUILD_SECONDS)
    (wheel,) = folder.glob("groupx-*.whl")
    env = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
    run(UV, "tool", "install", "--quiet", wheel, seconds=INSTALL_SECONDS, **env)
    return folder / "bin"


def run(*argv: object, cwd: Path | None = None, seconds: float = COMMAND_SECONDS, **env: str) -> str:
    """What the command has said; it must succeed."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GROUPX_", "PYTHON"))}
    told = subprocess.run(
        [str(word) for word in argv],
        cwd=cwd,
        env={**inherited, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


class InstalledRoom(RunningRoom):
    programs: Path

    def program(self, verb: str) -> list[str]:
        return [str(self.programs / "groupx"), verb.removeprefix("groupx_")]


@pytest.fixture
def room(programs: Path, tmp_path: Path) -> Iterator[InstalledRoom]:
    room = InstalledRoom(tmp_path, {"builder": scripted("builder", tmp_path)})
    room.programs = programs
    yield room
    room.kill()


def test_the_installed_groupx_knows_every_command_and_speaks_the_readers_language(programs: Path, tmp_path: Path):
    told = run(programs / "groupx", "help", cwd=tmp_path, LC_ALL="C.UTF-8")
    in_chinese = run(programs / "groupx", "start", "--help", cwd=tmp_path, LC_ALL="zh_CN.UTF-8", LANGUAGE="zh_CN")

    assert all(command.removeprefix("groupx_") in told for command in our_commands())
    assert "groupx start " in run(programs / "groupx", "start", "--help", cwd=tmp_path, LC_ALL="C.UTF-8")
    assert run(programs / "groupx", "--version", cwd=tmp_path).startswith("GroupX ")
    assert any("\u4e00" <= character <= "\u9fff" for character in in_chinese)


def test_the_installed_aig_sends_and_reads_in_any_folder(programs: Path, tmp_path: Path):
    assert "ok" in run(programs / "aig", "selfcheck", cwd=tmp_path, AIGROUP_HOME=str(tmp_path / "bus"))


def test_an_installed_room_serves_its_pages_and_files_and_runs_a_turn(room: InstalledRoom):
    room.start()
    page, chinese = (text(room, "/", language) for language in ("en", "zh-CN"))

    assert '<html lang="en"' in page and '<html lang="zh-hans"' in chinese.lower()
    for path in linked_files(page):
        with urllib.request.urlopen(room.url + path, timeout=COMMAND_SECONDS) as answer:
            assert answer.status == 200 and answer.read(), path
    sent = room.send("builder", content=do("hello from a wheel"))
    assert room.until_turn(room.turn(sent))["status"] == "completed"
    room.stop()


def text(room: RunningRoom, path: str, language: str) -> str:
    asked = urllib.request.Request(room.url + path, headers={"Accept-Language": language, "Accept": "text/html"})
    with urllib.request.urlopen(asked, timeout=COMMAND_SECONDS) as answer:
        return answer.read().decode()


def linked_files(page: str) -> list[str]:
    """Static files that the page names."""
    parts = page.replace("'", '"').split('"')
    found = sorted({part for part in parts if part.startswith("/static/")})
    assert found, json.dumps(page[:500])
    return found
