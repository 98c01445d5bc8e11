"""One call of a command: where, in which room, as whom, and where its words go."""

from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

from rooms.bus import presence
from rooms.bus.environment import HOME, MEMBER, ROOM, variable
from rooms.bus.errors import UsageError
from rooms.bus.folder import DEFAULT_HOME, DEFAULT_MEMBER, DEFAULT_ROOM, Home, Room, member_name, printable
from rooms.bus.terminal import Output


class Call:
    """
    Raises:
        UsageError: one of the names is none.
    """

    def __init__(self, options: SimpleNamespace, out: Output) -> None:
        self.options, self.out = options, out
        self.home = _home(options.home or variable(HOME) or DEFAULT_HOME)
        self.me = member_name(options.me if options.me is not None else variable(MEMBER) or DEFAULT_MEMBER)
        named = options.room if options.room is not None else variable(ROOM)
        self._named_room = self.home.room(named) if named is not None else None

    @property
    def room(self) -> Room:
        """
        Raises:
            UsageError: `current-room` names none.
        """
        if self._named_room is None:
            self._named_room = self._current_room()
        return self._named_room

    def look(self) -> None:
        """Look in: seen in the room if there is one. `joining.join` makes it."""
        if not self.stay():
            self.out.note(f"There is no room “{self.room.name}” yet; `aig use {self.room.name}` makes it.")

    def stay(self) -> bool:
        """Still seen in the room; False when there is none."""
        if not self.room.exists():
            return False
        with suppress(OSError):  # a full disk or a room that may only be read keeps nobody from reading
            presence.touch(self.room, self.me)
        return True

    def _current_room(self) -> Room:
        try:
            return self.home.room(self.home.current_room() or DEFAULT_ROOM)
        except UsageError as error:
            raise UsageError(f"{self.home.path / 'current-room'}: {error} `aig use <room>` writes another.") from None


def _home(text: str) -> Home:
    try:
        return Home(Path(text).expanduser().absolute())
    except RuntimeError:  # no such user, or a user without a home, as in many containers
        raise UsageError(f"There is no folder {printable(text)}: set {HOME} or --home to one.") from None
