"""Daphne with bounded clients, as a real process: docs/protocol.md, "Events". Our contract, and a pinned
knowledge of Daphne's and Twisted's insides that this must fail for when they change."""

import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest

from groupx.guard import MAX_BODY_BYTES
from groupx.server import MAX_UNSENT_BYTES
from tests.waiting import wait_until

KERNEL_BYTES = 8 * 1024 * 1024
"""What loopback sockets may hold between a server and a client that reads nothing."""


class Program:
    def __init__(self, stall_seconds: float) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        fd = self.listener.fileno()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.groupx.flood_server", str(fd), str(stall_seconds)], pass_fds=[fd]
        )

    def get(self, path: str = "/", body: bytes | None = None) -> dict:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("POST" if body is not None else "GET", path, body)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def silent_client(self) -> socket.socket:
        """Asks for the flood and reads nothing."""
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(("127.0.0.1", self.port))
        client.sendall(b"GET /flood HTTP/1.1\r\nHost: x\r\n\r\n")
        return client

    def memory_mb(self) -> float:
        return psutil.Process(self.process.pid).memory_info().rss / 1e6

    def sent_when_stalled(self) -> int:
        """Bytes the application could send until all its clients were full."""
        seen = [-1]

        def stands_still() -> bool:
            seen.append(self.get()["sent"])
            return len(seen) > 10 and len(set(seen[-5:])) == 1

        wait_until(stands_still, timeout_seconds=20, what="the flood stands still")
        return seen[-1]

    def end(self) -> None:
        self.process.kill()
        self.process.wait(10)
        self.listener.close()


@pytest.fixture
def program() -> Iterator[Program]:
    program = Program(stall_seconds=60)
    yield program
    program.end()


@pytest.fixture
def impatient_program() -> Iterator[Program]:
    program = Program(stall_seconds=0.6)
    yield program
    program.end()


def test_clients_that_read_nothing_cost_a_bounded_memory_and_disturb_nobody(program: Program):
    program.get()
    before = program.memory_mb()
    clients = [program.silent_client() for _ in range(20)]
    wait_until(lambda: program.get()["streams"] == 20, timeout_seconds=20, what="20 streams")

    sent = program.sent_when_stalled()

    assert sent <= 20 * (MAX_UNSENT_BYTES + KERNEL_BYTES)
    assert program.memory_mb() - before < 20 * 2 * MAX_UNSENT_BYTES / 1e6 + 20
    assert program.get()["streams"] == 20
    for client in clients:
        client.close()


def test_a_reader_sets_the_pace(program: Program):
    client = program.silent_client()
    wait_until(lambda: program.get()["streams"] == 1, timeout_seconds=20, what="a stream")
    before = program.sent_when_stalled()

    client.settimeout(20)
    taken = 0
    while taken < 16 * 1024 * 1024:
        taken += len(client.recv(1 << 20))

    after = program.sent_when_stalled()
    assert after >= 16 * 1024 * 1024
    assert after - before <= taken + KERNEL_BYTES + MAX_UNSENT_BYTES
    client.close()


def test_a_client_that_takes_nothing_for_long_is_cut_off(impatient_program: Program):
    client = impatient_program.silent_client()
    wait_until(lambda: impatient_program.get()["streams"] == 1, timeout_seconds=20, what="a stream")
    wait_until(lambda: impatient_program.get()["streams"] == 0, timeout_seconds=20, what="the stream is cut off")

    client.settimeout(20)
    with pytest.raises(ConnectionResetError):
        while client.recv(1 << 20):
            pass
    client.close()


def test_a_client_that_leaves_frees_its_stream(program: Program):
    client = program.silent_client()
    wait_until(lambda: program.get()["streams"] == 1, timeout_seconds=20, what="a stream")
    program.sent_when_stalled()
    client.close()
    wait_until(lambda: program.get()["streams"] == 0, timeout_seconds=20, what="the stream has ended")


def test_a_client_that_closes_its_half_of_the_connection_has_left(program: Program):
    client = program.silent_client()
    wait_until(lambda: program.get()["streams"] == 1, timeout_seconds=20, what="a stream")
    client.shutdown(socket.SHUT_WR)
    wait_until(lambda: program.get()["streams"] == 0, timeout_seconds=20, what="the stream has ended")
    client.close()


def test_a_client_that_takes_a_byte_now_and_then_holds_no_more_than_a_silent_one(impatient_program: Program):
    client = impatient_program.silent_client()
    wait_until(lambda: impatient_program.get()["streams"] == 1, timeout_seconds=20, what="a stream")
    client.settimeout(20)

    def takes_a_byte_and_is_cut_off() -> bool:
        with suppress(ConnectionResetError):
            client.recv(1)
        return impatient_program.get()["streams"] == 0

    wait_until(takes_a_byte_and_is_cut_off, timeout_seconds=20, what="the stream is cut off")
    client.close()


@pytest.mark.parametrize(
    ("length", "kept"), [(0, 0), (10, 10), (MAX_BODY_BYTES, MAX_BODY_BYTES), (30_000_000, MAX_BODY_BYTES + 1)]
)
def test_a_body_arrives_in_one_piece_and_what_is_too_much_is_not_kept(program: Program, length: int, kept: int):
    assert program.get("/echo", b"x" * length) == {"length": kept, "whole": True}


def test_bodies_without_end_cost_no_memory(program: Program):
    program.get()
    before = program.memory_mb()
    sender = socket.create_connection(("127.0.0.1", program.port), timeout=20)
    sender.sendall(b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    for _ in range(64):
        sender.sendall(piece)
    assert program.memory_mb() - before < 30
    sender.close()


def test_an_application_that_fails_is_answered_for(program: Program):
    assert program.get("/raise")["error"]["code"] == "INTERNAL_ERROR"
    assert program.get()["streams"] == 0


def test_the_server_ends_while_clients_are_connected_and_the_socket_stays_with_its_owner(program: Program):
    clients = [program.silent_client() for _ in range(3)]
    idle = socket.create_connection(("127.0.0.1", program.port), timeout=20)
    half = socket.create_connection(("127.0.0.1", program.port), timeout=20)
    half.sendall(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
    wait_until(lambda: program.get()["streams"] == 3, timeout_seconds=20, what="3 streams")

    assert program.get("/end") == {"ending": True}
    assert program.process.wait(10) == 0

    # Nobody serves, but the listening socket lives on: a connection waits for the next server.
    socket.create_connection(("127.0.0.1", program.port), timeout=5).close()
    for client in (*clients, idle, half):
        client.close()
