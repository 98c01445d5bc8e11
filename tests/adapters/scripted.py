"""Talking to the scripted agents of tests/fakes: directives in, what they heard out."""

import asyncio
import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from adapters.contract import AdapterError, AgentSpec, Diagnostic, Failed, NativeEvent, Session, TextDelta
from adapters.registry import driver_for
from tests.adapters.dialects import Dialect, dialect_of
from tests.loop_steps import begun

PATIENCE_SECONDS = 10.0
MIB = 1024 * 1024


def spec(cwd: Path, driver: str = "acp", startup: dict[str, Any] | None = None, **more: Any) -> AgentSpec:
    """The scripted agent as a configured one, with limits short enough for tests."""
    dialect = dialect_of(driver)
    env = {"FAKE_AGENT": json.dumps(startup or {}), **dialect.env, **more.pop("env", {})}
    limits = {"handshake_ms": 5_000, "request_ms": 5_000, "close_ms": 2_000, **more}
    return AgentSpec(agent_id="tester", driver=driver, argv=dialect.argv, cwd=cwd, env=env, **limits)


def do(*steps: dict[str, Any], n: str = "1") -> str:
    return f"Please. [[do {json.dumps({'n': n, 'steps': steps})}]]"


async def refused(
    cwd: Path, startup: dict[str, Any], driver: str = "acp", *, resume: str | None = None, **more: Any
) -> AdapterError:
    """Why the agent could not be opened."""
    with pytest.raises(AdapterError) as caught:
        await driver_for(driver).open(spec(cwd, driver, startup, **more), None, resume)
    return caught.value


async def play(session: Session, prompt: str) -> list[NativeEvent]:
    """All events of one prompt, within the patience of tests."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        return [event async for event in session.prompt(prompt)]


def streamed(events: list[NativeEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def log_of(cwd: Path) -> list[dict[str, Any]]:
    file = cwd / "agent.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def heard(cwd: Path, method: str) -> list[dict[str, Any]]:
    return [entry for entry in log_of(cwd) if entry["ev"] == "heard" and entry["method"] == method]


def prompts(cwd: Path) -> list[str]:
    """The nonces of the prompts that arrived, in order."""
    return [entry["n"] for entry in log_of(cwd) if entry["ev"] == "prompt"]


def resumes(cwd: Path, dialect: Dialect) -> int:
    """How often a session was taken up again: by an argument or by a request."""
    entries = log_of(cwd)
    return sum(dialect.resume in entry.get("argv", ()) or entry.get("method") == dialect.resume for entry in entries)


async def logged(cwd: Path, event: str, **fields: object) -> dict[str, Any]:
    """Wait, bounded, until the agent has noted it, with these fields. It says so by a named pipe, after it wrote."""
    pipe = cwd / "agent.noted"
    if not pipe.exists():
        os.mkfifo(pipe)
    listening = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    noted, loop = asyncio.Event(), asyncio.get_running_loop()

    def hear() -> None:
        os.read(listening, 65_536)
        noted.set()

    loop.add_reader(listening, hear)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                for entry in log_of(cwd):
                    if entry["ev"] == event and fields.items() <= entry.items():
                        return entry
                await noted.wait()
                noted.clear()
    finally:
        loop.remove_reader(listening)
        os.close(listening)


# ---------------------------------------------------------------- what a test says and looks at
def chunk(text: str, session: str = "$session") -> dict[str, Any]:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    return {"frame": {"method": "session/update", "params": {"sessionId": session, "update": update}}}


def raw64(data: bytes) -> dict[str, Any]:
    return {"raw64": base64.b64encode(data).decode()}


def failed(events: list[NativeEvent]) -> Failed:
    last = events[-1]
    assert isinstance(last, Failed)
    return last


def diagnostics(events: list[NativeEvent]) -> dict[str, int]:
    return {event.kind: event.count for event in events if isinstance(event, Diagnostic)}


class Running:
    """A prompt that is read by a task, so that the test can act in the middle of it. Its sending has begun at once."""

    def __init__(self, session: Session, prompt: str) -> None:
        self.events: list[NativeEvent] = []
        self._has_text = asyncio.Event()
        self._task = begun(self._read(session, prompt))

    async def _read(self, session: Session, prompt: str) -> None:
        async for event in session.prompt(prompt):
            self.events.append(event)
            if isinstance(event, TextDelta):
                self._has_text.set()

    async def has_text(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._has_text.wait()

    async def end(self, within_seconds: float = PATIENCE_SECONDS) -> list[NativeEvent]:
        async with asyncio.timeout(within_seconds):
            await self._task
        return self.events
