"""Tests wait for what happens: an event, a gate, the end of a blocking read. A sleep is too short some day."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, imported_names, tree_of

MAY_SLEEP = {
    "tests/waiting.py": "the one bounded wait for what can only be looked at again",
    "tests/fakes/agent_wire.py": "the same for the scripted agent, which imports nothing of the tests",
    "tests/fakes/model_plan.py": "a model that takes its time between two words",
    "tests/bench/calibration.py": "measures how long a sleep takes here",
    "tests/bench/memory_use.py": "looks again and again while a load runs",
    "tests/bench/starting.py": "lets a room be idle, which is what it measures",
    "tests/chaos/rounds.py": "blows fall at random moments of a load",
    "tests/chaos/faked_time/sitecustomize.py": "mends the sleep of a room under libfaketime",
}
SLEEPS = {"time.sleep", "asyncio.sleep"}
IN_A_SCRIPT = re.compile(r"\b(?:time|asyncio)\.sleep\(|\bsleep \d")
"""Of a child process, written out in a string."""
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def sleeps(path: Path) -> Iterator[int]:
    """Lines that sleep, or name the function that does."""
    names = imported_names(path)
    for node in ast.walk(tree_of(path)):
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if f"{names.get(module)}.{name}" in SLEEPS:
                yield node.lineno
            case ast.Name(id=name) if names.get(name) in SLEEPS:
                yield node.lineno
            case ast.Constant(value=str(text)) if IN_A_SCRIPT.search(text):
                yield node.lineno


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_test_sleeps(path: Path):
    name = str(path.relative_to(ROOT))
    found = [] if path == Path(__file__) else list(sleeps(path))
    if name in MAY_SLEEP:
        assert found, f"{name} does not sleep any more: take it from the list"
    else:
        assert not found, f"{name}:{found}"
