"""A sentence that names a command of ours can be copied as it stands: it is made by `as_typed_for`, with `--config`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import APPS, ROOT, tree_of

WRITTEN_OUT = re.compile(r"“groupx (?!demo”|<)[a-z]")
"""The demo's room needs no file; “groupx <command>” is no command."""


def sentences_of(path: Path) -> Iterator[str]:
    """Texts of a file but for its help: what `--help` tells of is true of every room."""
    tree = tree_of(path)
    helps = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "help"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in helps:
            yield node.value


def test_no_sentence_has_a_command_of_ours_written_out():
    found = {
        f"{path.relative_to(ROOT)}: {text}"
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        for text in sentences_of(path)
        if WRITTEN_OUT.search(text) and text != ast.get_docstring(tree_of(path), clean=False)
    }
    assert found == set()
