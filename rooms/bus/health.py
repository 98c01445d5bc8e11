"""What `aig status` tells of a room, read from its files."""

from collections import Counter
from typing import NamedTuple

from adapters.headless.channels import CHANNELS
from rooms.bus import log
from rooms.bus.cursors import cursor_of, members_with_cursor
from rooms.bus.errors import BusError
from rooms.bus.folder import DEFAULT_MEMBER, Room
from rooms.bus.lock import LockSeen, look_at
from rooms.bus.members import profiles
from rooms.bus.message import visible_to
from rooms.bus.state import next_seq


class Reader(NamedTuple):
    member: str
    seq: int
    """Of its cursor."""
    unread: int


class Health(NamedTuple):
    messages: int
    skipped_lines: int
    last_seq: int
    next_seq: int
    last_ms: int | None
    lock: LockSeen | None
    readers: list[Reader]
    """Every member that has read or stands in members.json."""
    without_channel: list[str]
    """Members with none, or with one that is not known. The person is not meant to be woken."""
    warnings: list[str]
    """Sentences, each with what to do."""


def health_of(room: Room) -> Health:
    """Reads the whole log once."""
    warnings: list[str] = []
    try:
        known = profiles(room)
    except BusError as error:
        known = {}
        warnings.append(str(error))
    cursors = {member: cursor_of(room, member) for member in sorted({*known, *members_with_cursor(room)})}
    unread: Counter[str] = Counter()
    count, skipped, disorder, last_seq, last_ms = 0, 0, 0, 0, None
    for message in log.messages_and_gaps(room.log):
        if message is None:
            skipped += 1
            continue
        count += 1
        disorder += message.seq <= last_seq
        last_seq = max(last_seq, message.seq)
        last_ms = message.ts if message.ts is not None else last_ms
        unread.update(member for member, at in cursors.items() if message.seq > at.seq and visible_to(message, member))
    lock = look_at(room.lock)
    if skipped:
        warnings.append(f"{skipped} lines of the log are no messages; every command leaves them out.")
    if disorder:
        warnings.append(
            f"{disorder} messages have a seq that is not greater than the ones before: two programs wrote at once."
        )
    if lock is not None and lock.is_stale:
        warnings.append("The lock was left behind; the next message takes it away.")
    warnings += [
        f"The cursor of {member} cannot be read: it counts as 0." for member, at in cursors.items() if at.is_corrupt
    ]
    upcoming = next_seq(room)
    warnings += [
        f"The cursor of {member} is ahead of the room: it is shown nothing before [{at.seq + 1}]. "
        f"Remove {room.cursors / f'{member}.json'} to read anew."
        for member, at in cursors.items()
        if at.seq >= upcoming
    ]
    return Health(
        messages=count,
        skipped_lines=skipped,
        last_seq=last_seq,
        next_seq=upcoming,
        last_ms=last_ms,
        lock=lock,
        readers=[Reader(member, at.seq, unread[member]) for member, at in cursors.items()],
        without_channel=[
            name
            for name, profile in known.items()
            if str(profile.get("transport")) not in CHANNELS and name != DEFAULT_MEMBER
        ],
        warnings=warnings,
    )
