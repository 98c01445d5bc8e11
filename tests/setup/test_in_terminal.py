"""`groupx init`: a configuration file from what is installed, asked for in a terminal (docs/operations.md)."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.groupx.kept_rooms import manage

FOUND = ("codex", "kimi")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of a room to be, on a machine with two CLIs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in FOUND:
        (programs / name).write_text(f"#!/bin/sh\necho {name} 99.0.0\n")
        (programs / name).chmod(0o755)
    (tmp_path / "room").mkdir()
    return tmp_path / "room"


def init(folder: Path, *options: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    path = {"PATH": f"{folder.parent / 'bin'}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    return manage("groupx_init", *options, folder=folder, stdin=stdin, **{**path, **env})


def written(folder: Path) -> Any:
    return json.loads((folder / "groupx.json").read_text())


def test_without_questions_everything_that_is_installed_is_taken(folder: Path):
    done = init(folder, "--yes")

    assert done.returncode == 0, done.stderr
    config = written(folder)
    assert list(config["agents"]) == list(FOUND) and config["assistant"]["enabled"]
    assert config["agents"]["kimi"] == {
        "driver": "kimi", "name": "Kimi Code", "command": str(folder.parent / "bin" / "kimi"), "cwd": ".",
        "enabled": True,
    }  # fmt: skip
    assert "codex, kimi" in done.stdout and "groupx start" in done.stdout


def test_each_answer_counts_and_enter_takes_what_is_suggested(folder: Path):
    (folder / "work").mkdir()
    done = init(folder, stdin="n\n\nwork\n5001\nn\n")

    assert done.returncode == 0, done.stderr
    config = written(folder)
    assert (list(config["agents"]), config["agents"]["kimi"]["cwd"]) == (["kimi"], "work")
    assert (config["server"]["port"], config["assistant"]["enabled"]) == (5001, False)


def test_it_speaks_chinese_in_a_chinese_terminal(folder: Path):
    done = init(folder, "--yes", LC_ALL="zh_CN.UTF-8")
    assert done.returncode == 0 and "已写入" in done.stdout


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ("n\nn\n", "Nothing was written."),
        ("", "Nothing was written."),
        ("y\ny\n", "Nothing was written."),
        ("\n\nnowhere\n\n\n", "does not exist"),
        ("\n\n\nmany\n\n", "serverPort"),
        ("\n\n\n0\n\n", "serverPort"),
    ],
)
def test_what_was_not_wanted_or_does_not_fit_writes_nothing(folder: Path, answers: str, said: str):
    done = init(folder, stdin=answers)
    assert done.returncode in (1, 2) and said in done.stdout + done.stderr
    assert list(folder.iterdir()) == []


def test_a_file_that_exists_is_never_written_over_without_a_yes(folder: Path):
    old = '{"agents": {"mine": {"driver": "acp", "command": "x"}}, "limits": {"hopCount": 3}}'
    (folder / "groupx.json").write_text(old)

    for options, stdin in ((("--yes",), ""), ((), "\n"), ((), "no\n"), ((), "")):
        done = init(folder, *options, stdin=stdin)
        assert done.returncode == 1
        assert [(entry.name, entry.read_text()) for entry in folder.iterdir()] == [("groupx.json", old)]

    assert init(folder, stdin="y\n\n\n\n\n\n").returncode == 0
    assert (folder / "groupx.json.bak").read_text() == old
    assert list(written(folder)["agents"]) == list(FOUND)
    assert written(folder)["limits"] == {"hopCount": 3}, "what is not asked for stays"


def test_a_broken_file_can_be_replaced_and_is_kept(folder: Path):
    (folder / "groupx.json").write_text("{ not json")
    assert init(folder, stdin="y\n\n\n\n\n\n").returncode == 0
    assert (folder / "groupx.json.bak").read_text() == "{ not json"
    assert list(written(folder)["agents"]) == list(FOUND)


def test_where_nothing_is_installed_it_says_what_to_do(folder: Path):
    done = init(folder, "--yes", PATH="/usr/bin:/bin")
    assert done.returncode == 1 and "groupx demo" in done.stderr
    assert "npm install -g" in done.stdout and list(folder.iterdir()) == []


def test_another_path_can_be_named(folder: Path):
    done = init(folder, "--yes", "--config", "other.json")
    assert done.returncode == 0 and [entry.name for entry in folder.iterdir()] == ["other.json"]
    assert f"groupx start --config {folder / 'other.json'}" in done.stdout
