"""Rooms whose logs began with many events, all running at once: what is read from them is compared in one moment."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.rooms import FAST, Rooms
from tests.bench.sizes import Size
from tests.running_room import ROOT, RunningRoom

FILL_SECONDS = 120


async def filled_rooms(rooms: Rooms, size: Size) -> dict[int, RunningRoom]:
    """By the number of events they began with; started for the first family that asks."""
    if not rooms.with_logs:
        made = {count: rooms.made(f"log-{count}", FAST[0]) for count in size.log_sizes}
        await asyncio.to_thread(_fill, made)
        await asyncio.gather(*(rooms.start(room) for room in made.values()))
        rooms.with_logs = made
    return rooms.with_logs


def _fill(made: dict[int, RunningRoom]) -> None:
    """One log grows in a folder beside the rooms; each room gets it as it was at its size."""
    template = made[max(made)]
    folder = template.folder.with_name("growing")
    folder.mkdir()
    config = folder / "groupx.json"
    config.write_text((template.folder / "groupx.json").read_text())
    copies = [f"{count}={_database(room)}" for count, room in made.items() if count]
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GROUPX_", "DJANGO_"))}
    subprocess.run(
        [sys.executable, "-m", "tests.bench.fill_log", *copies],
        cwd=ROOT,
        env={**inherited, "GROUPX_CONFIG": str(config), "DJANGO_SETTINGS_MODULE": "groupx.settings"},
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=FILL_SECONDS,
    )


def _database(room: RunningRoom) -> Path:
    folder = room.folder / ".groupx"
    folder.mkdir(mode=0o700)
    return folder / "groupx.db"
