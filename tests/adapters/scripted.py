"""Talking to the scripted agent of tests/fakes/agent_cli.py: directives in, what it heard out."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from adapters.contract import AgentSpec, NativeEvent, Session, TextDelta

AGENT = Path(__file__).parents[1] / "fakes" / "agent_cli.py"
PATIENCE_SECONDS = 10.0


def spec(cwd: Path, driver: str = "acp", startup: dict[str, Any] | None = None, **more: Any) -> AgentSpec:
    """The scripted agent as a configured one, with limits short enough for tests."""
    env = {"FAKE_AGENT": json.dumps(startup or {}), **more.pop("env", {})}
    limits = {"handshake_ms": 5_000, "request_ms": 5_000, "close_ms": 2_000, **more}
    return AgentSpec(agent_id="tester", driver=driver, argv=(sys.executable, str(AGENT)), cwd=cwd, env=env, **limits)


def do(*steps: dict[str, Any], n: str = "1") -> str:
    return f"Please. [[do {json.dumps({'n': n, 'steps': steps})}]]"


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


async def logged(cwd: Path, event: str, *, method: str | None = None) -> dict[str, Any]:
    """Wait, bounded, until the agent has noted it."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            for entry in log_of(cwd):
                if entry["ev"] == event and method in (None, entry.get("method")):
                    return entry
            await asyncio.sleep(0.01)  # another process wrote it: it can only be looked at again
