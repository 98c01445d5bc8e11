"""`uv run python -m tests.live.record grok kimi` (or `all`): record real CLIs against the scripted model.

One conversation for each behaviour, in tests/fixtures/<driver>/; those of earlier versions are replaced. With names of
behaviours after them only these are recorded, and the others stay.
"""

import asyncio
import json
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from adapters.contract import AgentSpec, McpEndpoint
from adapters.registry import driver_for
from tests.fakes.model_server import ModelServer
from tests.fakes.recordings import BEHAVIOURS, FIXTURES, HOME, PROGRAMS, PROJECT, SESSION, Behaviour, spoken
from tests.live.minutes import another_minute
from tests.live.one_tool import OneTool
from tests.live.recipes import RECIPES, Recipe, room_call
from tests.live.redaction import Redaction

TEE = Path(__file__).with_name("tee.py")
ASK = room_call("ask", to=["agent:b"], content="What is the answer?", clientCommandId="ask-1")
BEHAVIOUR_SECONDS = 240
SETTLE_SECONDS = 30


async def record(recipe: Recipe, behaviours: Sequence[Behaviour]) -> None:
    assert recipe.path is not None, f"{recipe.executable} is not on PATH"
    version = await recipe.version()
    folder = FIXTURES / recipe.driver
    if len(behaviours) == len(BEHAVIOURS):
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    for behaviour in behaviours:
        calls = {"{shell}": recipe.shell("echo hello"), "{ask}": ASK}
        prompts = [_written(prompt, calls) for prompt in behaviour.prompts]
        with tempfile.TemporaryDirectory() as place, ModelServer() as model, OneTool() as room:
            async with asyncio.timeout(BEHAVIOUR_SECONDS):
                session = _Session(recipe, Path(place), model, room.endpoint if behaviour.has_room else None)
                lines = await session.conversation(behaviour, prompts)
        head = {
            "cli": recipe.driver,
            "version": version,
            "date": datetime.now(UTC).date().isoformat(),
            "behaviour": behaviour.name,
            "prompts": prompts,
            "resumes": behaviour.resumes,
            "has_room": behaviour.has_room,
        }
        file = folder / f"{version}_{behaviour.name}.jsonl"
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [head, *lines]))
        print(f"{file.relative_to(FIXTURES)}: {len(lines)} lines", flush=True)


def _written(prompt: str, calls: Mapping[str, str]) -> str:
    for name, call in calls.items():
        prompt = prompt.replace(name, call)
    return prompt


class _Session:
    """One CLI with a folder of its own, behind the tee."""

    def __init__(self, recipe: Recipe, place: Path, model: ModelServer, mcp: McpEndpoint | None) -> None:
        self._recipe, self._place, self._mcp = recipe, place, mcp
        self._work, self._home, self._notes = place / "work", place / "home", place / "notes.jsonl"
        self._work.mkdir()
        self._env = recipe.env(self._home, model)

    async def conversation(self, behaviour: Behaviour, prompts: list[str]) -> list[Any]:
        before = await self._first_process() if behaviour.resumes else None
        session_id = await self._process(prompts, before)
        redaction = Redaction(self._places(session_id))
        return [redaction.of(json.loads(line)) for line in self._notes.read_text().splitlines()]

    async def _first_process(self) -> str:
        session_id = await self._process(["SAY:remember this"], None)
        self._notes.unlink()
        if self._recipe.resumes_in_another_minute:
            await another_minute()
        return session_id

    async def _process(self, prompts: list[str], resume: str | None) -> str:
        spec = AgentSpec(
            agent_id="agent",
            driver=self._recipe.driver,
            argv=(sys.executable, str(TEE), str(self._notes), str(self._recipe.path)),
            cwd=self._work,
            env=self._env,
            handshake_ms=90_000,
            request_ms=60_000,
        )
        session = await driver_for(self._recipe.driver).open(spec, self._mcp, resume)
        try:
            for prompt in prompts:
                last = (await spoken(session, prompt))[-1]
                print(f"  {prompt.splitlines()[0]} -> {last}", flush=True)
                await session.settled(SETTLE_SECONDS)
        finally:
            await session.close()
        return session.info.native_session_id

    def _places(self, session_id: str) -> dict[str, str]:
        named = {self._work: PROJECT, self._home: HOME, self._place: "/tmp/place"}
        slugs = {re.sub(r"[^A-Za-z0-9]", "-", str(path)): name.replace("/", "-") for path, name in named.items()}
        programs = str(Path(str(self._recipe.path)).resolve().parent)
        return {
            **{str(path): name for path, name in named.items()},
            **slugs,
            session_id: SESSION,
            programs: PROGRAMS,
            str(Path(str(self._recipe.path)).parent): PROGRAMS,
            platform.node(): "machine",
            str(Path.home()): HOME,
        }


def main(names: list[str]) -> None:
    behaviours = [behaviour for behaviour in BEHAVIOURS if behaviour.name in names] or BEHAVIOURS
    for recipe in RECIPES:
        if recipe.driver in names or ("all" in names and recipe.path is not None):
            asyncio.run(record(recipe, behaviours))


if __name__ == "__main__":
    main(sys.argv[1:])
