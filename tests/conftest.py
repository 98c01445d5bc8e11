"""Shared fixtures: a seeded room on real SQLite, a clock that stands still, and what a run may skip."""

import os
import signal
from collections.abc import Iterator

import hypothesis
import pytest
from django.db import connection

from groupx.kernel.config import GroupXConfig
from rooms.actions.seed_room import seed_room
from rooms.transactions import close_database_threads
from tests.fakes.clock import FakeClock

# The same examples in every run; `--hypothesis-profile long` looks further, with new ones each time.
hypothesis.settings.register_profile("steady", deadline=None, derandomize=True, database=None, max_examples=100)
hypothesis.settings.register_profile("long", deadline=None, max_examples=3_000, print_blob=True)
hypothesis.settings.load_profile("steady")

ALL_SWITCH = "GROUPX_TEST_ALL"

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A run in the background of a script ignores it, and so would every process that is to be stopped by it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Here, not in tests/live, since options are read before that folder is looked into."""
    group = parser.getgroup("live", "real agent CLIs")
    group.addoption("--live", metavar="CLIS", help="drive these (codex,kimi), or all; default: those of every CI run")
    group.addoption("--live-report", action="store_true", help="record what they show, in docs/drivers.md too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Live, chaos and bench tests run on request: `-m live` and so on, or GROUPX_TEST_ALL=1 for everything."""
    wanted = f"{config.getoption('markexpr')} {'live' if config.getoption('live') else ''}"
    for mark in ("live", "chaos", "bench"):
        if os.environ.get(ALL_SWITCH) or mark in wanted:
            continue
        skip = pytest.mark.skip(reason=f"{mark} tests run with -m {mark} or {ALL_SWITCH}=1")
        for item in items:
            if item.get_closest_marker(mark):
                item.add_marker(skip)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A whole run uses all cores; a few tests would wait longer for the workers than for their end."""
    is_whole = config.args == config.getini("testpaths")
    return (os.cpu_count() or 1) if is_whole else 0


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def config() -> GroupXConfig:
    """Three enabled agents and one that is not."""
    agents = {
        name: {"driver": "kimi", "name": name.title(), "command": "unused", "cwd": "/tmp", "enabled": enabled}
        for name, enabled in (("builder", True), ("reviewer", True), ("scribe", True), ("retired", False))
    }
    return GroupXConfig.model_validate({"agents": agents})


@pytest.fixture
def room(db: None, config: GroupXConfig, clock: FakeClock) -> GroupXConfig:
    """The seeded main room, for tests of actions and queries; gives its configuration."""
    seed_room(config, clock=clock)
    return config


@pytest.fixture
def live_room(transactional_db: None, config: GroupXConfig, clock: FakeClock) -> Iterator[GroupXConfig]:
    """The same for code that reaches the database from its own threads."""
    with connection.cursor() as cursor:  # what a test leaves in a table of FTS5 no flush removes
        cursor.execute("INSERT INTO memory_transcript_text(memory_transcript_text) VALUES ('delete-all')")
    seed_room(config, clock=clock)
    yield config
    close_database_threads()
