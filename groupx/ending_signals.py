"""The signals by which a person or the system ends a room: TERM, Ctrl-C, a terminal that closes."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    """Call `end` for each signal that ends a room, instead of dying by it."""
    loop = asyncio.get_running_loop()
    numbers = _ending_signals()
    for number in numbers:
        loop.add_signal_handler(number, end)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def _ending_signals() -> tuple[signal.Signals, ...]:
    """A terminal that closes ends the room, unless it was started with nohup."""
    hang_up = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    return (signal.SIGTERM, signal.SIGINT, *hang_up)
