"""The second try of what failed (docs/architecture.md, "A whole run of the tests"): real pytest, with workers."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "second_try.py"
STEADY = "def test_steady():\n    assert True\n"
FLAKY = """
from pathlib import Path

def test_flaky():
    seen = Path(__file__).with_suffix(".seen")
    is_first = not seen.exists()
    seen.touch()
    assert not is_first

def test_beside_it():
    Path(__file__).with_suffix(".runs").open("a").write("run\\n")
"""
BROKEN = "import pytest\n\n@pytest.mark.parametrize('n', range({count}))\ndef test_broken(n):\n    assert n < 0\n"


def run(folder: Path, **files: str) -> tuple[int, str, str]:
    """(exit code, what was said, what the list holds)"""
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p xdist -n 2 --dist loadfile\n")
    for name, code in {"steady": STEADY, **files}.items():
        (folder / f"test_{name}.py").write_text(code)
    told = folder / "told"
    done = subprocess.run(
        [sys.executable, SCRIPT, told],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # they take longer to load than these runs
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, told.read_text() if told.exists() else ""


def test_a_run_without_failures_is_run_once(tmp_path: Path):
    exit_code, said, told = run(tmp_path)
    assert (exit_code, told, said.count("1 passed")) == (0, "", 1)


def test_what_passes_only_at_the_second_try_is_green_and_told(tmp_path: Path):
    exit_code, said, told = run(tmp_path, flaky=FLAKY)
    assert (exit_code, told) == (0, "  test_flaky.py::test_flaky\n")
    assert said.rstrip().endswith("Passed only at the second try:\n  test_flaky.py::test_flaky")
    assert "assert not is_first" in said, "why it failed can be read"
    assert (tmp_path / "test_flaky.runs").read_text() == "run\n", "nothing else is run again"


def test_what_fails_twice_is_red(tmp_path: Path):
    exit_code, said, told = run(tmp_path, flaky=FLAKY, broken=BROKEN.format(count=1))
    assert (exit_code, told, said.count("1 failed")) == (1, "", 1)
    assert "Passed only" not in said


def test_many_failures_are_red_at_once(tmp_path: Path):
    exit_code, said, told = run(tmp_path, broken=BROKEN.format(count=4))
    assert (exit_code, told, said.count("4 failed")) == (1, "", 1) and "4 tests failed" in said


def test_a_file_that_cannot_be_imported_is_never_green(tmp_path: Path):
    exit_code, _said, told = run(tmp_path, bad="import nothing_of_this_name\n")
    assert exit_code != 0 and told == ""
