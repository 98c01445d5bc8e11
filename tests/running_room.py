"""A real room for tests of real processes: groupx_start in a folder of its own, driven over HTTP like any client."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = {"acp": "agent_cli.py", "codex": "codex_cli.py", "claude": "claude_cli.py"}
"""The scripted CLI of each kind, in tests/fakes."""
MARK = "GX_TEST_ROOM"
"""Inherited by every process of the room, down to the agents: what carries it and is left over is an orphan."""
START_SECONDS, STOP_SECONDS, TURN_SECONDS = 60, 30, 60
TERMINAL = ("turn.completed", "turn.failed", "turn.cancelled", "turn.interrupted")


def do(text: str = "please", **directive: Any) -> str:
    """A message that commands the scripted agent by its end."""
    return f"{text} [[do {json.dumps(directive)}]]"


def scripted(name: str, folder: Path, driver: str = "acp") -> dict[str, Any]:
    """A configured agent that runs the scripted CLI of this kind in a folder of its own."""
    cwd = folder / name
    cwd.mkdir(parents=True, exist_ok=True)
    command = {"executable": sys.executable, "prefixArgs": [str(ROOT / "tests" / "fakes" / SCRIPTS[driver])]}
    return {"driver": driver, "name": name.title(), "command": command, "cwd": str(cwd)}


class RunningRoom:
    def __init__(self, folder: Path, agents: dict[str, dict[str, Any]], env: dict[str, str] | None = None, **more: Any):
        self.folder, self.mark, self.port = folder, uuid.uuid4().hex, free_port()
        self._env = {"AIGROUP_HOME": str(folder / "bus"), **(env or {})}
        self.config = {"server": {"port": self.port}, "agents": agents, **more}
        self.write()
        self.process: subprocess.Popen[bytes] | None = None
        """The parent; None before `start`."""
        self._spawned: list[subprocess.Popen[bytes]] = []

    def write(self) -> None:
        """The configuration as it is now, for the next start or restart."""
        (self.folder / "groupx.json").write_text(json.dumps(self.config))

    # ------------------------------------------------------------ life
    def program(self, verb: str) -> list[str]:
        """How a command is given."""
        return [sys.executable, str(ROOT / "manage.py"), verb]

    def spawn(self, verb: str, *options: str) -> subprocess.Popen[bytes]:
        """A command in the room's folder; what it says goes to the room's log."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GROUPX_", "DJANGO_"))}
        with (self.folder / "room.log").open("ab") as log:
            process = subprocess.Popen(
                [*self.program(verb), *options],
                cwd=self.folder,
                env={**inherited, MARK: self.mark, **self._env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._spawned.append(process)
        return process

    def start(self) -> "RunningRoom":
        self.process = self.spawn("groupx_start", "--no-open")
        wait_until(self._is_healthy, timeout_seconds=START_SECONDS, what=f"a healthy room; {self.folder / 'room.log'}")
        return self

    def _is_healthy(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log()[-3000:]
        with suppress(OSError, http.client.HTTPException):
            return self.get("/api/health")["status"] == "ok"
        return False

    def stop(self) -> None:
        """Ordered end; fails when a process of the room is left."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
        self.has_ended(STOP_SECONDS)

    def has_ended(self, seconds: float) -> None:
        assert self.process is not None
        try:
            self.process.wait(seconds)
            wait_until(lambda: not self.processes(), timeout_seconds=seconds, what="no process is left")
        finally:
            self.kill()

    def kill(self) -> None:
        """SIGKILL for everything of the room, agents included; for tests of crashes and as a last resort."""
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        for spawned in self._spawned:
            spawned.wait(STOP_SECONDS)

    def kill_server(self) -> None:
        """Its parent starts the next one."""
        for server in self.processes("groupx_serve"):
            kill_one(server)
            server.wait(STOP_SECONDS)

    def processes(self, *words: str) -> list[psutil.Process]:
        """Living processes of this room whose command line has all these words."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if (
                    process.environ().get(MARK) == self.mark
                    and process.status() != psutil.STATUS_ZOMBIE
                    and all(any(word in part for part in process.cmdline()) for word in words)
                ):
                    found.append(process)
        return found

    def log(self) -> str:
        return (self.folder / "room.log").read_text(errors="replace")

    # ------------------------------------------------------------ HTTP
    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def request(self, method: str, path: str, body: object = None, timeout: float = 30) -> tuple[int, dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            raw = None if body is None else json.dumps(body)
            connection.request(method, path, raw, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def get(self, path: str) -> dict[str, Any]:
        return self.request("GET", path)[1]

    def command(self, path: str, command_id: str | None = None, **body: Any) -> tuple[int, dict[str, Any]]:
        return self.request("POST", path, {"clientCommandId": command_id or uuid.uuid4().hex, **body})

    def send(self, *names: str, content: str, **more: Any) -> dict[str, Any]:
        to = [f"agent:{name}" for name in names]
        status, answer = self.command("/api/messages", to=to, content=content, **more)
        assert status == 202, answer
        return answer

    def turn(self, answer: dict[str, Any], index: int = 0) -> str:
        return answer["turns"][index]["turnId"]

    def until_turn(self, turn_id: str, *statuses: str, seconds: float = TURN_SECONDS) -> dict[str, Any]:
        """Wait until the turn is in one of these statuses (default: any end)."""
        wanted = statuses or ("completed", "failed", "cancelled", "interrupted")

        def look() -> dict[str, Any] | None:
            with suppress(OSError, http.client.HTTPException):
                shown = self.get(f"/api/turns/{turn_id}")
                return shown if shown.get("status") in wanted else None
            return None

        return wait_until(look, timeout_seconds=seconds, what=f"{turn_id} in {wanted}")

    def until_agent(self, name: str, *statuses: str, seconds: float = TURN_SECONDS) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            with suppress(OSError, http.client.HTTPException):
                for agent in self.get("/api/agents")["items"]:
                    if agent["actorId"] == f"agent:{name}" and agent["status"] in statuses:
                        return agent
            return None

        return wait_until(look, timeout_seconds=seconds, what=f"{name} in {statuses}")

    def stream_clients(self) -> int:
        """Clients of /api/events, as the server counts them."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=20) as answer:
            lines = answer.read().decode().splitlines()
        return next(int(float(line.split()[1])) for line in lines if line.startswith("groupx_event_stream_clients "))

    def events(self) -> list[dict[str, Any]]:
        """The whole durable log, oldest first."""
        return [*self.newest_first(page=500)][::-1]

    def newest_first(self, page: int = 100) -> Iterator[dict[str, Any]]:
        """The durable log backwards, read as far as it is wanted."""
        cursor = ""
        while True:
            answer = self.get(f"/api/history?limit={page}{cursor}")
            yield from answer["events"]
            if "nextCursor" not in answer:
                return
            cursor = f"&beforeSeq={answer['nextCursor']}"

    def prompts(self, name: str, nonce: str | None = None) -> list[dict[str, Any]]:
        """What the scripted agent was prompted with."""
        return self.noted(name, "prompt", nonce)

    def noted(self, name: str, event: str, nonce: str | None = None) -> list[dict[str, Any]]:
        """What the scripted agent has written down of one kind of event; `nonce` of its directive, or all."""
        path = self.folder / name / "agent.jsonl"
        rows = (
            [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")] if path.exists() else []
        )
        return [row for row in rows if row["ev"] == event and (nonce is None or row.get("n") == nonce)]


class StreamReader:
    """A client of /api/events in a thread that reconnects with its cursor, as a page does."""

    def __init__(self, room: RunningRoom) -> None:
        self._room = room
        self.events: list[dict[str, Any]] = []
        self.transient: list[dict[str, Any]] = []
        self.connections = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def seqs(self) -> list[int]:
        return [event["seq"] for event in self.events]

    def _run(self) -> None:
        while not self._stop.is_set():
            with suppress(OSError, http.client.HTTPException, ValueError):
                self._read_one_connection()
            self._stop.wait(0.1)

    def _read_one_connection(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._room.port, timeout=20)
        try:
            connection.request("GET", f"/api/events?afterSeq={self.seqs[-1] if self.events else 0}")
            response = connection.getresponse()
            self.connections += 1
            while not self._stop.is_set() and (line := response.readline()):
                if line.startswith(b"data:"):
                    self.took(json.loads(line[5:]))
        finally:
            connection.close()

    def took(self, event: dict[str, Any]) -> None:
        (self.events if event.get("seq") else self.transient).append(event)

    def until(self, seq: int, seconds: float = 30) -> None:
        wait_until(
            lambda: self.events and self.seqs[-1] >= seq, timeout_seconds=seconds, what=f"seq {seq} on the stream"
        )

    def until_transient(self, wanted: Callable[[dict[str, Any]], object], seconds: float = 60) -> None:
        """Wait for a live event with a body that is wanted."""
        wait_until(
            lambda: any(wanted(event.get("body", {})) for event in list(self.transient)),
            timeout_seconds=seconds,
            what="a live event",
        )

    def close(self) -> None:
        self._stop.set()


@contextmanager
def running_room(folder: Path, *names: str, **more: Any) -> Iterator[RunningRoom]:
    """A started room with these scripted agents; nothing of it is left afterwards."""
    room = RunningRoom(folder, {name: scripted(name, folder) for name in names}, **more)
    try:
        yield room.start()
    finally:
        room.stop()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def kill_one(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGKILL)
