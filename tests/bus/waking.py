"""Fake CLIs on PATH, and a room with a member for each, for tests of waking."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import psutil

from tests.bus.aig import Aig

FAKE_CLI = Path(__file__).with_name("fake_cli.py")
EXECUTABLES = {
    "opencode": "opencode", "workbuddy": "cbc", "dsh": "dsh", "codex": "codex", "claude": "claude", "kimi": "kimi",
    "gemini": "gemini", "qwen": "qwen",
}  # fmt: skip
"""The program of each channel that has one of its own."""


class Waking:
    """A home, a PATH with all CLIs faked, and what they were given. `aig` talks to the bus with that PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name in EXECUTABLES.values():
            script = self.bin / name
            script.write_text(f'#!{sys.executable}\nimport sys; sys.argv[0] = "{name}"\n{FAKE_CLI.read_text()}')
            script.chmod(0o755)
        self.plan(answer="It works.")
        path = os.pathsep.join([str(self.bin), "/usr/bin", "/bin"])
        self.aig = Aig(folder / "home", PATH=path, FAKE_CLI=str(folder))

    def plan(self, **plan: Any) -> None:
        """What the CLIs do from now on (fake_cli.py)."""
        (self.folder / "plan.json").write_text(json.dumps(plan))

    @property
    def calls(self) -> list[dict[str, Any]]:
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def member(self, name: str, transport: str | None = None, **profile: Any) -> None:
        path = self.aig.room() / "members.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        known = json.loads(path.read_text()) if path.exists() else {}
        known[name] = {"transport": name if transport is None else transport, **profile}
        path.write_text(json.dumps(known))

    def pipe(self, name: str) -> Path:
        """A named pipe: who opens one end waits for the other."""
        path = self.folder / name
        os.mkfifo(path)
        return path


def gone(*pids: int) -> bool:
    return not any(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in pids)
