"""The file bus: what one call of `aig` takes, from its start to its end, beside a Python that does nothing."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from tests.bench.figures import Aim, Row, Sample, lost, row
from tests.bench.rooms import Rooms
from tests.bench.sizes import Size

UNREAD = 10
QUICK_START = (Aim(figure="p50", at_most=150.0), Aim(figure="ratio", at_most=3.0))
SHORT_READ = (Aim(figure="p50", at_most=300.0),)
TEXT = "what agents say to each other, of an ordinary length, with a file name or two in it: rooms/bus/log.py. " * 2


async def calling_aig(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """Commands and the yardstick in turns; nothing of it is a GroupX room."""
    home, count = rooms.folder("aig"), max(size.log_sizes)
    log = home / "rooms/long/messages.jsonl"
    await asyncio.to_thread(write_log, log, count)
    bare, listing, sending, reading, missing = Sample(), Sample(), Sample(), Sample(), 0
    for _ in range(size.reads):
        await _timed(bare, ["-c", "pass"], home)
        await _timed(sending, ["-m", "rooms.bus", "--room", "short", "send", TEXT], home)
        await _timed(listing, ["-m", "rooms.bus", "--room", "short", "rooms"], home)
        cursor = log.parent / "cursors/human.json"
        cursor.write_text(json.dumps({"seq": count - UNREAD}))
        said = await _timed(reading, ["-m", "rooms.bus", "--room", "long", "read", "--json"], home)
        missing += UNREAD - len(said.splitlines())
    yield row("aig rooms", listing, bare, aims=QUICK_START, note="the bare view is `python -c pass`")
    yield row("aig send", sending, bare)
    faults = lost(missing, UNREAD * size.reads, "messages")
    yield row(f"aig read, {UNREAD} unread of {count:,}", reading, bare, aims=SHORT_READ, faults=faults)


def write_log(log: Path, count: int) -> None:
    """Messages of two agents, with the fields of `aig`."""
    (log.parent / "cursors").mkdir(parents=True)
    with log.open("w") as file:
        for seq in range(1, count + 1):
            fields = {
                "id": f"m{seq:04}-mf3k2p00-a91x",
                "seq": seq,
                "ts": 1_789_743_812_212 + seq,
                "time": "",
                "room": "long",
            }
            more = {
                "from": "ab"[seq % 2],
                "to": [],
                "kind": "chat",
                "via": "cli",
                "reply_to": None,
                "tags": [],
                "files": [],
            }
            file.write(json.dumps({**fields, **more, "text": TEXT, "meta": {}}, separators=(",", ":")) + "\n")
    (log.parent / "state.json").write_text(json.dumps({"nextSeq": count + 1}))


async def _timed(sample: Sample, arguments: Sequence[str], home: Path) -> bytes:
    """What it prints."""
    environment = {**os.environ, "AIGROUP_HOME": str(home)}
    began = time.monotonic()
    ended = await asyncio.to_thread(
        subprocess.run, [sys.executable, *arguments], env=environment, stdout=subprocess.PIPE, check=True
    )
    sample.took_ms.append((time.monotonic() - began) * 1000)
    return bytes(ended.stdout)
