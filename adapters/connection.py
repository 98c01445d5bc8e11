"""Requests and answers over one CLI process: who asked what, and whose answer this is.

Knows the end of the process too; refuses to know any method, and how messages look: that is the `wire`, JSON-RPC for
most. The peer gets everything in
the order of the wire: notifications, requests, and the answers to `ask` too. Whatever ends the connection
settles every waiter, once.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from adapters import jsonrpc
from adapters.contract import SessionLoss
from adapters.framing import write_line
from adapters.jsonrpc import ProtocolViolation, RpcError
from adapters.process import CliProcess, InputStuck, NoiseFlood
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger

log = get_logger()

EXIT_CODE_SECONDS = 0.5
"""How long the end of output waits for the exit, so that its code can be told."""
READER_END_SECONDS = 1.0

STUCK = SessionLoss(code=ErrorCode.NATIVE_SESSION_LOST, message="The agent stopped reading its input.")


class ConnectionLost(Exception):
    def __init__(self, loss: SessionLoss) -> None:
        super().__init__(loss.message)
        self.loss = loss


class RequestRefused(Exception):
    """The agent answered with an error."""

    def __init__(self, error: RpcError) -> None:
        super().__init__(error.message)
        self.error = error


class Wire(Protocol):
    """How messages look as frames; `adapters.jsonrpc` is one."""

    def read_message(self, frame: dict[str, Any]) -> jsonrpc.Message:
        """Raises ProtocolViolation."""
        ...

    def request(self, id: int, method: str, params: dict[str, Any]) -> dict[str, Any]: ...

    def notification(self, method: str, params: dict[str, Any]) -> dict[str, Any]: ...

    def result(self, id: jsonrpc.RequestId, value: dict[str, Any]) -> dict[str, Any]: ...

    def refusal(self, id: jsonrpc.RequestId, method: str) -> dict[str, Any]: ...


class Peer(Protocol):
    """What the connection tells. Nothing here may raise but ProtocolViolation."""

    def notified(self, notification: jsonrpc.Notification) -> None: ...

    def asked(self, request: jsonrpc.Request) -> dict[str, Any] | None:
        """The result to answer with; None refuses the method."""
        ...

    def lost(self, loss: SessionLoss) -> None: ...

    async def has_room(self) -> None:
        """Awaited before each frame, so that a slow reader slows down the agent."""
        ...


type OnAnswer = Callable[[jsonrpc.Response], None]


@dataclass(frozen=True)
class Prepared:
    """A request that fits on a line; an id is used once."""

    id: int
    line: bytes


class Connection:
    def __init__(self, process: CliProcess, peer: Peer, wire: Wire = jsonrpc) -> None:
        self._process = process
        self._wire = wire
        self._peer = peer
        self._waiting: dict[jsonrpc.RequestId, OnAnswer] = {}
        self._futures: set[asyncio.Future[jsonrpc.Response | SessionLoss]] = set()
        self._given_up: set[jsonrpc.RequestId] = set()
        self._last_id = 0
        self.loss: SessionLoss | None = None
        self.late_answers = 0
        self._reader = asyncio.create_task(self._read(), name=f"read-cli-{process.opened.pid}")

    # ------------------------------------------------------------ asking
    async def request(self, method: str, params: dict[str, Any], timeout_seconds: float) -> object:
        """Ask and wait for the result.

        Raises:
            RequestRefused: the agent answered with an error.
            TimeoutError: no answer in time; a later one is only counted.
            ConnectionLost: the connection ended first.
        """
        answered: asyncio.Future[jsonrpc.Response | SessionLoss] = asyncio.get_running_loop().create_future()
        prepared = self.prepare(method, params)
        self._futures.add(answered)
        try:
            async with asyncio.timeout(timeout_seconds):
                self.ask(prepared, _settle(answered))
                outcome = await answered
        finally:
            self._futures.discard(answered)
            self.give_up(prepared.id)
        if isinstance(outcome, SessionLoss):
            raise ConnectionLost(outcome)
        if outcome.error is not None:
            raise RequestRefused(outcome.error)
        return outcome.result

    def prepare(self, method: str, params: dict[str, Any]) -> Prepared:
        """A request as a line, not sent yet.

        Raises:
            LineTooLong: it can't be sent.
        """
        self._last_id += 1
        return Prepared(self._last_id, write_line(self._wire.request(self._last_id, method, params)))

    def ask(self, prepared: Prepared, on_answer: OnAnswer) -> None:
        """Send without waiting; `on_answer` is called in the order of the wire, unless the connection ends.

        Raises:
            ConnectionLost: nothing was sent.
        """
        if self.loss is None:
            self._waiting[prepared.id] = on_answer
        self.send(prepared.line)

    def send(self, line: bytes) -> None:
        """A line of any size that nobody answers by a number, without waiting.

        Raises:
            ConnectionLost: nothing was sent.
        """
        if self.loss is not None:
            raise ConnectionLost(self.loss)
        self._process.write(line)

    async def watch_taken(self, stuck_seconds: float) -> None:
        """Returns when everything sent has left us; ends the connection when the agent stops reading."""
        try:
            await self._process.drained(stuck_seconds)
        except InputStuck:
            self._end(await self._loss_of_input())

    def give_up(self, request_id: int) -> None:
        """Nobody waits for this answer any more."""
        if self._waiting.pop(request_id, None) is not None:
            self._given_up.add(request_id)

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send without waiting; nothing happens on a connection that is over."""
        self._post(self._wire.notification(method, params))

    async def close(self) -> None:
        """After the process was stopped: let the reader tell the end, then make sure of it."""
        await asyncio.wait({self._reader}, timeout=READER_END_SECONDS)
        self._reader.cancel()
        await asyncio.wait({self._reader})
        self._end(SessionLoss(code=ErrorCode.NATIVE_EXITED, message="The session was closed."))

    # ------------------------------------------------------------ reading
    async def _read(self) -> None:
        try:
            async for frame in self._process.frames():
                await self._peer.has_room()
                if self.loss is not None:
                    return
                self._take(self._wire.read_message(frame))
            self._end(await self._loss_of_output())
        except ProtocolViolation as violation:
            self._end(_violated(f"The agent broke its protocol: {violation.reason}."))
        except NoiseFlood:
            self._end(_violated("The agent broke its protocol: its output is no stream of messages."))
        except Exception:  # the outermost place of this task: its death must settle all waiters, whatever it died of
            log.exception("cli_reader_failed", pid=self._process.opened.pid)
            self._end(_violated("GroupX could not read what the agent sent."))

    def _take(self, message: jsonrpc.Message) -> None:
        if isinstance(message, jsonrpc.Unrelated):
            self._process.skipped()
            return
        self._process.understood()
        match message:
            case jsonrpc.Notification():
                self._peer.notified(message)
            case jsonrpc.Request():
                result = self._peer.asked(message)
                if result is None:
                    self._post(self._wire.refusal(message.id, message.method))
                else:
                    self._post(self._wire.result(message.id, result))
            case jsonrpc.Response():
                self._answer(message)

    def _answer(self, response: jsonrpc.Response) -> None:
        on_answer = self._waiting.pop(response.id, None)
        if on_answer is not None:
            on_answer(response)
        elif response.id in self._given_up:
            self._given_up.remove(response.id)
            self.late_answers += 1
        else:
            raise ProtocolViolation("an answer to no request")

    # ------------------------------------------------------------ ending
    def _end(self, loss: SessionLoss) -> None:
        if self.loss is not None:
            return
        self.loss = loss
        log.info("cli_connection_over", pid=self._process.opened.pid, code=loss.code, reason=loss.message)
        self._waiting.clear()
        for answered in self._futures:
            if not answered.done():
                answered.set_result(loss)
        self._peer.lost(loss)

    async def _loss_of_output(self) -> SessionLoss:
        await self._process.exited(EXIT_CODE_SECONDS)
        code = self._process.exit_code
        if code is None:
            message = "The agent closed its output."
        elif code < 0:
            message = f"The agent's process was ended by signal {-code}."
        else:
            message = f"The agent's process ended with exit code {code}."
        return SessionLoss(code=ErrorCode.NATIVE_EXITED, message=message, exit_code=code)

    async def _loss_of_input(self) -> SessionLoss:
        if await self._process.exited(EXIT_CODE_SECONDS):
            return await self._loss_of_output()
        return STUCK

    def _post(self, frame: dict[str, Any]) -> None:
        if self.loss is not None:
            return
        try:
            self._process.post(frame)
        except InputStuck:
            self._end(STUCK)


def _violated(message: str) -> SessionLoss:
    return SessionLoss(code=ErrorCode.PROTOCOL_INVALID_MESSAGE, message=message)


def _settle(answered: asyncio.Future[jsonrpc.Response | SessionLoss]) -> OnAnswer:
    def settle(response: jsonrpc.Response) -> None:
        if not answered.done():
            answered.set_result(response)

    return settle
