"""Which CLIs are driven, and what becomes of what they show."""

import asyncio
from collections.abc import Generator, Iterator
from datetime import UTC, datetime

import pytest

from tests.fakes.model_server import ModelServer
from tests.live.capabilities import Capability
from tests.live.recipes import RECIPES, Recipe
from tests.live.report import render
from tests.live.results import REASON_CHARS, Gathered, Result, Shown, record

GATHERED = pytest.StashKey[dict[str, Gathered]]()


@pytest.fixture(scope="module", params=RECIPES, ids=lambda recipe: recipe.driver)
def recipe(request: pytest.FixtureRequest) -> Recipe:
    """Each CLI that is asked for and installed; else its tests skip and say why."""
    found: Recipe = request.param
    chosen = request.config.getoption("live")
    if chosen is None and not found.on_every_run:
        pytest.skip(f"runs with --live=all or --live={found.driver}")
    if chosen not in (None, "all") and found.driver not in chosen.split(","):
        pytest.skip(f"not one of --live={chosen}")
    if found.path is None:
        pytest.skip(f"{found.executable} is not on PATH")
    gathered = request.config.stash.setdefault(GATHERED, {})
    if found.driver not in gathered:
        gathered[found.driver] = Gathered(asyncio.run(found.version()), datetime.now(UTC).date().isoformat())
    return found


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a recipe says its CLI lacks has to fail, so that a version that can do it is noticed."""
    for item in items:
        driven = _recipe(item)
        for capability in _capabilities(item):
            if driven is not None and (reason := driven.lacks.get(capability)):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def _recipe(item: pytest.Item) -> Recipe | None:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("recipe") if callspec else None


def _capabilities(item: pytest.Item) -> list[Capability]:
    return [mark.args[0] for mark in item.iter_markers("capability")]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    driven = _recipe(item)
    gathered = item.config.stash.get(GATHERED, {}).get(driven.driver) if driven else None
    if gathered is not None and (report.when == "call" or not report.passed):
        for capability in _capabilities(item):
            gathered.add(capability, _shown(report, call))
    return report


def _shown(report: pytest.TestReport, call: pytest.CallInfo[None]) -> Shown:
    if report.passed:
        return Shown(result=Result.VERIFIED)
    if hasattr(report, "wasxfail"):
        return Shown(result=Result.LACKING, reason=report.wasxfail.removeprefix("reason: "))
    words = str(call.excinfo.value) if call.excinfo else str(report.longrepr)
    reason = next((line.strip() for line in words.splitlines() if line.strip()), "no reason given")[:REASON_CHARS]
    return Shown(result=Result.UNTRIED if report.skipped else Result.FAILED, reason=reason)


def pytest_sessionfinish(session: pytest.Session) -> None:
    gathered = session.config.stash.get(GATHERED, {})
    if session.config.getoption("live_report") and gathered:
        record(gathered)
        render()
