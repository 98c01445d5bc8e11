"""Two modules read the environment; what others take from it is seen there."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import MODULES, imported_names, name_of, tree_of

READ_IT = {"groupx.kernel.environment", "rooms.bus.environment"}
"""The bus works without the rest of GroupX and has variables of its own."""
READERS = {"os.environ", "os.environb", "os.getenv", "os.getenvb", "os.putenv", "os.unsetenv"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nobody_else_reads_the_environment(path: Path):
    if name_of(path) in READ_IT:
        return
    names = imported_names(path)
    assert not READERS & set(names.values())
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert f"{names.get(node.value.id)}.{node.attr}" not in READERS, f"{name_of(path)}:{node.lineno}"
