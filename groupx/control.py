"""The control line between the parent of a run and one of its children: a socketpair with text lines.

End of file is the message that cannot be lost: the other side has closed the line or has died, and a child
then ends itself in order. Lines are hints in between. This layer knows no verb; `Word` only spells those that
docs/architecture.md lists. Serve to parent: sign_in <path>, ready, failed <sentence>, shutdown, restart, and from the
setup configured; parent to serve: drain, lane_down <agent>, and to the setup launched <origin>, failed <sentence>;
parent to any child: ping, which is answered by pong.
"""

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from enum import StrEnum

MAX_LINE_BYTES = 4_096
"""Words are short; whoever sends more without a line end is not one of us."""


LAST_WORD_SECONDS = 5.0


class Word(StrEnum):
    SIGN_IN = "sign_in"
    """Followed by the path of a link that signs in to the admin, once: a secret, never to be logged."""
    READY = "ready"
    FAILED = "failed"
    """Followed by a sentence: why this server, or to the setup why the room, cannot start."""
    CONFIGURED = "configured"
    """The setup has written the configuration: start the room."""
    LAUNCHED = "launched"
    """Followed by the origin of the room, which runs now."""
    SHUTDOWN = "shutdown"
    RESTART = "restart"
    DRAIN = "drain"
    LANE_DOWN = "lane_down"
    """Followed by the agent's id: its lane keeps dying."""
    PING = "ping"
    PONG = "pong"
    """Said from the loop: whoever says it is not hung."""


def with_sentence(word: Word, sentence: str) -> str:
    """One line, cut where it would be too long for the other side."""
    words = " ".join(f"{word} {sentence}".split()).encode()
    return words[: MAX_LINE_BYTES - 1].decode("utf-8", "ignore")


def say_last_word(fd: int, line: str) -> None:
    """Of a child that cannot even begin: wait, bounded, until the parent has heard it and closes the line."""
    with socket.socket(fileno=fd) as end, suppress(OSError):
        end.settimeout(LAST_WORD_SECONDS)
        end.sendall(line.encode() + b"\n")
        while end.recv(MAX_LINE_BYTES):
            pass


class ControlLine(asyncio.Protocol):
    """One end. Made by `open` (the child) or `pair` (the parent); used on the loop that made it."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._unread = b""
        self._early: list[str] = []
        self._callback: Callable[[str], None] | None = None
        self._closed = asyncio.Event()

    @classmethod
    async def open(cls, fd: int) -> "ControlLine":
        """Take over the inherited descriptor `fd`; what this process spawns does not get it."""
        os.set_inheritable(fd, False)
        return await cls._over(socket.socket(fileno=fd))

    @classmethod
    async def pair(cls) -> tuple["ControlLine", socket.socket]:
        """A new line: our end, and the child's end to be passed to it and closed here."""
        ours, theirs = socket.socketpair()
        with ExitStack() as undo:
            undo.enter_context(theirs)
            line = await cls._over(ours)
            undo.pop_all()
        return line, theirs

    @classmethod
    async def _over(cls, end: socket.socket) -> "ControlLine":
        end.setblocking(False)
        _, line = await asyncio.get_running_loop().create_unix_connection(cls, sock=end)
        return line

    def send(self, line: str) -> None:
        """Send one line; nothing happens when the other side has gone. Never waits."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(line.encode() + b"\n")

    def on_line(self, callback: Callable[[str], None]) -> None:
        """Call `callback` on the loop for every line, those that came before this call included."""
        self._callback = callback
        early, self._early = self._early, []
        for line in early:
            callback(line)

    async def closed(self) -> None:
        """Wait for the end of file: the other side has closed its end, or has died."""
        await self._closed.wait()

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    def close(self) -> None:
        """Close our end, which the other side sees as end of file. Idempotent."""
        if self._transport is not None:
            self._transport.close()

    # ------------------------------------------------------------ asyncio.Protocol
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *lines, self._unread = (self._unread + data).split(b"\n")
        if any(len(raw) > MAX_LINE_BYTES for raw in (*lines, self._unread)):
            self._unread = b""
            self.close()
            return
        for raw in lines:
            self._tell(raw.decode("utf-8", "replace").strip())

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, error: Exception | None) -> None:
        self._closed.set()

    def _tell(self, line: str) -> None:
        if not line:
            return
        if self._callback is None:
            self._early.append(line)
        else:
            self._callback(line)
