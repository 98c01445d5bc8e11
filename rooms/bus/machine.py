"""This machine and its processes, as far as one may know them without a library."""

import os
from pathlib import Path

_NAMESPACE = Path("/proc/self/ns/pid")
_ENDED = ("Z", "X")


def host_name() -> str:
    return os.uname().nodename


def pid_namespace() -> str | None:
    """Where this process's pids mean something: an agent in a sandbox may count from 1. None where nobody can tell."""
    try:
        return str(_NAMESPACE.readlink())
    except OSError:
        return None


def is_running(pid: int) -> bool:
    """A process that was killed and that nobody has waited for does not run any more."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return True  # no /proc here, or gone this moment: the next look tells
    return not stat.rpartition(")")[2].lstrip().startswith(_ENDED)
