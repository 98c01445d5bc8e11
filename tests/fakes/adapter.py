"""A scripted driver and session: the outside world as a lane sees it, without a process."""

import asyncio
from collections.abc import AsyncIterator, Callable

from adapters.contract import (
    AdapterError,
    AgentSpec,
    Completed,
    McpEndpoint,
    NativeEvent,
    OpenedProcess,
    ProbeResult,
    SessionInfo,
    SessionLoss,
    Started,
    StopRecord,
    TextDelta,
)
from groupx.kernel.errors import ErrorCode


class ScriptedSession:
    """Says what is put into `say`; remembers what it was asked."""

    def __init__(self, native_session_id: str = "native-1", *, resumed: bool = False) -> None:
        self.info = SessionInfo(
            native_session_id=native_session_id,
            resumed=resumed,
            context_lost=False,
            agent_name="scripted",
            agent_version="1",
            process=OpenedProcess(pid=1, started_at=1.0),
        )
        self.prompts: list[str] = []
        self.cancels = 0
        self.closed = False
        self.loss: SessionLoss | None = None
        self._is_open = False
        self.last_words = ""
        self.exit_code: int | None = None
        self.answers_cancel_with: NativeEvent | None = None
        self._events: asyncio.Queue[NativeEvent | BaseException] = asyncio.Queue()
        self._gone = asyncio.Event()
        self.prompted = asyncio.Event()

    def say(self, *events: NativeEvent | BaseException) -> None:
        for event in events:
            self._events.put_nowait(event)

    def answer(self, text: str) -> None:
        self.say(Started(), TextDelta(text), Completed(text))

    def die(self, exit_code: int = 7) -> None:
        self.exit_code = exit_code
        self.loss = SessionLoss(
            code=ErrorCode.NATIVE_EXITED,
            message=f"The agent's process ended with exit code {exit_code}.",
            exit_code=exit_code,
        )
        self._gone.set()

    async def prompt(self, text: str) -> AsyncIterator[NativeEvent]:
        self.prompts.append(text)
        self._is_open = True
        self.prompted.set()
        try:
            while True:
                event = await self._events.get()
                if isinstance(event, BaseException):
                    raise event
                yield event
        finally:
            self._is_open = False

    async def cancel(self) -> None:
        if not self._is_open:
            return
        self.cancels += 1
        if self.answers_cancel_with is not None:
            self.say(self.answers_cancel_with)

    async def settled(self, timeout_seconds: float) -> bool:
        return True

    @property
    def usable(self) -> bool:
        return not (self.closed or self._gone.is_set())

    async def gone(self) -> None:
        await self._gone.wait()

    async def close(self) -> StopRecord:
        self.closed = True
        self._gone.set()
        return StopRecord(exit_code=-9, terminated_ms=200, killed_ms=400, ended_ms=410, survivors=0)


class ScriptedDriver:
    """Opens the sessions it was given, in order; an AdapterError among them is raised instead."""

    name = "scripted"

    def __init__(self, *script: ScriptedSession | AdapterError | asyncio.Event) -> None:
        self._script = list(script)
        self.resumes: list[str | None] = []

    async def probe(self, argv: tuple[str, ...] | None = None) -> ProbeResult:
        return ProbeResult(driver=self.name, executable="scripted", version="1")

    async def open(
        self,
        spec: AgentSpec,
        mcp: McpEndpoint | None,
        resume: str | None,
        on_spawn: Callable[[OpenedProcess], None] | None = None,
    ) -> ScriptedSession:
        self.resumes.append(resume)
        step = self._script.pop(0)
        if on_spawn is not None:
            on_spawn(OpenedProcess(pid=1, started_at=1.0))
        if isinstance(step, asyncio.Event):  # a CLI that hangs in its handshake until it is let go
            await step.wait()
            step = self._script.pop(0)
        if isinstance(step, AdapterError):
            raise step
        return step
