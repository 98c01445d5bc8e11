"""Daphne, made safe for clients that do not read and for bodies without end.

Daphne's `send` never waits, so a stream to a client that reads nothing would pile up in memory. Here every
response registers as a producer of its connection: the transport pauses it while more than
MAX_UNSENT_BYTES wait, and `send` returns only when it may go on. A client that takes nothing for
STALL_SECONDS while over that bound is cut off. Bodies are kept up to the guard's bound and counted beyond it.

It serves on a socket that somebody else has bound; it closes only its own copy.
"""

import asyncio
import json
import logging
import socket
from collections.abc import Callable
from io import BytesIO
from typing import Any

# First: daphne installs Twisted's asyncio reactor when it is imported.
from daphne.server import Server  # isort: skip
from autobahn.exception import Disconnected
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.ws_protocol import WebSocketFactory
from twisted.internet import defer, interfaces, reactor
from twisted.logger import globalLogBeginner
from twisted.python.failure import Failure
from twisted.web.http import _GenericHTTPChannelProtocol
from zope.interface import implementer

from groupx.guard import MAX_BODY_BYTES
from groupx.http_channel import PoliteChannel

MAX_UNSENT_BYTES = 256 * 1024
STALL_SECONDS = 30.0
STALL_CHECKS = 6
"""How often within that time it is looked at."""
MAX_DISCARDED_BYTES = 256 * 1024 * 1024
"""A body is read to its end, so that its sender hears the refusal, but not for ever."""
MAX_WEBSOCKET_MESSAGE_BYTES = 8 * 1024 * 1024
"""No frame of a lane is longer (turns/lane_frames.py)."""


def server_loop() -> asyncio.AbstractEventLoop:
    """The loop that the reactor drives; everything of the server runs on it."""
    loop: asyncio.AbstractEventLoop = reactor._asyncioEventloop
    return loop


class BoundedServer(Server):
    """`open` begins to serve; `close_listener` takes no new connections; `finish` ends all and the reactor."""

    def __init__(
        self,
        application: Callable[..., Any],
        *,
        stall_seconds: float = STALL_SECONDS,
        on_answer: Callable[[str, str, int], None] = lambda method, path, status: None,
    ) -> None:
        """`on_answer(method, path, status)` is called as each answer begins."""
        self.stall_seconds, self.on_answer = stall_seconds, on_answer
        super().__init__(
            application,
            endpoints=["inherited"],
            signal_handlers=False,
            # One message holds any body that is allowed; a longer one is refused anyway.
            request_buffer_size=MAX_BODY_BYTES + 2,
            websocket_timeout=-1,
            application_close_timeout=5,
            server_name="groupx",
            verbosity=0,
        )
        self.connections: dict[Any, dict[str, Any]] = {}
        self._port: Any = None
        logging.getLogger("daphne").setLevel(logging.ERROR)

    def open(self, listener: socket.socket) -> None:
        """Serve on a bound and listening socket. The caller keeps its own copy."""
        globalLogBeginner.beginLoggingTo([lambda _: None], redirectStandardIO=False, discardBuffer=True)
        self.http_factory = BoundedHTTPFactory(self)
        self.ws_factory = WebSocketFactory(self, server=self.server_name)
        self.ws_factory.setProtocolOptions(
            autoPingTimeout=self.ping_timeout,
            openHandshakeTimeout=self.websocket_handshake_timeout,
            maxMessagePayloadSize=MAX_WEBSOCKET_MESSAGE_BYTES,
            maxFramePayloadSize=MAX_WEBSOCKET_MESSAGE_BYTES,
        )
        reactor.callLater(1, self.application_checker)
        reactor.callLater(2, self.timeout_checker)
        listener.setblocking(False)
        self._port = reactor.adoptStreamPort(listener.fileno(), listener.family, self.http_factory)

    def run_until(self, main: Any) -> None:
        """Drive the reactor until the coroutine `main` ends; raises what it raised."""
        loop = server_loop()
        asyncio.set_event_loop(loop)
        task = loop.create_task(main, name="server-main")
        task.add_done_callback(lambda _: reactor.stop())
        reactor.addSystemEventTrigger("before", "shutdown", self.kill_all_applications)
        reactor.run(installSignalHandlers=False)
        task.result()

    @property
    def is_busy(self) -> bool:
        """Some request or socket is still being answered."""
        return any("disconnected" not in details for details in self.connections.values())

    async def close_listener(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            await defer.maybeDeferred(port.stopListening).asFuture(asyncio.get_running_loop())

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        """Pass one message on, then wait until this client may be sent more.

        Raises:
            ConnectionError: a WebSocket that is closing, in the words of ASGI instead of autobahn's.
        """
        if not (isinstance(protocol, BoundedRequest) and message.get("more_body")):
            try:
                await super().handle_reply(protocol, message)
            except Disconnected as error:
                raise ConnectionError from error
            return
        if protocol.is_streaming:
            protocol.send_chunk(message["body"])
        else:
            await super().handle_reply(protocol, message)
        await protocol.gate.may_go_on()

    def kill_all_applications(self) -> Any:
        """Cancel what still runs; ends when all have ended. (Daphne's own fails on idle connections.)"""
        running = [
            task
            for details in self.connections.values()
            if (task := details.get("application_instance")) is not None and not task.done()
        ]
        for task in running:
            task.cancel()
        ended = defer.Deferred.fromFuture(asyncio.ensure_future(_all_ended(running)))
        ended.addErrback(lambda _: None)
        return ended


async def _all_ended(tasks: list[asyncio.Future[Any]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


@implementer(interfaces.IPushProducer)
class Gate:
    """Stands between one response and its connection; shut while too much is unsent."""

    def __init__(self, stall_seconds: float, call_later: Callable[..., Any] = reactor.callLater) -> None:
        self._stall_seconds, self._check_seconds = stall_seconds, stall_seconds / STALL_CHECKS
        self._call_later = call_later
        self._open = asyncio.Event()
        self._open.set()
        self._transport: Any = None
        self._stall_check: Any = None
        self._progress: object = None
        self._checks_without_progress = 0

    def watch(self, transport: Any) -> None:
        self._transport = transport
        transport.bufferSize = MAX_UNSENT_BYTES
        # A peer that vanished without a word acknowledges nothing; by itself TCP would hope for a quarter of an hour.
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            timeout_ms = int(self._stall_seconds * 1000)
            transport.getHandle().setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, timeout_ms)

    async def may_go_on(self) -> None:
        await self._open.wait()

    def pauseProducing(self) -> None:
        if self._open.is_set():
            self._open.clear()
            self._progress, self._checks_without_progress = self._unsent(), 0
            self._stall_check = self._call_later(self._check_seconds, self._cut_off_if_stalled)

    def resumeProducing(self) -> None:
        self._open.set()
        if self._stall_check is not None and self._stall_check.active():
            self._stall_check.cancel()
        self._stall_check = None

    stopProducing = resumeProducing

    def _cut_off_if_stalled(self) -> None:
        now = self._unsent()
        self._checks_without_progress = self._checks_without_progress + 1 if now == self._progress else 0
        self._progress = now
        if self._checks_without_progress >= STALL_CHECKS:
            self._stall_check = None
            self._transport.abortConnection()
        else:
            self._stall_check = self._call_later(self._check_seconds, self._cut_off_if_stalled)

    def _unsent(self) -> object:
        """Changes whenever the transport gets rid of some bytes."""
        return self._transport.offset, len(self._transport.dataBuffer)


class BoundedRequest(WebRequest):
    """One request: a bounded body in memory, a response that is paced by its reader."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Twisted would parse forms itself, and answer a malformed one with a bare 400.
        super().__init__(*args, **{**kwargs, "parsePOSTFormSubmission": False})
        self.gate = Gate(self.server.stall_seconds)
        self._body_bytes = 0

    def process(self) -> Any:
        self.method = self.method.upper()  # as Django reads it: whoever judges a method must see the same one
        # Daphne would let any client move the root of the site.
        self.requestHeaders.removeHeader(b"daphne-root-path")
        return super().process()

    def gotLength(self, length: int | None) -> None:
        self.content = BytesIO()

    def handleContentChunk(self, data: bytes) -> None:
        kept = max(0, MAX_BODY_BYTES + 1 - self._body_bytes)
        self._body_bytes += len(data)
        self.content.write(data[:kept])
        if self._body_bytes > MAX_DISCARDED_BYTES:
            self.channel.transport.abortConnection()

    def handle_reply(self, message: dict[str, Any]) -> None:
        if message.get("type") == "http.response.start" and not self.finished and self.channel is not None:
            self.gate.watch(self.channel.transport)
            self.registerProducer(self.gate, True)
            self.server.on_answer(self.method.decode("latin-1"), self.path.decode("latin-1"), message["status"])
        super().handle_reply(message)

    @property
    def is_streaming(self) -> bool:
        """The headers are out, and each piece of the body is a chunk of its own."""
        has_ended = self.finished or self._disconnected
        return bool(self.chunked and self.startedWriting and self.method == b"GET" and not has_ended)

    def send_chunk(self, body: bytes) -> None:
        """Straight into the socket when nothing waits before it: spares the reactor two calls per client and event."""
        if not body:
            return  # an empty chunk would end the response
        data = b"%x\r\n%b\r\n" % (len(body), body)
        transport = self.channel.transport
        if not transport.dataBuffer and not transport._tempDataLen:
            sent = transport.writeSomeData(data)
            if isinstance(sent, int) and sent > 0:
                data = data[sent:]
        if data:
            transport.write(data)

    def finish(self) -> None:
        self._let_go()
        super().finish()

    def connectionLost(self, reason: Failure) -> None:
        self._let_go()
        super().connectionLost(reason)

    def _let_go(self) -> None:
        if self.producer is not None:
            self.unregisterProducer()
        self.gate.resumeProducing()

    def basic_error(self, status: int, status_text: bytes, body: str) -> None:
        """What Daphne itself refuses, in the project's error shape."""
        code = "INVALID_ENVELOPE" if status < 500 else "INTERNAL_ERROR"
        text = json.dumps({"error": {"code": code, "message": body}}).encode()
        self.handle_reply(
            {"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]}
        )
        self.handle_reply({"type": "http.response.body", "body": text})


class BoundedHTTPFactory(HTTPFactory):
    def _updateLogDateTime(self) -> None:
        """Twisted would wake up every second for the time of a log that nobody writes."""

    def protocol(self) -> Any:
        return _GenericHTTPChannelProtocol(PoliteChannel())

    def buildProtocol(self, addr: Any) -> Any:
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = BoundedRequest
        return protocol
