"""`aig rooms`: each room with its messages, its last activity, and which is the current one."""

from rooms.bus import log
from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.clock import iso
from rooms.bus.errors import UsageError
from rooms.bus.folder import Room
from rooms.bus.message import Message
from rooms.bus.terminal import local_time

PARSED_BYTES = 2_000_000
"""Of a longer log the first and the last seq tell: this must stay fast, and `aig status` counts."""


def add_arguments(parser: Parser) -> None:
    pass


def run(call: Call) -> None:
    current = _current(call)
    if current is not None and current.exists():
        call.look()
    rows = [("", "room", "messages", "last activity")]
    for room in call.home.rooms():
        last, is_current = last_message(room), room == current
        count = message_count(room, last)
        ts = last.ts if last is not None else None
        if call.out.is_json:
            last_activity = iso(ts) if ts is not None else None
            record = {"room": room.name, "messages": count, "lastActivity": last_activity, "current": is_current}
            call.out.record(record)
        rows.append(("*" if is_current else "", room.name, str(count), local_time(ts) if ts is not None else "–"))
    if call.out.is_json:
        return
    if len(rows) > 1:
        call.out.table(rows)
    else:
        call.out.note("There is no room yet; `aig use <room>` makes one.")


def _current(call: Call) -> Room | None:
    try:
        return call.room
    except UsageError as error:  # the list is what helps against it
        call.out.note(str(error))
        return None


def message_count(room: Room, last: Message | None) -> int:
    if last is None:
        return 0
    if room.log.stat().st_size <= PARSED_BYTES:
        return sum(1 for _ in log.messages(room.log))
    return last.seq - next(log.messages(room.log), last).seq + 1


def last_message(room: Room) -> Message | None:
    return next(iter(log.last(room.log, 1)), None)
