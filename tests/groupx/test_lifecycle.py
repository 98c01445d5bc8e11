"""What answers on the port and what start and stop make of it (docs/protocol.md, "Stop and restart"). Our contract."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from groupx import lifecycle
from groupx.kernel.config import RunConfig
from groupx.kernel.config_file import parse_config
from groupx.lifecycle import Answer, Found, PortOwner, StartStep, StopStep

SCOPE, KEY, OTHER = "a" * 64, "b" * 64, "c" * 64


def a_run(port: int = 4310, path: Path = Path("/room/groupx.json")) -> RunConfig:
    return parse_config({"server": {"port": port}, "agents": {}}, path, frozenset())


def health(run: RunConfig, **changed: Any) -> dict[str, Any]:
    return {
        "service": "groupx",
        "protocol": "groupx.runtime/1",
        "status": "ok",
        "runtimeKey": run.runtime_key,
        "runtimeScopeKey": run.runtime_scope_key,
        **changed,
    }


def http(body: bytes, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


# ---------------------------------------------------------------- reading an answer
@pytest.mark.parametrize(
    ("changed", "answer"),
    [
        ({}, Answer.SAME_RUN),
        ({"runtimeKey": OTHER}, Answer.SAME_ROOM),
        ({"runtimeKey": OTHER, "runtimeScopeKey": SCOPE}, Answer.OTHER_ROOM),
        ({"service": "other"}, Answer.FOREIGN),
        ({"protocol": "groupx.runtime/2"}, Answer.FOREIGN),
        ({"runtimeKey": "short"}, Answer.FOREIGN),
        ({"runtimeScopeKey": None}, Answer.FOREIGN),
        ({"runtimeKey": 5}, Answer.FOREIGN),
    ],
)
def test_a_runtime_is_known_by_its_two_keys(changed: dict[str, Any], answer: Answer):
    run = a_run()
    assert lifecycle.read_health(health(run, **changed), run).answer is answer


def test_a_closing_runtime_answers_503_with_its_whole_identity():
    run = a_run()
    found = lifecycle.read_answer(http(json.dumps(health(run, status="closing")).encode(), "503 Closing"), run)
    assert found.answer is Answer.SAME_RUN and found.is_closing


@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x00\x01\x02",
        http(b"<html>"),
        http(b"[]"),
        http(b"5"),
        http(b"[" * 100_000),
        b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{}",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_whatever_else_answers_is_a_foreign_program(raw: bytes):
    assert lifecycle.read_answer(raw, a_run()).answer is Answer.FOREIGN


# ---------------------------------------------------------------- deciding
@pytest.mark.parametrize(
    ("found", "room_is_locked", "step"),
    [
        (Found(answer=Answer.NOTHING), False, StartStep.BIND),
        (Found(answer=Answer.NOTHING), True, StartStep.BIND),  # the lock decides after the port
        (Found(answer=Answer.SAME_RUN), True, StartStep.REUSE),
        (Found(answer=Answer.SAME_RUN, is_closing=True), True, StartStep.WAIT),
        (Found(answer=Answer.SAME_RUN), False, StartStep.WAIT),  # its parent is dead: it is about to end
        (Found(answer=Answer.SAME_ROOM), True, StartStep.REFUSE),
        (Found(answer=Answer.SAME_ROOM, is_closing=True), True, StartStep.WAIT),
        (Found(answer=Answer.SAME_ROOM), False, StartStep.WAIT),
        (Found(answer=Answer.OTHER_ROOM), True, StartStep.REFUSE),
        (Found(answer=Answer.OTHER_ROOM, is_closing=True), False, StartStep.REFUSE),
        (Found(answer=Answer.FOREIGN), True, StartStep.REFUSE),
        (Found(answer=Answer.SILENT), False, StartStep.REFUSE),
        (Found(answer=Answer.SILENT), True, StartStep.WAIT),  # another start of this room holds the port
    ],
)
def test_start_takes_a_free_port_reuses_its_own_run_and_refuses_everything_else(
    found: Found, room_is_locked: bool, step: StartStep
):
    assert lifecycle.decide_start(found, room_is_locked=room_is_locked) is step


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (Found(answer=Answer.NOTHING), StopStep.NOTHING_RUNS),
        (Found(answer=Answer.SAME_RUN), StopStep.SHUT_DOWN),
        (Found(answer=Answer.SAME_ROOM), StopStep.SHUT_DOWN),
        (Found(answer=Answer.SAME_ROOM, is_closing=True), StopStep.WAIT),
        (Found(answer=Answer.OTHER_ROOM), StopStep.REFUSE),
        (Found(answer=Answer.FOREIGN), StopStep.REFUSE),
        (Found(answer=Answer.SILENT), StopStep.REFUSE),
    ],
)
def test_stop_asks_only_the_runtime_of_its_own_file(found: Found, verdict: StopStep):
    assert lifecycle.decide_stop(found) is verdict


@pytest.mark.parametrize("answer", [Answer.SAME_ROOM, Answer.OTHER_ROOM, Answer.FOREIGN, Answer.SILENT])
def test_a_refusal_names_the_port_and_who_has_it(answer: Answer):
    found = Found(answer=answer)
    named = lifecycle.who_is_there(found, a_run(4999), PortOwner(pid=77, name="nginx"))
    assert "4999" in named and "nginx, pid 77" in named
    assert "4999" in lifecycle.who_is_there(found, a_run(4999), None)


# ---------------------------------------------------------------- looking
@contextmanager
def listener(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """A program on a port of its own that treats every connection the same way."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def test_the_probe_reads_a_real_answer():
    def answer(connection: socket.socket) -> None:
        connection.recv(65_536)
        connection.sendall(http(json.dumps(health(a_run(port))).encode()))

    with listener(answer) as port:
        assert lifecycle.probe(a_run(port)).answer is Answer.SAME_RUN


def test_a_port_that_refuses_has_nobody():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert lifecycle.probe(a_run(port)) == Found(answer=Answer.NOTHING)


def test_a_listener_that_never_answers_is_given_up_in_time():
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = lifecycle.probe(a_run(server.getsockname()[1]), timeout_seconds=0.1)
    assert found == Found(answer=Answer.SILENT)


def test_a_listener_that_trickles_is_given_up_in_time():
    ended = threading.Event()

    def answer(connection: socket.socket) -> None:
        try:
            while not ended.wait(0.02):
                connection.sendall(b"x")
        except OSError:
            pass

    with listener(answer) as port:
        assert lifecycle.probe(a_run(port), timeout_seconds=0.2) == Found(answer=Answer.FOREIGN)
        ended.set()


def test_the_owner_of_a_port_is_named_where_the_system_tells():
    with socket.create_server(("127.0.0.1", 0)) as server:
        owner = lifecycle.owner_of_port(server.getsockname()[1])
    assert owner is None or "python" in owner.name or "pytest" in owner.name
