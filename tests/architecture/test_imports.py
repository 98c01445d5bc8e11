"""Who may import whom (docs/architecture.md, "Rings"). Read from the sources; no exception list."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APPS = ("adapters", "groupx", "memory", "rooms", "turns")
MODULES = sorted(path for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts)
EDGES = {
    "api", "asgi_json", "consumers", "fast_api", "fragments", "management", "tools", "urls", "views",
}  # fmt: skip
PURE = {
    "rooms": {"bodies", "caller", "envelope", "new_event", "sse", "text_so_far", "tool_reports", "vocabulary"},
    "turns": {"deadlines", "recording", "recovery", "requests", "settlement", "state"},
    "memory": {"packet", "vocabulary"},
}
MAY_IMPORT = {
    "kernel": set(),
    "adapters": {"kernel", "adapters", "adapters.contract"},
    "rooms": {"kernel", "rooms"},
    "memory": {"kernel", "rooms", "memory"},
    "turns": {"kernel", "rooms", "memory", "turns", "adapters.contract"},
}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def imports_of(path: Path) -> set[str]:
    """Modules of ours that this file imports, absolute."""
    package = list(path.relative_to(ROOT).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *((node.module or "").split("."))]).strip(".")
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.split(".")[0] in APPS}


def is_module(name: str) -> bool:
    path = ROOT / Path(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def ring_of(name: str) -> str:
    if name.startswith("groupx.kernel"):
        return "kernel"
    if name.startswith("adapters.contract"):
        return "adapters.contract"
    return name.split(".")[0]


def is_edge(name: str) -> bool:
    return any(part in EDGES for part in name.split(".")[1:])


def test_the_kernel_imports_nothing_of_ours():
    for path in (ROOT / "groupx/kernel").glob("*.py"):
        assert {ring_of(name) for name in imports_of(path)} <= {"kernel"}, name_of(path)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_its_ring_may(path):
    name = name_of(path)
    ring = ring_of(name)
    if ring == "groupx":
        return  # the roof
    imported = {other for other in imports_of(path) if is_module(other)}
    if is_edge(name):
        assert "groupx" not in {ring_of(other) for other in imported}, "nobody imports the roof"
        return
    allowed = MAY_IMPORT["adapters" if ring == "adapters.contract" else ring] | {ring}
    packages = set(APPS)  # `from adapters.contract import X` also names the package
    assert not {other for other in imported if ring_of(other) not in allowed and other not in packages}
    if ring not in ("adapters", "adapters.contract"):
        assert not {other for other in imported if is_edge(other)}, "only edges and the roof know an edge"


@pytest.mark.parametrize(
    "path",
    [ROOT / app / f"{module}.py" for app, modules in PURE.items() for module in sorted(modules)],
    ids=name_of,
)
def test_a_pure_module_knows_no_django_and_only_pure_modules(path):
    tree = ast.parse(path.read_text())
    roots = {
        (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert "django" not in roots and "asyncio" not in roots
    for other in imports_of(path):
        if not is_module(other) or ring_of(other) in ("kernel", "adapters.contract") or other in APPS:
            continue
        app, _, module = other.partition(".")
        assert module in PURE[app], other


def test_adapters_know_no_django():
    for path in (ROOT / "adapters").rglob("*.py"):
        assert "django" not in path.read_text(), name_of(path)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_stand_at_the_top(path):
    """An import inside a function hides a wrong direction. Entry points settle the environment first."""
    if name_of(path) in ("groupx.cli",):
        return
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = [node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)]
            assert not inner, f"{name_of(path)}:{inner[0].lineno}"
