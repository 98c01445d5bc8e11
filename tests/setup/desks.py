"""A setup of a folder of the test's own, with a server that only remembers what it was told."""

import json
from pathlib import Path
from typing import Any

from adapters.contract import ProbeResult
from adapters.probe import Looked
from adapters.sign_in import SignIn
from groupx.kernel.config import RunConfig
from groupx.kernel.config_file import load_config
from groupx.run_config import allowed_drivers
from groupx.setup.answers import LaunchTold
from groupx.setup.desk import SetupDesk
from groupx.setup.detect import Detection
from rooms.body import Body
from tests.fakes.clock import FakeClock

PORT = 4310
AGENT = {"driver": "kimi", "name": "Builder", "command": "sh", "cwd": "."}


class ServerOfTest:
    """What the desk needs of the process that serves it."""

    def __init__(self) -> None:
        self.configured = 0
        self.told: list[Body] = []

    def tell(self, body: Body) -> None:
        self.told.append(body)

    def on_configured(self) -> None:
        self.configured += 1

    def launch_state(self) -> LaunchTold:
        return {"status": "starting" if self.configured else "waiting"}


def write(folder: Path, raw: Any) -> Path:
    path = folder / "groupx.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw))
    return path


def text_of(path: Path) -> str | None:
    """Of a file, for coroutines; None where there is none."""
    return path.read_text() if path.exists() else None


def room_of(path: Path) -> RunConfig:
    return load_config(path, allowed_drivers())


async def look(driver: str) -> Looked:
    """Only Kimi and Codex are installed here."""
    version = {"kimi": "9.1.3", "codex": "9.145.0"}.get(driver)
    problem = None if version else f"“{driver}” was not found on PATH."
    path = f"/usr/bin/{driver}" if version else None
    probe = ProbeResult(driver=driver, executable=path, version=version, problem=problem)
    return Looked(probe=probe, sign_in=SignIn.YES)


def a_desk(path: Path, *, is_running: bool = False, server: ServerOfTest | None = None) -> SetupDesk:
    running = room_of(path) if is_running else None
    return SetupDesk(path, PORT, server or ServerOfTest(), Detection(FakeClock(), look), FakeClock(), running=running)


def an_agent_draft(**changes: Any) -> dict[str, Any]:
    """`...` leaves a field out."""
    draft = {"id": "builder", "identity": "", "enabled": True, **AGENT, **changes}
    return {key: value for key, value in draft.items() if value is not ...}


def a_draft(*agents: dict[str, Any], **changes: Any) -> dict[str, Any]:
    draft = {"serverPort": PORT, "storagePath": ".groupx/groupx.db", "agents": list(agents) or [an_agent_draft()]}
    return {**draft, **changes}
