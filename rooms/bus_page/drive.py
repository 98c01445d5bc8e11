"""The self-drive of one room: each message of the person wakes whom it is for, once, also over restarts.

What has been done is known twice: by the seq in the switch's file, and, for what was under way when a server died, by
the room itself (cursors, answers, failures). A message is done when all its wakes have ended.
"""

import asyncio
import fcntl
import os
from collections.abc import Callable

from rooms.bus import log
from rooms.bus.cursors import cursor_of
from rooms.bus.folder import Room
from rooms.bus.members import profiles
from rooms.bus.message import Message
from rooms.bus_page.drive_rules import HUMAN, is_settled, whom_to_wake
from rooms.bus_page.switch import Switch, move_on, read_switch
from rooms.bus_page.wakes import Ended

type Wake = Callable[[Room, str], asyncio.Task[Ended]]
type Todo = list[tuple[Message, tuple[str, ...]]]

ANOTHER_SERVER = "Another GroupX on this machine drives this room."


class Drive:
    """`look` in the thread of files, everything else on the loop."""

    def __init__(self, room: Room, switch: Switch) -> None:
        self.room = room
        self.note: str | None = None
        self._seen = self._through = switch.through_seq
        self._open: dict[int, list[asyncio.Task[Ended]]] = {}
        self._lock = -1

    # ------------------------------------------------------------ in the thread of files
    def look(self) -> Todo:
        """New messages, by seq, each with the members to be woken for it.

        Raises:
            BusError, OSError: something cannot be read; the messages are still new at the next look.
        """
        if not self._is_ours():
            self.note = ANOTHER_SERVER
            return []
        if self.note == ANOTHER_SERVER:  # it has gone, and has left word how far it came
            self._seen = self._through = max(self._through, read_switch(self.room).through_seq)
            self.note = None
        new = log.newer_than(self.room.log, self._seen)
        if not new:
            return []
        known = profiles(self.room)
        todo: Todo = []
        for message in new:
            wanted = whom_to_wake(message, known)
            if message.sender == HUMAN and message.kind == "chat":
                self.note = (
                    None if wanted else f"Message {message.seq} woke nobody: none of its receivers has a channel."
                )
            open_ones = (name for name in wanted if not self._is_settled(message, name, new))
            todo.append((message, tuple(open_ones)))
        self._seen = new[-1].seq
        return todo

    def remember(self, through_seq: int) -> None:
        move_on(self.room, through_seq)

    def let_go(self) -> None:
        """Another server may drive."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _is_settled(self, message: Message, member: str, new: list[Message]) -> bool:
        newer = [other for other in new if other.seq > message.seq]
        return is_settled(message, member, cursor_of(self.room, member).seq, newer)

    def _is_ours(self) -> bool:
        if self._lock >= 0:
            return True
        file = os.open(self.room.path / ".self-drive.driver", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        self._lock = file
        return True

    # ------------------------------------------------------------ on the loop
    def begin(self, todo: Todo, wake: Wake) -> None:
        for message, members in todo:
            self._open.setdefault(message.seq, []).extend(wake(self.room, member) for member in members)

    def done_through(self) -> int | None:
        """The seq up to which all is done, where it has moved since it was last asked."""
        before = self._through
        for seq, wakes in list(self._open.items()):
            if not all(wake.done() and not wake.cancelled() for wake in wakes):
                break
            del self._open[seq]
            self._through = seq
        return self._through if self._through > before else None
