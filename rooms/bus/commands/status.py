"""`aig status`: the room's health. Reads the whole log."""

from typing import Any

from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.clock import iso
from rooms.bus.folder import printable
from rooms.bus.health import Health, health_of
from rooms.bus.lock import LockSeen
from rooms.bus.terminal import RED, local_time


def add_arguments(parser: Parser) -> None:
    pass


def run(call: Call) -> None:
    call.look()
    health = health_of(call.room)
    if call.out.is_json:
        call.out.record(_record(call, health))
        return
    call.out.table([(what, printable(told)) for what, told in _rows(call, health)])
    for warning in health.warnings:
        call.out.text(call.out.paint(f"! {printable(warning)}", RED))


def _record(call: Call, health: Health) -> dict[str, Any]:
    return {
        "room": call.room.name,
        "path": str(call.room.path),
        "messages": health.messages,
        "skippedLines": health.skipped_lines,
        "lastSeq": health.last_seq,
        "nextSeq": health.next_seq,
        "lastActivity": iso(health.last_ms) if health.last_ms is not None else None,
        "lock": _lock_record(health.lock) if health.lock is not None else None,
        "cursors": [reader._asdict() for reader in health.readers],
        "withoutChannel": health.without_channel,
        "warnings": health.warnings,
    }


def _lock_record(lock: LockSeen) -> dict[str, Any]:
    age_seconds = round(lock.age_seconds, 1)
    return {"ageSeconds": age_seconds, "pid": lock.pid, "host": lock.host, "stale": lock.is_stale}


def _lock_words(lock: LockSeen) -> str:
    owner = f"process {lock.pid} of {lock.host}" if lock.pid is not None else "an unknown process"
    return f"{'stale' if lock.is_stale else 'held'}, {owner}, {lock.age_seconds:.0f} s old"


def _rows(call: Call, health: Health) -> list[tuple[str, str]]:
    behind = [f"{reader.member} {reader.unread} (at {reader.seq})" for reader in health.readers if reader.unread]
    lock = health.lock
    return [
        ("room", f"{call.room.name}, {call.room.path}"),
        ("messages", str(health.messages)),
        ("skipped lines", str(health.skipped_lines)),
        ("next seq", str(health.next_seq)),
        ("last activity", local_time(health.last_ms) if health.last_ms is not None else "–"),
        ("lock", _lock_words(lock) if lock is not None else "free"),
        ("unread", ", ".join(behind) or "nothing"),
        ("without a channel", ", ".join(health.without_channel) or "nobody"),
    ]
