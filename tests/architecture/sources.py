"""The project's own modules, read as text and syntax trees: what the tests of this folder look at."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
APPS = ("adapters", "assistant", "groupx", "memory", "rooms", "turns")
MODULES = sorted(path for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts)


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def path_of(name: str) -> Path | None:
    path = ROOT / Path(*name.split("."))
    return next((found for found in (path.with_suffix(".py"), path / "__init__.py") if found.is_file()), None)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def docstring_of(path: Path) -> str:
    return ast.get_docstring(tree_of(path)) or ""


@cache
def imported_names(path: Path) -> dict[str, str]:
    """What a name of this file stands for: local name -> absolute dotted name, of ours or not."""
    package = list(path.relative_to(ROOT).parent.parts)
    found = {}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *((node.module or "").split("."))]).strip(".")
            found |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in node.names}
    return found


@cache
def modules_imported_by(path: Path) -> frozenset[str]:
    """Modules of ours that this file imports, absolute; a package only when nothing inside it was named."""
    found = set()
    for name in imported_names(path).values():
        if name.split(".")[0] in APPS:
            module = name if path_of(name) else name.rpartition(".")[0]
            if path_of(module):
                found.add(module)
    return frozenset(found)
