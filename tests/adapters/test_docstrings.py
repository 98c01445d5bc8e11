"""What modules here say of themselves is true: who calls itself pure is, and cited headings exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "adapters").rglob("*.py"))
PURE = [path for path in MODULES if re.search(r"\bPure\b", ast.get_docstring(ast.parse(path.read_text())) or "")]
PURE_NAMES = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in PURE}
PACKAGES = {".".join(path.parent.relative_to(ROOT).parts) for path in MODULES} - {"adapters.contract"}
VALUES = {"collections", "dataclasses", "enum", "json", "math", "pathlib", "re", "typing"}
"""Of the standard library: what only computes."""
OURS = {"adapters.contract", "groupx.kernel.drivers", "groupx.kernel.errors", "groupx.kernel.text"}
CITATION = re.compile(r'docs/(\w+\.md), "([^"]+)"')


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module in PACKAGES:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(ROOT)))
def test_who_calls_itself_pure_imports_only_what_is(path: Path):
    outside = {name for name in imports_of(path) - OURS - PURE_NAMES if name.split(".")[0] not in VALUES}
    assert not outside


@pytest.mark.parametrize("path", MODULES + sorted((ROOT / "tests/adapters").glob("*.py")), ids=lambda path: path.name)
def test_cited_headings_exist(path: Path):
    for document, heading in CITATION.findall(path.read_text()):
        assert re.search(rf"^#+ {re.escape(heading)}$", (ROOT / "docs" / document).read_text(), re.M), heading
