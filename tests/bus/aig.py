"""`aig` as other programs meet it: a process, its output, its exit code, and the files it leaves."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.architecture.sources import ROOT

END_SECONDS = 60.0


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        """Of --json."""
        return [json.loads(line) for line in lines_of(self.out)]


class Aig:
    """One home; nothing of the bus is taken from this process's environment."""

    def __init__(self, home: Path, **environment: str) -> None:
        self.home = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIGROUP_", "NO_COLOR"))}
        self.environment = {
            **kept,
            "PYTHONPATH": str(ROOT),
            "AIGROUP_HOME": str(home),
            "LC_ALL": "C.UTF-8",
            **environment,
        }

    def __call__(self, *arguments: str | Path, stdin: bytes = b"", **environment: str) -> Ended:
        process = self.start(*arguments, **environment)
        out, err = process.communicate(stdin, timeout=END_SECONDS)
        return Ended(process.returncode, out.decode(), err.decode())

    def start(self, *arguments: str | Path, **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "rooms.bus", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.home.parent,
            env={**self.environment, **environment},
        )

    def ok(self, *arguments: str | Path, **more: Any) -> str:
        """What it prints; it must end with 0."""
        ended = self(*arguments, **more)
        assert ended.code == 0, ended
        return ended.out

    def records(self, *arguments: str | Path, **more: Any) -> list[dict[str, Any]]:
        return [json.loads(line) for line in lines_of(self.ok("--json", *arguments, **more))]

    def refused(self, *arguments: str | Path, code: int = 2, **more: Any) -> str:
        """The one line of a refusal; it must end with that code and print nothing else."""
        ended = self(*arguments, **more)
        assert (ended.code, ended.out) == (code, ""), ended
        assert ended.err.startswith("aig: ") and ended.err.count("\n") == 1 and ended.err.endswith("\n"), ended
        return ended.err

    def room(self, name: str = "main") -> Path:
        return self.home / "rooms" / name

    def log(self, room: str = "main") -> list[dict[str, Any]]:
        return [json.loads(line) for line in lines_of((self.room(room) / "messages.jsonl").read_text())]

    def cursor(self, member: str, room: str = "main") -> int:
        path = self.room(room) / "cursors" / f"{member}.json"
        return json.loads(path.read_text())["seq"] if path.exists() else 0


def lines_of(text: str) -> list[str]:
    """Texts may hold other characters that Python takes for the end of a line."""
    return text.removesuffix("\n").split("\n") if text else []


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
