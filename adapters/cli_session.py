"""A session on its process, whatever the two speak: one prompt at a time, cancel, the end.

Speaks only through the connection. The caller serialises prompts; what a driver adds is how a prompt and a cancel are
said, and which frame belongs to what.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from adapters import jsonrpc
from adapters.connection import Connection, ConnectionLost, Wire
from adapters.contract import Failed, NativeEvent, SessionInfo, SessionLoss, StopRecord
from adapters.endings import Ending, Interaction, failure_of_loss
from adapters.framing import LineTooLong
from adapters.process import CliProcess
from adapters.room_tools import RoomTools
from adapters.turn import Turn
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger

log = get_logger()


@dataclass(frozen=True)
class Question:
    """What an agent wants from a person ("permission" or "an answer"), and how it is told that nobody answers."""

    kind: str
    answer: dict[str, Any] | None
    """None refuses the request as unknown, where there is no such answer."""


class CliSession[T: Turn](ABC):
    """Made by a driver, which opens it; `info` is there from then on."""

    info: SessionInfo

    def __init__(self, process: CliProcess, wire: Wire, *, request_ms: int, close_ms: int) -> None:
        self._process = process
        self._request_seconds = request_ms / 1000
        self._close_ms = close_ms
        self._is_proven = True
        """False after a resume, until a turn has shown that there is a session."""
        self.loss: SessionLoss | None = None
        self._closing = False
        self._turn: T | None = None
        self._unfinished: T | None = None
        """The turn that the native side still owes an end; the iterator may be gone before."""
        self._settled = asyncio.Event()
        self._settled.set()
        self._gone = asyncio.Event()
        self._counts: Counter[str] = Counter()
        self._reported: Counter[str] = Counter()
        self._rest_until = 0.0
        self.room_tools = RoomTools()
        self.connection = Connection(process, self, wire)

    # ------------------------------------------------------------ what a driver adds
    @abstractmethod
    def _new_turn(self) -> T: ...

    @abstractmethod
    def _prepare_prompt(self, text: str) -> Callable[[T], None]:
        """How this text is sent, once, without waiting; `native_end` is called when its turn is over.

        Raises:
            LineTooLong: it can't be sent. What is returned raises ConnectionLost when nothing was sent.
        """

    @abstractmethod
    def _say_cancel(self) -> None:
        """Ask the native turn to stop, without waiting."""

    @abstractmethod
    def _question(self, request: jsonrpc.Request) -> Question | None:
        """None for a request that wants nothing from a person: it is refused as unknown."""

    @abstractmethod
    def notified(self, notification: jsonrpc.Notification) -> None: ...

    # ------------------------------------------------------------ the contract
    async def prompt(self, text: str) -> AsyncIterator[NativeEvent]:
        if self._turn is not None:
            raise RuntimeError("one prompt at a time")
        refused = self._refuse_prompt()
        if refused is not None:
            yield refused
            return
        try:
            send = self._prepare_prompt(text)
        except LineTooLong:
            yield Failed(
                code=ErrorCode.MESSAGE_TOO_LARGE,
                message="The message with its context is longer than one line of the agent's protocol may be.",
                hint="Shorten the message, or compact this agent's context.",
            )
            return
        turn = self._turn = self._new_turn()
        try:
            self._send_prompt(send, turn)
            # beside the reading: an agent may answer while it still reads, and must not have to wait for that
            watching = asyncio.create_task(
                self.connection.watch_taken(self._request_seconds), name=f"prompt-{self._process.opened.pid}"
            )
            try:
                while (event := await turn.next()) is not None:
                    yield event
                self._count_oddities()
                rest, terminal = turn.finish()
                self._is_proven |= turn.has_answer
            finally:
                watching.cancel()
            self._turn = None
            for event in rest:
                yield event
            yield terminal
        finally:
            self._leave(turn)

    async def cancel(self) -> None:
        turn = self._turn
        if turn is not None and turn.ending is None:
            self._send_cancel(turn)

    async def settled(self, timeout_seconds: float) -> bool:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._settled.wait()
                await asyncio.sleep(max(0.0, self._rest_until - loop.time()))
        except TimeoutError:
            return False
        return self.usable

    @property
    def usable(self) -> bool:
        return self.connection.loss is None

    @property
    def exit_code(self) -> int | None:
        return self._process.exit_code

    @property
    def last_words(self) -> str:
        return self._process.last_words

    async def gone(self) -> None:
        await self._gone.wait()

    async def close(self) -> StopRecord:
        self._closing = True
        record = await self._process.stop(self._close_ms)
        await self.connection.close()
        return record

    # ------------------------------------------------------------ what the connection tells
    def asked(self, request: jsonrpc.Request) -> dict[str, Any] | None:
        question = self._question(request)
        turn = self._turn
        if turn is not None:
            turn.begin()
        if question is None:
            return None
        log.info("native_interaction", pid=self._process.opened.pid, kind=question.kind, in_turn=turn is not None)
        self._break_off(Interaction(question.kind))
        return question.answer

    def lost(self, loss: SessionLoss) -> None:
        if not self._closing:
            self.loss = loss
        if self._turn is not None:
            self._turn.end(loss)
        self._unfinished = None
        self.room_tools.told(are_seen=False)
        self._settled.set()
        self._gone.set()

    async def has_room(self) -> None:
        if self._turn is not None:
            await self._turn.has_room()

    # ------------------------------------------------------------ inside
    def native_end(self, turn: T) -> None:
        """The native side has nothing left of it."""
        if self._unfinished is turn:
            self._unfinished = None
            self._settled.set()

    def _break_off(self, ending: Ending) -> None:
        """End the turn for us and ask the native one to stop, after what is being answered now.

        While a cancel of ours is on its way nothing else happens: the turn ends by that.
        """
        turn = self._turn
        if turn is not None and turn.ending is None and not turn.cancel_sent:
            turn.end(ending)
            asyncio.get_running_loop().call_soon(self._send_cancel, turn)

    def _refuse_prompt(self) -> Failed | None:
        loss = self.connection.loss
        if loss is not None:
            return Failed(
                code=ErrorCode.NATIVE_SESSION_LOST,
                message=f"The agent's session was over before the message was sent. {loss.message}",
                hint=failure_of_loss(loss).hint,
                session_lost=True,
            )
        if self._unfinished is not None:
            return Failed(
                code=ErrorCode.NATIVE_SESSION_LOST,
                message="The agent has not let go of an earlier turn.",
                hint="The next message starts a fresh process.",
                session_lost=True,
            )
        return None

    def _send_prompt(self, send: Callable[[T], None], turn: T) -> None:
        self._unfinished = turn
        self._settled.clear()
        try:
            send(turn)
        except ConnectionLost as error:
            self.native_end(turn)
            turn.end(error.loss)

    def _send_cancel(self, turn: T) -> None:
        if not turn.cancel_sent:
            turn.cancel_sent = True
            self._say_cancel()

    def _leave(self, turn: T) -> None:
        """After the terminal nothing is left to do; an abandoned prompt is cancelled and its answer awaited."""
        turn.leave()
        if self._turn is turn:
            self._turn = None
        if self._unfinished is turn:
            self._send_cancel(turn)

    def _count_oddities(self) -> None:
        now = Counter(
            noise=self._process.noise,
            invalid_utf8=self._process.invalid_utf8,
            late_answer=self.connection.late_answers,
        )
        self._counts.update(now - self._reported)
        self._reported = now
