"""The side conversation with both its ends: the server's desk and a brain with a scripted CLI, joined by a socket."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from adapters.contract import AdapterError, AgentSpec, McpEndpoint
from assistant.answers import Answered
from assistant.brain import Brain, BrainFacts
from assistant.brain_session import BrainCli, BrainSession
from assistant.consumers import BrainSocket, tell_brain
from assistant.desk import AssistantDesk
from assistant.live import Follower, LiveTalk
from assistant.prompt import prompt_of
from assistant.requests import AskAssistant, CancelAssistant
from assistant.state import BRAIN
from groupx.kernel.clock import Clock, SystemClock
from groupx.kernel.config import Assistant, GroupXConfig
from groupx.kernel.ids import new_handle, new_token
from rooms.caller import operator_caller
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from tests.turns.joined_lane import SECRET, WorkerServer
from turns.control import LaneControl
from turns.lane_link import LaneLink
from turns.lane_store import LaneStore

WAIT_SECONDS = 10
ASSISTANT = Assistant.model_validate(
    {
        "enabled": True,
        "name": "Ada",
        "brain": {"driver": "scripted", "command": "scripted", "cwd": "/tmp"},
        "extraInstructions": "Speak like a pirate.",
    }
)


def with_assistant(config: GroupXConfig, assistant: Assistant | None = ASSISTANT) -> GroupXConfig:
    return config.model_copy(update={"assistant": assistant})


class BrainStage:
    """One brain's process, as tasks of the test. `close` ends it in order, `die` as a SIGKILL would."""

    def __init__(self, url: str, *script: ScriptedSession | AdapterError | asyncio.Event, cwd: str = "/tmp") -> None:
        clock, self.control, self.token = SystemClock(), LaneControl(), new_token()
        self.driver = ScriptedDriver(*script)
        self.processes: list[str] = []
        self.handle = new_handle()
        actor = operator_caller(ASSISTANT.name).actor
        self.link = LaneLink(url, SECRET, BRAIN, clock)
        store = LaneStore(actor, self.token, self.control, clock, failed=lambda reason: None)
        cli = BrainCli(
            spec=AgentSpec(agent_id=BRAIN, driver="scripted", argv=("scripted",), cwd=Path(cwd)),
            driver=self.driver,
            mcp=McpEndpoint(url="http://127.0.0.1:9/operator/mcp", binding_handle=self.handle),
            process_spawned=lambda process: self.processes.append("spawned"),
            process_ended=lambda: self.processes.append("ended"),
        )
        facts = BrainFacts(
            token=self.token,
            handle=self.handle,
            actor=actor,
            driver="scripted",
            cwd=cwd,
            timeouts=GroupXConfig(agents={}).timeouts,
            prompt_of=lambda content: prompt_of(
                content, name=ASSISTANT.name, extra_instructions=ASSISTANT.extra_instructions
            ),
        )
        self.brain = Brain(
            facts, BrainSession(self.token, cli, self.link, store, self.control, clock), self.link, store,
            self.control, clock,
        )  # fmt: skip

    async def start(self) -> "BrainStage":
        self._linking = asyncio.create_task(self.link.run())
        await self.link.connected.wait()
        self.working = asyncio.create_task(self.brain.run())
        return self

    async def close(self) -> None:
        self.brain.close()
        async with asyncio.timeout(WAIT_SECONDS):
            await asyncio.gather(self.working, return_exceptions=True)
        await self._end(self._linking)

    async def replaced(self) -> None:
        """It ends by itself, since another process is the brain."""
        async with asyncio.timeout(WAIT_SECONDS):
            await self.working
        await self._end(self._linking)

    async def lose_connection(self) -> None:
        await self._end(self._linking)

    async def _end(self, task: "asyncio.Task[None]") -> None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class TalkStage:
    def __init__(self, config: GroupXConfig, clock: Clock) -> None:
        self.live = LiveTalk(1_000_000, clock)
        self.socket = BrainSocket(self.live, SECRET, clock, committed=lambda: None, store_failed=lambda reason: None)
        self.desk = AssistantDesk(config, self.live, self.socket.is_connected, tell_brain, clock)
        self.socket.look = self.desk.look
        self.server = WorkerServer(self.socket)
        self._brains: list[BrainStage] = []

    async def brain(self, *script: ScriptedSession | AdapterError | asyncio.Event, cwd: str = "/tmp") -> BrainStage:
        stage = BrainStage(f"ws://127.0.0.1:{self.server.port}/ws/assistant", *script, cwd=cwd)
        self._brains.append(stage)
        return await stage.start()

    async def ask(self, content: str = "Who is here?", command_id: str = "q1") -> Answered:
        async with asyncio.timeout(WAIT_SECONDS):
            return await self.desk.ask(AskAssistant(client_command_id=command_id, content=content))

    def asking(self, content: str = "Who is here?", command_id: str = "q1") -> "asyncio.Task[Answered]":
        return asyncio.create_task(self.ask(content, command_id))

    async def cancel(self, command_id: str | None = None) -> dict[str, Any]:
        return dict(await self.desk.cancel(CancelAssistant(client_command_id=command_id)))

    async def asked(self, content: str, command_id: str) -> "asyncio.Task[Answered]":
        """Somebody who waits for an answer to a question that stands in the database."""
        async with self.reader() as reader:
            asking = self.asking(content, command_id)
            await reader.until(
                lambda kind, data: kind == "assistant.message" and data["item"]["clientCommandId"] == command_id
            )
            return asking

    async def until_state(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until the assistant is told to be so."""
        async with asyncio.timeout(WAIT_SECONDS), self.reader() as reader:
            while True:
                for kind, data in await reader.more():
                    if kind == "assistant.state" and wanted(data):
                        return data

    @asynccontextmanager
    async def reader(self) -> AsyncIterator["Reader"]:
        follower = self.live.follow()
        try:
            yield Reader(follower)
        finally:
            self.live.leave(follower)

    async def end(self) -> None:
        for brain in self._brains:
            if not brain.working.done():
                await brain.close()


class Reader:
    """A client of the stream. `told` is all that it was told."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.is_over = False

    async def more(self) -> list[tuple[str, dict[str, Any]]]:
        chunk = await self._follower.next_chunk()
        self.is_over = chunk is None
        frames = [frame.splitlines() for frame in (chunk or b"").decode().split("\n\n") if frame.startswith("event")]
        news = [(kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for kind, data in frames]
        self.told += news
        return news

    async def until(self, wanted: Callable[[str, dict[str, Any]], bool]) -> list[tuple[str, dict[str, Any]]]:
        """All that was told up to what is wanted."""
        async with asyncio.timeout(WAIT_SECONDS):
            while not any(wanted(kind, data) for kind, data in self.told):
                await self.more()
        return self.told


@asynccontextmanager
async def side_conversation(config: GroupXConfig, clock: Clock | None = None) -> AsyncIterator[TalkStage]:
    stage = TalkStage(config, clock or SystemClock())
    await stage.server.open()
    running = asyncio.create_task(stage.desk.run())
    await stage.until_state(lambda state: True)
    try:
        yield stage
    finally:
        await stage.end()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await stage.server.close()
