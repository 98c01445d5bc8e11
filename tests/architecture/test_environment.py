"""One module reads the environment; what others take from it is seen there, and in their imports."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import MODULES, imported_names, name_of, tree_of

READERS = {"os.environ", "os.environb", "os.getenv", "os.getenvb", "os.putenv", "os.unsetenv"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nobody_else_reads_the_environment(path: Path):
    if name_of(path) == "groupx.kernel.environment":
        return
    names = imported_names(path)
    assert not READERS & set(names.values())
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert f"{names.get(node.value.id)}.{node.attr}" not in READERS, f"{name_of(path)}:{node.lineno}"
