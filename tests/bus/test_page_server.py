"""The server behind the pages of bus rooms: its live stream, and wakes that outlive it. Real processes."""

import http.client
import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bus.waking import Waking, gone
from tests.running_room import RunningRoom
from tests.waiting import wait_until


class Stage:
    def __init__(self, folder: Path) -> None:
        self.waking = Waking(folder)
        self.aig = self.waking.aig
        environment = {name: self.aig.environment[name] for name in ("AIGROUP_HOME", "PATH", "FAKE_CLI")}
        self.server = RunningRoom(folder, {}, env=environment)

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        status, answer = self.server.request("POST", f"/api/bus/main/{path}", body)
        assert status < 300, answer
        return answer

    def write(self, text: str, *to: str) -> int:
        return self.post("messages", clientCommandId=text, text=text, to=list(to))["seq"]

    def served_by_another(self, pid: int) -> bool:
        others = [process.pid for process in self.server.processes("groupx_serve")]
        return bool(others) and pid not in others and self.server._is_healthy()

    def until_answers(self, count: int) -> list[dict[str, Any]]:
        def answers() -> list[dict[str, Any]]:
            return [message for message in self.aig.log() if message["via"] == "dispatch"]

        wait_until(lambda: len(answers()) >= count, timeout_seconds=60, what=f"{count} answers")
        return answers()

    def until_driven(self, seq: int) -> None:
        path = self.aig.room() / "self-drive.json"
        wait_until(
            lambda: json.loads(path.read_text())["throughSeq"] >= seq, timeout_seconds=60, what=f"driven through {seq}"
        )


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    stage = Stage(tmp_path_factory.mktemp("bus"))
    stage.waking.member("codex")
    try:
        stage.server.start()
        yield stage
    finally:
        stage.server.stop()


class Stream:
    """A client of the room's live stream, in a thread."""

    def __init__(self, stage: Stage, query: str = "", **headers: str) -> None:
        self.frames: list[dict[str, str]] = []
        self._connection = http.client.HTTPConnection("127.0.0.1", stage.server.port, timeout=60)
        self._connection.request("GET", f"/bus/main/stream/{query}", headers=headers)
        self._socket = self._connection.sock
        self._response = self._connection.getresponse()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        frame: dict[str, str] = {}
        try:
            for raw in self._response:
                name, _, value = raw.decode().rstrip("\n").partition(": ")
                if name:
                    frame[name] = value
                elif frame:
                    self.frames.append(frame)
                    frame = {}
        except (OSError, ValueError, http.client.HTTPException):
            return

    def until(self, event: str, seq: int | None = None) -> None:
        wait_until(
            lambda: any(
                f.get("event") == event and (seq is None or json.loads(f["data"])["seq"] == seq) for f in self.frames
            ),
            timeout_seconds=30,
            what=f"{event} {seq}",
        )

    @property
    def messages(self) -> list[tuple[int, str]]:
        """The seq of each, and what its id says of the channel of messages."""
        found = [frame for frame in self.frames if frame.get("event") == "message"]
        return [(json.loads(frame["data"])["seq"], seq_in(frame["id"])) for frame in found]

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(30)
        self._response.close()
        self._connection.close()


def seq_in(token: str) -> str:
    return dict(part.split(":") for part in token.split(","))["bus.main"]


def test_the_ids_of_the_stream_are_the_seqs_and_it_is_resumed_by_them(stage: Stage):
    for number in range(3):
        stage.aig.ok("send", "--as", "codex", f"text {number}")
    last = len(stage.aig.log())
    stream = Stream(stage, f"?afterSeq={last - 2}")
    stream.until("message", last)
    stage.aig.ok("send", "--as", "codex", "live")
    stream.until("message", last + 1)
    assert stream.messages == [(seq, str(seq)) for seq in (last - 1, last, last + 1)]
    stream.until("state")
    stream.close()
    token = next(frame["id"] for frame in stream.frames if "id" in frame and seq_in(frame["id"]) == str(last))
    resumed = Stream(stage, **{"Last-Event-ID": token})
    resumed.until("message", last + 1)
    assert resumed.messages == [(last + 1, str(last + 1))]
    resumed.close()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
@pytest.mark.parametrize("path", ["messages", "members/codex/wake", "self-drive"])
def test_a_page_of_somebody_else_can_neither_write_nor_wake_nor_switch(stage: Stage, headers, status, path):
    before = stage.aig.log()
    connection = http.client.HTTPConnection("127.0.0.1", stage.server.port, timeout=30)
    body = json.dumps({"clientCommandId": "c", "text": "x", "isOn": True})
    connection.request("POST", f"/api/bus/main/{path}", body, {"Content-Type": "application/json", **headers})
    assert connection.getresponse().status == status
    connection.close()
    assert stage.aig.log() == before and not (stage.aig.room() / "self-drive.json").exists()


def test_a_cursor_ahead_of_the_log_is_told_to_read_anew(stage: Stage):
    stream = Stream(stage, "?afterSeq=1000000")
    stream.until("stream-reset")
    stream.close()


def test_a_stream_misses_nothing_that_is_written_while_it_begins(stage: Stage):
    last = len(stage.aig.log())
    writer = threading.Thread(target=lambda: [stage.write(f"racing {number}") for number in range(20)])
    writer.start()
    streams = [Stream(stage, f"?afterSeq={last}") for _ in range(5)]
    writer.join(60)
    for stream in streams:
        stream.until("message", last + 20)
        assert sorted({seq for seq, _ in stream.messages}) == list(range(last + 1, last + 21))
        stream.close()


def test_a_server_that_is_killed_in_the_middle_of_a_wake_wakes_nobody_twice(stage: Stage):
    stage.aig.ok("read", "--as", "codex")
    started, gate = stage.waking.pipe("started"), stage.waking.pipe("gate")
    stage.waking.plan(started=str(started), waits_for=str(gate), answer="Slowly.")
    before = len(stage.waking.calls), len([m for m in stage.aig.log() if m["via"] == "dispatch"])
    stage.post("self-drive", isOn=True)
    seq = stage.write("for one wake", "codex")
    assert started.read_text() == "started"
    [serve] = stage.server.processes("groupx_serve")
    os.kill(serve.pid, signal.SIGKILL)
    wait_until(lambda: stage.served_by_another(serve.pid), timeout_seconds=60, what="another server")
    stage.waking.plan(answer="Quickly.")
    gate.write_text("go on")
    answers = stage.until_answers(before[1] + 1)
    stage.until_driven(seq)
    assert len(stage.waking.calls) == before[0] + 1
    assert answers[-1]["text"] == "Slowly." and len(stage.until_answers(0)) == before[1] + 1


def test_a_stop_ends_a_wake_and_its_cli_and_tells_the_room(stage: Stage):
    stage.aig.ok("read", "--as", "codex")
    started = stage.waking.pipe("started-again")
    stage.waking.plan(started=str(started), hangs=True, child=True)
    calls = len(stage.waking.calls)
    stage.write("wake for a long time", "codex")
    assert started.read_text() == "started"
    stage.server.stop()
    call = stage.waking.calls[calls]
    assert gone(call["pid"], call["child"])
    assert stage.aig.log()[-1]["kind"] == "dispatch-error"
    stage.waking.plan(answer="Not again.")
    stage.server.start()
    last = stage.write("one more", "codex")
    stage.until_driven(last)
    assert len(stage.waking.calls) == calls + 2, "the message that was stopped was not tried again by itself"
