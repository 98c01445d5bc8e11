"""A lane whose agent is asked for summaries in short sessions, in a room that says more than fits into a packet."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from adapters.contract import Completed, NativeEvent, OpenedProcess, Started, TextDelta
from groupx.kernel.config import GroupXConfig
from rooms.announcements import Announcement, LaneAction, LaneSignal, listen
from rooms.body import Body
from rooms.envelope import ActorRef
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from tests.turns.stage import LaneStage
from turns.lane_link import Orders

SMALL = 12_000
"""Characters of a packet: twelve messages of the tests fit, a hundred do not."""


def a_small_context(config: GroupXConfig, characters: int = SMALL) -> GroupXConfig:
    limits = config.limits.model_copy(update={"context_characters": characters})
    return config.model_copy(update={"limits": limits})


class SummaryDriver(ScriptedDriver):
    """Opens a short session for every question. Each says what `answer` gives for its number: a text, an event, or at a
    gate nothing."""

    def __init__(self, answer: Callable[[int], str | NativeEvent | asyncio.Event]) -> None:
        super().__init__()
        self._answer = answer
        self.sessions: list[ScriptedSession] = []
        self.is_asked = asyncio.Event()

    @property
    def prompts(self) -> list[str]:
        return [prompt for session in self.sessions for prompt in session.prompts]

    async def open(
        self,
        spec: object,
        mcp: object,
        resume: str | None,
        on_spawn: Callable[[OpenedProcess], None] | None = None,
    ) -> ScriptedSession:
        assert mcp is None and resume is None, "a session of its own, without the room's tools"
        session = ScriptedSession("short")
        if on_spawn is not None:
            on_spawn(OpenedProcess(pid=1, started_at=1.0))
        self.sessions.append(session)
        match self._answer(len(self.sessions)):
            case str(text):
                session.say(Started(), TextDelta(text), Completed(text))
            case asyncio.Event():
                session.say(Started())
            case event:
                session.say(event)
        self.is_asked.set()
        return session


class SummingLane(LaneStage):
    """Hears of its jobs at once, as from the server; `told_live` has what it tells of compactions."""

    def __init__(self, config: GroupXConfig, name: str, session: ScriptedSession, writer: ScriptedDriver) -> None:
        super().__init__(config, name, session, jobs_driver=writer)
        self.told_live: list[Body] = []
        told = self.link.transient

        def transient(body: Body, *, actor: ActorRef, correlation_id: str) -> None:
            self.told_live.append(body)
            told(body, actor=actor, correlation_id=correlation_id)

        self.link.transient = transient  # type: ignore[method-assign]

    async def __aenter__(self) -> "SummingLane":
        self._signals = self._passed_on()
        self._signals.__enter__()
        await super().__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await super().__aexit__(*exc_info)
        self._signals.__exit__(None, None, None)

    @contextmanager
    def _passed_on(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()

        def hear(announcement: Announcement) -> None:
            if isinstance(announcement, LaneSignal) and announcement.action is LaneAction.ORDERS:
                loop.call_soon_threadsafe(self.link.signals.put_nowait, Orders())

        end = listen(hear)
        try:
            yield
        finally:
            end()

    @property
    def kinds(self) -> list[str]:
        prefix = "context.compaction."
        return [body.event_type.removeprefix(prefix) for body in self.told_live if body.event_type.startswith(prefix)]
