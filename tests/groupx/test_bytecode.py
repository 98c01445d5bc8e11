"""Compiled modules are kept for a room's own processes, whatever keeps Python from writing them beside the sources."""

import os
import subprocess
import sys
from pathlib import Path

TELL = "import groupx.bytecode, os, sys; print(sys.pycache_prefix, sys.dont_write_bytecode, dict(os.environ) == before)"


def told(**variables: str) -> list[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | variables
    code = f"import os; before = dict(os.environ); {TELL}"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=30, check=True)
    return done.stdout.split()


def test_where_python_writes_none_they_are_kept_in_its_environment():
    assert told(PYTHONDONTWRITEBYTECODE="1")[:2] == [str(Path(sys.prefix, "groupx-bytecode")), "False"]


def test_where_python_writes_them_nothing_changes():
    assert told()[:2] == ["None", "False"]


def test_a_folder_that_was_chosen_for_them_stays(tmp_path):
    assert told(PYTHONDONTWRITEBYTECODE="1", PYTHONPYCACHEPREFIX=str(tmp_path))[:2] == [str(tmp_path), "True"]


def test_an_agent_still_sees_what_the_person_has_set():
    assert told(PYTHONDONTWRITEBYTECODE="1")[2] == "True"
