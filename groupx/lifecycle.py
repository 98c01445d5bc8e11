"""What answers on our port, and what start and stop make of it. Ends nothing, writes nothing.

The port is the lease: whoever listens on it serves the room. `read_answer` and the `decide_*` functions are
pure; `probe` and `owner_of_port` look at the machine, bounded.
"""

import asyncio
import http.client
import io
import json
import re
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import psutil

from groupx.kernel.config import RunConfig, Server
from groupx.listener import listen_address
from groupx.run_config import as_typed_here
from groupx.terminal_words import gettext as _

SERVICE = "groupx"
PROTOCOL = "groupx.runtime/1"
PROBE_SECONDS = 2.0
MAX_ANSWER_BYTES = 262_144
_KEY = re.compile(r"[0-9a-f]{64}")


class Answer(StrEnum):
    NOTHING = "nothing"
    """Nobody listens."""
    SILENT = "silent"
    """Somebody listens and says nothing in time: a program that is starting, hanging, or no HTTP server."""
    FOREIGN = "foreign"
    """An HTTP server, or another protocol, that is not GroupX."""
    OTHER_ROOM = "other_room"
    """GroupX with another configuration file."""
    SAME_ROOM = "same_room"
    """GroupX with this configuration file, read when it said something else."""
    SAME_RUN = "same_run"
    """GroupX with exactly this configuration."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """What the probe of one port saw."""

    answer: Answer
    is_closing: bool = False
    runtime_key: str | None = None
    runtime_scope_key: str | None = None

    @property
    def is_ours(self) -> bool:
        return self.answer in (Answer.SAME_RUN, Answer.SAME_ROOM)


@dataclass(frozen=True, kw_only=True)
class PortOwner:
    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name}, pid {self.pid}"


# ---------------------------------------------------------------- looking
def probe(run: RunConfig, *, timeout_seconds: float = PROBE_SECONDS) -> Found:
    """Ask the configured port for its health. Never takes longer than `timeout_seconds`, however it trickles."""
    raw = _get_health(run.config.server, timeout_seconds)
    return raw if isinstance(raw, Found) else read_answer(raw, run)


def health_request(server: Server) -> bytes:
    return f"GET /api/health HTTP/1.1\r\nHost: {server.authority}\r\nConnection: close\r\n\r\n".encode()


def _get_health(server: Server, timeout_seconds: float) -> bytes | Found:
    deadline = time.monotonic() + timeout_seconds
    received = bytearray()
    try:
        with socket.create_connection((listen_address(server.host), server.port), timeout_seconds) as connection:
            connection.sendall(health_request(server))
            while len(received) < MAX_ANSWER_BYTES and (left := deadline - time.monotonic()) > 0:
                connection.settimeout(left)
                more = connection.recv(65_536)
                if not more:
                    break
                received += more
    except TimeoutError:
        pass
    except ConnectionRefusedError:
        return Found(answer=Answer.NOTHING)
    except OSError:  # it listens, and drops us
        return Found(answer=Answer.FOREIGN) if received else Found(answer=Answer.SILENT)
    return bytes(received) if received else Found(answer=Answer.SILENT)


async def until_healthy(server: Server) -> None:
    """Return when `GET /api/health` is answered with 200. The request waits in the listener's queue meanwhile.

    Unlike `probe` it can be cancelled at any moment: a start may be ended while serve is not up yet.
    """
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(listen_address(server.host), server.port)
            try:
                writer.write(health_request(server))
                status_line = await reader.readline()
                if status_line.split()[1:2] == [b"200"]:
                    return
            finally:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()
        await asyncio.sleep(0.05)


class _Received:
    """Bytes that have come, as `http.client` wants to read them."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self._raw)


def read_answer(raw: bytes, run: RunConfig) -> Found:
    """Judge the bytes that came back for `GET /api/health`, whatever they are. The HTTP status does not matter."""
    response = http.client.HTTPResponse(_Received(raw))  # type: ignore[arg-type]
    try:
        response.begin()
        health = json.loads(response.read(MAX_ANSWER_BYTES))
    except (http.client.HTTPException, ValueError, RecursionError, OSError):
        return Found(answer=Answer.FOREIGN)
    return read_health(health, run)


def read_health(health: Any, run: RunConfig) -> Found:
    if not isinstance(health, Mapping) or (health.get("service"), health.get("protocol")) != (SERVICE, PROTOCOL):
        return Found(answer=Answer.FOREIGN)
    key, scope = health.get("runtimeKey"), health.get("runtimeScopeKey")
    if not (_is_key(key) and _is_key(scope)):
        return Found(answer=Answer.FOREIGN)
    if key == run.runtime_key:
        answer = Answer.SAME_RUN
    else:
        answer = Answer.SAME_ROOM if scope == run.runtime_scope_key else Answer.OTHER_ROOM
    return Found(answer=answer, is_closing=health.get("status") == "closing", runtime_key=key, runtime_scope_key=scope)


def _is_key(value: Any) -> bool:
    return isinstance(value, str) and _KEY.fullmatch(value) is not None


def owner_of_port(port: int) -> PortOwner | None:
    """Who listens there, where the system tells us; None where it does not."""
    try:
        for connection in psutil.net_connections(kind="tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
                return PortOwner(pid=connection.pid, name=psutil.Process(connection.pid).name())
    except (psutil.Error, OSError):
        pass
    return None


# ---------------------------------------------------------------- deciding
class StartStep(StrEnum):
    BIND = "bind"
    """Nobody is there: take the port."""
    REUSE = "reuse"
    """This very room runs: say where, exit 0."""
    WAIT = "wait"
    """This room is starting or closing: look again."""
    REFUSE = "refuse"
    """Somebody else is there: say who, exit 1, end nothing."""


def decide_start(found: Found, *, room_is_locked: bool) -> StartStep:
    """What a start does about its port. `room_is_locked`: a parent of this room lives (it holds run/lock)."""
    match found.answer:
        case Answer.NOTHING:
            return StartStep.BIND
        case Answer.SAME_RUN | Answer.SAME_ROOM if found.is_closing or not room_is_locked:
            return StartStep.WAIT  # ordered close, or a server whose parent was killed: it ends by itself
        case Answer.SAME_RUN:
            return StartStep.REUSE
        case Answer.SILENT if room_is_locked:
            return StartStep.WAIT  # it holds the port and has not begun to answer
        case _:
            return StartStep.REFUSE


class StopStep(StrEnum):
    NOTHING_RUNS = "nothing_runs"
    SHUT_DOWN = "shut_down"
    WAIT = "wait"
    """It is closing already."""
    REFUSE = "refuse"


def decide_stop(found: Found) -> StopStep:
    """Only this room's own runtime is asked to stop, also when it runs with an older content of the file."""
    if found.answer is Answer.NOTHING:
        return StopStep.NOTHING_RUNS
    if not found.is_ours:
        return StopStep.REFUSE
    return StopStep.WAIT if found.is_closing else StopStep.SHUT_DOWN


def who_is_there(found: Found, run: RunConfig, owner: PortOwner | None) -> str:
    """One sentence on why the port cannot be had, naming the port, the owner if known, and what to do."""
    port, who = run.config.server.port, f" ({owner})" if owner else ""
    match found.answer:
        case _ if found.is_closing and found.is_ours:
            return _("This room is still closing on port %(port)d%(who)s. Try again in a moment.") % {
                "port": port,
                "who": who,
            }
        case Answer.SAME_RUN | Answer.SAME_ROOM:
            return _(
                "This room already runs on port %(port)d%(who)s with an earlier configuration. "
                "“%(command)s” takes over the changed file."
            ) % {"port": port, "who": who, "command": as_typed_here(run, "restart")}
        case Answer.OTHER_ROOM:
            return _(
                "Port %(port)d is in use by another GroupX room%(who)s. "
                "Stop that room, or give this one another port (server.port, or --port)."
            ) % {"port": port, "who": who}
        case Answer.SILENT:
            return _(
                "Port %(port)d is in use by a program that does not answer%(who)s. "
                "End that program, or give this room another port (server.port, or --port)."
            ) % {"port": port, "who": who}
        case _:
            return _(
                "Port %(port)d is in use by another program%(who)s. "
                "End that program, or give this room another port (server.port, or --port)."
            ) % {"port": port, "who": who}
