"""Who may import whom (docs/architecture.md, "Rings"). Read from the sources; no exception list."""

import ast
import re
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import (
    MODULES,
    ROOT,
    docstring_of,
    imported_names,
    modules_imported_by,
    name_of,
    path_of,
    tree_of,
)

EDGES = {
    "api", "asgi_json", "consumers", "fast_api", "fragments", "management", "tools", "urls", "views",
}  # fmt: skip
"""By name; a module with another one says "(edge)" in its docstring."""
MAY_IMPORT = {
    "kernel": set(),
    "adapters": {"kernel", "adapters", "adapters.contract"},
    "adapters.headless": set(),
    "rooms": {"kernel", "rooms", "rooms.bus"},
    "rooms.bus": {"adapters.headless"},
    "memory": {"kernel", "rooms", "memory"},
    "turns": {"kernel", "rooms", "memory", "turns", "adapters.contract"},
    "assistant": {"kernel", "rooms", "memory", "turns", "assistant", "adapters.contract"},
}
STARTING_FAST = ("adapters.headless", "rooms.bus")
"""The file bus: agents call it many times a minute. The standard library and each other alone."""
EDGES_CALL = {"actions", "commands", "member_commands", "operator_commands", "queries", "requests"}
EDGES_HAND_ON = {"rooms.transactions", "rooms.announcements", "rooms.tail"}
"""The hop into the database threads, and what tells readers that are connected: edges are made of these."""
OUTSIDE_WORLD = {
    "asyncio", "channels", "django", "psutil", "random", "rest_framework", "socket", "sqlite3", "subprocess",
    "threading", "time",
}  # fmt: skip
PURE = [path for path in MODULES if re.search(r"\bPure\b", docstring_of(path))]


def ring_of(name: str) -> str:
    if name.startswith("groupx.kernel"):
        return "kernel"
    for ring in ("adapters.contract", *STARTING_FAST):
        if name == ring or name.startswith(f"{ring}."):
            return ring
    return name.split(".")[0]


def is_edge(name: str) -> bool:
    path = path_of(name)
    return any(part in EDGES for part in name.split(".")[1:]) or (path is not None and "(edge)" in docstring_of(path))


def is_pure(name: str) -> bool:
    """Neither the module nor anything of ours that it imports knows the outside world. The kernel is the floor."""
    seen, left = set(), [name]
    while left:
        module = left.pop()
        if module in seen or ring_of(module) == "kernel":
            continue
        seen.add(module)
        path = path_of(module)
        assert path is not None, module
        if {root.split(".")[0] for root in imported_names(path).values()} & OUTSIDE_WORLD:
            return False
        left += modules_imported_by(path)
    return True


def edge_may_import(name: str) -> bool:
    return (
        ring_of(name) == "kernel"
        or is_edge(name)
        or bool(EDGES_CALL & set(name.split(".")))
        or name in EDGES_HAND_ON
        or is_pure(name)
    )


def test_the_kernel_imports_nothing_of_ours():
    for path in (ROOT / "groupx/kernel").glob("*.py"):
        assert {ring_of(name) for name in modules_imported_by(path)} <= {"kernel"}, name_of(path)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_its_ring_may(path: Path):
    name = name_of(path)
    ring = ring_of(name)
    if ring == "groupx":
        return  # the roof
    imported = modules_imported_by(path) - {ring}
    assert "groupx" not in {ring_of(other) for other in imported}, "nobody imports the roof"
    if is_edge(name):
        assert [other for other in sorted(imported) if not edge_may_import(other)] == []
        return
    allowed = MAY_IMPORT["adapters" if ring == "adapters.contract" else ring] | {ring}
    assert [other for other in sorted(imported) if ring_of(other) not in allowed] == []
    if ring not in ("adapters", "adapters.contract"):
        assert [other for other in sorted(imported) if is_edge(other)] == [], "only edges and the roof know an edge"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_file_bus_needs_no_package(path: Path):
    if ring_of(name_of(path)) not in STARTING_FAST or is_edge(name_of(path)):
        return
    roots = {name.split(".")[0] for name in imported_names(path).values()}
    assert roots - {"adapters", "rooms"} <= sys.stdlib_module_names


@pytest.mark.parametrize("path", PURE, ids=name_of)
def test_what_calls_itself_pure_is(path: Path):
    assert is_pure(name_of(path))


def test_the_decisions_call_themselves_pure():
    named = {name_of(path) for path in PURE}
    assert {"turns.state", "turns.recovery", "turns.settlement", "memory.packet", "rooms.envelope"} <= named


def test_adapters_know_no_django():
    for path in (ROOT / "adapters").rglob("*.py"):
        assert "django" not in path.read_text(), name_of(path)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_stand_at_the_top(path: Path):
    """An import inside a function hides a wrong direction. Entry points settle the environment first."""
    if name_of(path) in ("groupx.cli",):
        return
    for function in ast.walk(tree_of(path)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = [node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)]
            assert not inner, f"{name_of(path)}:{inner[0].lineno}"
