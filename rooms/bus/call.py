"""One call of a command: where, in which room, as whom, and where its words go."""

import argparse
from functools import cached_property
from pathlib import Path

from rooms.bus import presence
from rooms.bus.append import make_room
from rooms.bus.environment import HOME, MEMBER, ROOM, variable
from rooms.bus.errors import UsageError
from rooms.bus.folder import DEFAULT_HOME, DEFAULT_MEMBER, DEFAULT_ROOM, Home, Room, member_name
from rooms.bus.terminal import Output


class Call:
    """
    Raises:
        UsageError: one of the names is none.
    """

    def __init__(self, options: argparse.Namespace, out: Output) -> None:
        self.options, self.out = options, out
        self.home = Home(Path(options.home or variable(HOME) or DEFAULT_HOME).expanduser().absolute())
        self.me = member_name(options.me if options.me is not None else variable(MEMBER) or DEFAULT_MEMBER)
        named = options.room if options.room is not None else variable(ROOM)
        self._named_room = self.home.room(named) if named is not None else None

    @cached_property
    def room(self) -> Room:
        """
        Raises:
            UsageError: `current-room` names none.
        """
        if self._named_room is not None:
            return self._named_room
        current = self.home.current_room()
        try:
            return self.home.room(current or DEFAULT_ROOM)
        except UsageError as error:
            raise UsageError(f"{self.home.path / 'current-room'}: {error} `aig use <room>` writes another.") from None

    def join(self) -> None:
        """Take part: there is the room, and I am seen in it."""
        make_room(self.room)
        presence.touch(self.room, self.me)

    def look(self) -> None:
        """Look in: seen in the room if there is one."""
        if self.room.exists():
            presence.touch(self.room, self.me)
        else:
            self.out.note(f"There is no room “{self.room.name}” yet; `aig use {self.room.name}` makes it.")
