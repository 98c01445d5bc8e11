"""Async code reaches the database by one hop (docs/architecture.md, "Rings"): `in_db(action)`, `in_reader(query)`.

Read from the sources. A function reaches the database if it says so itself or calls one of ours that does; what
stands in a lambda, or is handed over by name, runs elsewhere.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.sources import MODULES, imported_names, name_of, tree_of

SAYS_SO = {"objects", "atomic", "cursor", "snapshot", "joins", "durable", "durable_to_disk"} | {
    "fetch_all",
    "fetch_first",
    "update_rows",
    "insert_rows",
}
"""Names by which code opens a transaction, asks the ORM, runs a prepared statement or joins a transaction."""
HANDS_OVER = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

type Function = ast.FunctionDef | ast.AsyncFunctionDef


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """What runs when the function does: its decorators and body without functions that it only makes."""
    decorators = getattr(function, "decorator_list", [])
    left = [*decorators, *getattr(function, "body", [])]
    while left:
        node = left.pop()
        yield node
        left += [child for child in ast.iter_child_nodes(node) if not isinstance(child, HANDS_OVER)]


def called(path: Path, function: ast.AST) -> Iterator[tuple[str, int]]:
    """Full names of what is called directly, as far as names tell, and the lines."""
    names = imported_names(path)
    for node in own_nodes(function):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=name):
                yield names.get(name, f"{name_of(path)}.{name}"), node.lineno
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                yield f"{name_of(path)}.{name}", node.lineno
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in names:
                yield f"{names[module]}.{name}", node.lineno


def says_so(function: ast.AST) -> bool:
    names = {getattr(node, "attr", None) or getattr(node, "id", None) for node in own_nodes(function)}
    return bool(names & SAYS_SO)


def functions(kind: type[ast.AST]) -> Iterator[tuple[Path, Function]]:
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, kind):
                yield path, node  # type: ignore[misc]


@cache
def reaching_the_database() -> frozenset[str]:
    """Sync functions and methods of ours, by module and name."""
    sync = {f"{name_of(path)}.{function.name}": (path, function) for path, function in functions(ast.FunctionDef)}
    calls = {name: {called_name for called_name, _ in called(*where)} for name, where in sync.items()}
    found = {name for name, (_, function) in sync.items() if says_so(function)}
    while more := {name for name in calls.keys() - found if calls[name] & found}:
        found |= more
    return frozenset(found)


def test_actions_and_queries_are_known_to_reach_the_database():
    assert {
        "turns.actions.claim_turn.claim_turn",
        "turns.actions.lane_status.show_lane",
        "turns.commands.send_message",
        "turns.queries.room.room_snapshot",
        "rooms.queries.last_seq",
    } <= reaching_the_database()
    assert "turns.settlement.closing_events" not in reaching_the_database()


ASYNC = list(functions(ast.AsyncFunctionDef))


@pytest.mark.parametrize(
    ("path", "function"), ASYNC, ids=[f"{name_of(path)}.{function.name}" for path, function in ASYNC]
)
def test_no_coroutine_reaches_the_database_itself(path: Path, function: ast.AsyncFunctionDef):
    assert not says_so(function), f"{name_of(path)}:{function.lineno}"
    assert [(name, line) for name, line in called(path, function) if name in reaching_the_database()] == []
