"""Whose a lock or a place in a line is, as it tells others in a small JSON file."""

from pathlib import Path
from typing import NamedTuple

from rooms.bus.clock import iso, now_ms
from rooms.bus.json_file import read_object
from rooms.bus.machine import host_name, is_running, pid_namespace


class Owner(NamedTuple):
    """What it does not tell is None: then nobody can judge it."""

    pid: int | None = None
    host: str | None = None
    pid_namespace: str | None = None
    token: str | None = None

    @property
    def is_dead(self) -> bool:
        """It ran on this machine, where pids mean the same, and does not any more."""
        is_here = self.host == host_name() and self.pid_namespace in (None, pid_namespace())
        return self.pid is not None and is_here and not is_running(self.pid)


def record_of(pid: int, token: str) -> dict[str, object]:
    """Of this process."""
    here = {"pid": pid, "host": host_name(), "pidNamespace": pid_namespace()}
    return {**here, "token": token, "since": iso(now_ms())}


def read_owner(path: Path) -> Owner:
    try:
        kept = read_object(path) or {}
    except (ValueError, OSError):
        return Owner()
    pid, host = kept.get("pid"), kept.get("host")
    namespace, token = kept.get("pidNamespace"), kept.get("token")
    if type(pid) is not int or pid < 1 or not isinstance(host, str):
        pid = host = None
    return Owner(
        pid,
        host,
        namespace if isinstance(namespace, str) else None,
        token if isinstance(token, str) else None,
    )
