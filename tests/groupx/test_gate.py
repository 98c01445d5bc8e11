"""The gate between one response and its reader, with a transport and a clock of ours. docs/protocol.md, "Events"."""

import socket

import pytest
from twisted.internet.task import Clock

from groupx.server import MAX_UNSENT_BYTES, STALL_CHECKS, STALL_SECONDS, Gate
from tests.loop_steps import begun

ONE_CHECK_SECONDS = STALL_SECONDS / STALL_CHECKS


class Handle:
    def __init__(self) -> None:
        self.options: dict[tuple[int, int], int] = {}

    def setsockopt(self, level: int, name: int, value: int) -> None:
        self.options[level, name] = value


class Transport:
    """What the gate looks at of Twisted's: `dataBuffer` from `offset` on is unsent."""

    def __init__(self) -> None:
        self.handle, self.bufferSize = Handle(), 65_536
        self.dataBuffer, self.offset = b"x" * 300_000, 0
        self.is_aborted = False

    def getHandle(self) -> Handle:
        return self.handle

    def abortConnection(self) -> None:
        self.is_aborted = True


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def transport() -> Transport:
    return Transport()


@pytest.fixture
def gate(clock: Clock, transport: Transport) -> Gate:
    gate = Gate(STALL_SECONDS, clock.callLater)
    gate.watch(transport)
    return gate


def pass_seconds(clock: Clock, seconds: float) -> None:
    for _ in range(int(seconds)):
        clock.advance(1)


async def test_sending_waits_while_too_much_is_unsent(gate: Gate):
    await gate.may_go_on()
    gate.pauseProducing()
    waiting = begun(gate.may_go_on())
    assert not waiting.done()

    gate.resumeProducing()
    await waiting


def test_a_reader_that_takes_nothing_is_cut_off_after_thirty_seconds(gate: Gate, clock: Clock, transport: Transport):
    gate.pauseProducing()
    pass_seconds(clock, STALL_SECONDS - 1)
    assert not transport.is_aborted

    pass_seconds(clock, ONE_CHECK_SECONDS + 1)
    assert transport.is_aborted
    assert clock.getDelayedCalls() == []


def test_a_reader_that_is_slow_but_moves_sets_the_pace_and_stays(gate: Gate, clock: Clock, transport: Transport):
    gate.pauseProducing()
    for _ in range(20):
        pass_seconds(clock, STALL_SECONDS - ONE_CHECK_SECONDS)
        transport.offset += 1

    assert not transport.is_aborted


def test_a_reader_that_has_caught_up_is_not_watched_any_more(gate: Gate, clock: Clock, transport: Transport):
    gate.pauseProducing()
    gate.resumeProducing()
    assert clock.getDelayedCalls() == []

    pass_seconds(clock, 10 * STALL_SECONDS)
    assert not transport.is_aborted


def test_no_more_than_the_bound_waits_for_one_reader(gate: Gate, transport: Transport):
    assert transport.bufferSize == MAX_UNSENT_BYTES


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system has no TCP_USER_TIMEOUT")
def test_a_peer_that_vanished_is_given_up_by_the_system_after_the_same_time(gate: Gate, transport: Transport):
    waited_ms = transport.handle.options[socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT]
    assert waited_ms == STALL_SECONDS * 1000
