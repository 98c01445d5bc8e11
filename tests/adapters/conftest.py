"""Sessions with the scripted agent that are always closed, and a proof that nothing is left running."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

from adapters import process_group
from adapters.cli_session import CliSession
from adapters.contract import McpEndpoint
from adapters.registry import driver_for
from tests.adapters.dialects import DIALECTS, Dialect
from tests.adapters.scripted import spec

type Open = Callable[..., Awaitable[CliSession[Any]]]


@pytest_asyncio.fixture
async def open_agent(tmp_path: Path) -> AsyncIterator[Open]:
    opened: list[CliSession[Any]] = []

    async def open_one(
        startup: dict[str, Any] | None = None,
        *,
        driver: str = "acp",
        resume: str | None = None,
        mcp: McpEndpoint | None = None,
        **more: Any,
    ) -> CliSession[Any]:
        session = await driver_for(driver).open(spec(tmp_path, driver, startup, **more), mcp, resume)
        assert isinstance(session, CliSession)
        opened.append(session)
        return session

    yield open_one
    for session in opened:
        await session.close()
        assert not process_group.members(session.info.process.pid, session.info.process.started_at)


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    """Each protocol in turn, for what every driver does."""
    return DIALECTS[request.param]


@pytest.fixture
def open_any(open_agent: Open, dialect: Dialect) -> Open:
    """Sessions of a driver that speaks this dialect."""
    return partial(open_agent, driver=dialect.driver)


@pytest.fixture
def open_claude(open_agent: Open) -> Open:
    return partial(open_agent, driver="claude")


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """Where the scripted agent works and keeps its log."""
    return tmp_path


@pytest_asyncio.fixture
async def nothing_left_running() -> AsyncIterator[None]:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [c for c in psutil.Process().children(recursive=True) if c.pid not in before and c.status() != "zombie"]
    assert not left
