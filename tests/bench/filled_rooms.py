"""Rooms whose logs began with many events, all running at once: what is read from them is compared in one moment."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.rooms import FAST, Rooms
from tests.bench.sizes import Size
from tests.running_room import ROOT, RunningRoom

PROGRAM_SECONDS = 120


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
    run_beside(config, "tests.bench.fill_log", *copies)


async def room_of_messages(rooms: Rooms, size: Size) -> RunningRoom:
    """One that keeps many memories and whose log has nothing but messages after them, all indexed; started for the
    first family that asks."""
    if rooms.with_messages is None:
        room = rooms.made("messages", FAST[0])
        config = room.folder / "groupx.json"
        counts = (size.searched_messages, size.searched_memories)
        await asyncio.to_thread(run_beside, config, "tests.bench.fill_messages", *map(str, counts))
        await rooms.start(room)
        rooms.with_messages = room
    return rooms.with_messages


def run_beside(config: Path, module: str, *arguments: str) -> bytes:
    """What a program prints that works on the database of this configuration."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GROUPX_", "DJANGO_"))}
    ended = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**inherited, "GROUPX_CONFIG": str(config), "DJANGO_SETTINGS_MODULE": "groupx.settings"},
        stdout=subprocess.PIPE,
        check=True,
        timeout=PROGRAM_SECONDS,
    )
    return ended.stdout


def _database(room: RunningRoom) -> Path:
    folder = room.folder / ".groupx"
    folder.mkdir(mode=0o700)
    return folder / "groupx.db"
