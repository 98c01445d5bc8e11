"""Which agents' CLIs are installed on this machine, and their versions."""

import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from typing import NamedTuple

from adapters.headless.channels import CHANNELS
from rooms.bus.folder import printable

VERSION_SECONDS = 10.0
MAX_VERSION_CHARS = 60
_ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Found(NamedTuple):
    transport: str
    looked_for: tuple[str, ...]
    """Programs, one of which is needed; none when the channel needs no program of its own."""
    path: str | None
    version: str | None
    """What it says of itself, on one line; None when it says nothing in time."""

    @property
    def is_usable(self) -> bool:
        return self.path is not None or not self.looked_for


def look_around() -> list[Found]:
    """All channels; the programs are asked at the same time, 10 s at most."""
    paths = {name: _path_of(channel.executables) for name, channel in CHANNELS.items()}
    asked = {path: _ask(path) for path in paths.values() if path is not None}
    deadline = time.monotonic() + VERSION_SECONDS
    versions = {path: _answer(process, deadline) for path, process in asked.items()}
    return [
        Found(name, tuple(channel.executables), paths[name], versions.get(paths[name] or ""))
        for name, channel in CHANNELS.items()
    ]


def _path_of(executables: tuple[str, ...]) -> str | None:
    return next((path for path in map(shutil.which, executables) if path is not None), None)


def _ask(path: str) -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError:
        return None


def _answer(process: subprocess.Popen[bytes] | None, deadline: float) -> str | None:
    if process is None:
        return None
    try:
        said, _ = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        _end(process)
        return None
    lines = _ANSI.sub("", said.decode("utf-8", "replace")).split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    return printable(first[:MAX_VERSION_CHARS]) if first and process.returncode == 0 else None


def _end(process: subprocess.Popen[bytes]) -> None:
    """With what it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
