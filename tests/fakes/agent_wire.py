"""The pipe of a scripted agent: frames out, and a log of what happened in `agent.jsonl` of its working folder."""

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WAIT_SECONDS = 300.0
"""Nothing waits longer: a test that went wrong must not leave an agent behind."""
LOOK_AGAIN_SECONDS = 0.005


def log(event: str, **fields: object) -> None:
    """Append an entry, and say so to whoever holds the named pipe `agent.noted` open. `at_ns`: the machine's own."""
    with Path("agent.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"ev": event, "pid": os.getpid(), "at_ns": time.monotonic_ns(), **fields}) + "\n")
    with contextlib.suppress(OSError):  # there is none, or nobody listens
        pipe = os.open("agent.noted", os.O_WRONLY | os.O_NONBLOCK)
        os.write(pipe, b"!")
        os.close(pipe)


def wait_until(look: Callable[[], object]) -> None:
    """The agent's one bounded wait for a file or a cancel, at which it can only look again."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not look() and time.monotonic() < deadline:
        time.sleep(LOOK_AGAIN_SECONDS)


def stay() -> None:
    """Until somebody ends this process."""
    threading.Event().wait(WAIT_SECONDS)


class Wire:
    def __init__(self, **header: object) -> None:
        """`header` stands in every frame."""
        self._header = header
        self._lock = threading.Lock()

    def raw(self, data: bytes) -> None:
        with self._lock:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view) :]

    def send(self, frame: dict[str, Any]) -> None:
        self.raw(self.line(frame))

    def line(self, frame: dict[str, Any]) -> bytes:
        return json.dumps({**self._header, **frame}).encode() + b"\n"
