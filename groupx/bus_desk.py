"""The file bus in the serve process: its desk, and the worker processes that wake members."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

from groupx.children import AGENT_VARIABLE
from groupx.kernel.clock import Clock
from groupx.kernel.config import RunConfig
from groupx.kernel.environment import inherited
from rooms.bus import environment
from rooms.bus.folder import Room
from rooms.bus_page.desk import Desk, use_desk
from rooms.bus_page.drive_rules import HUMAN
from rooms.bus_page.stream import PageStream

_OF_A_WAKE = (environment.HOME, environment.ROOM, environment.MEMBER, environment.DEPTH, environment.NO_WAKE)
_AIG = "import sys; sys.path.insert(0, sys.argv.pop(1)); from rooms.bus.cli import main; sys.exit(main())"
_PACKAGES = Path(__file__).resolve().parent.parent


async def run_bus_desk(run: RunConfig, port: int, clock: Clock) -> None:
    """Until it is cancelled."""
    env = worker_environment(inherited(), port)

    async def spawn(room: Room, member: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *worker_command(room, member),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            cwd=run.config_path.parent,
            env=env,
            start_new_session=True,
        )

    desk = Desk(settings.BUS_HOME, PageStream(settings.BUS_HOME), spawn, clock)
    use_desk(desk)
    try:
        await desk.run()
    finally:
        use_desk(None)


def worker_command(room: Room, member: str) -> tuple[str, ...]:
    """`aig wake`, with this very code, from whatever folder. -P: nothing in the current one may shadow a module."""
    where = ("--home", str(room.home), "--room", room.name, "--as", HUMAN)
    return (sys.executable, "-P", "-c", _AIG, str(_PACKAGES), "wake", *where, member)


def worker_environment(inherited: Mapping[str, str], port: int) -> dict[str, str]:
    """Nothing of ours but the address of this room; marked, so that the parent ends what is left of it."""
    kept = {
        name: value for name, value in inherited.items() if not name.startswith("GROUPX_") and name not in _OF_A_WAKE
    }
    return {**kept, "GROUPX_URL": f"http://127.0.0.1:{port}", AGENT_VARIABLE: "bus"}
