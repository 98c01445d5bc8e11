"""Where everything of the bus lies, and what rooms and members may be called (docs/aig.md, "Folder")."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rooms.bus.errors import UsageError
from rooms.bus.json_file import write_text

DEFAULT_HOME = "~/.ai-groups"
DEFAULT_ROOM = "main"
DEFAULT_MEMBER = "human"
EVERYBODY = frozenset({"*", "all"})
"""Among the receivers of a message they mean a broadcast."""
MAX_NAME_CHARS = 64
MAX_NAME_BYTES = 240
"""A file name has 255, and ours end with “.json”."""
_PRIVATE = 0o700


class Room(NamedTuple):
    home: Path
    name: str

    @property
    def path(self) -> Path:
        return self.home / "rooms" / self.name

    @property
    def log(self) -> Path:
        return self.path / "messages.jsonl"

    @property
    def state(self) -> Path:
        return self.path / "state.json"

    @property
    def members(self) -> Path:
        return self.path / "members.json"

    @property
    def cursors(self) -> Path:
        return self.path / "cursors"

    @property
    def presence(self) -> Path:
        return self.path / "presence"

    @property
    def files(self) -> Path:
        return self.path / "files"

    @property
    def archive(self) -> Path:
        return self.path / "archive"

    @property
    def lock(self) -> Path:
        return self.path / ".lock"

    def exists(self) -> bool:
        return self.path.is_dir()


class Home(NamedTuple):
    path: Path

    def room(self, name: str) -> Room:
        """
        Raises:
            UsageError: no room can be called that.
        """
        return Room(self.path, room_name(name))

    def rooms(self) -> Iterator[Room]:
        """By name; folders that no room can be called are none."""
        folder = self.path / "rooms"
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if not _fault_of(path.name) and path.is_dir():
                yield Room(self.path, path.name)

    def make(self) -> None:
        """Private to this user when it is new: nothing else keeps others from writing into a room."""
        if not self.path.is_dir():
            self.path.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)

    def current_room(self) -> str | None:
        """The name that `aig use` has written, as it stands there."""
        try:
            return (self.path / "current-room").read_text("utf-8", "replace").strip() or None
        except FileNotFoundError:
            return None

    def use(self, room: Room) -> None:
        write_text(self.path / "current-room", room.name + "\n")


def room_name(text: str) -> str:
    """The name as it is written in files (NFC).

    Raises:
        UsageError: it is none.
    """
    name = unicodedata.normalize("NFC", text)
    if fault := _fault_of(name):
        raise UsageError(f"“{printable(text)}” cannot be the name of a room: {fault}.")
    return name


def member_name(text: str) -> str:
    """The same for a member.

    Raises:
        UsageError: it is none.
    """
    name = unicodedata.normalize("NFC", text)
    fault = "it means everybody" if name in EVERYBODY else _fault_of(name)
    if fault:
        raise UsageError(f"“{printable(text)}” cannot be the name of a member: {fault}.")
    return name


def _fault_of(name: str) -> str | None:
    if not name or name in (".", ".."):
        return "give it letters or digits"
    if len(name) > MAX_NAME_CHARS or len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES:
        return f"it is longer than {MAX_NAME_CHARS} characters or {MAX_NAME_BYTES} bytes"
    if not all(char.isalpha() or char.isdecimal() or char in "._-" for char in name):
        return "only letters, digits, “.”, “_” and “-” may be in it"
    return None


def printable(text: str) -> str:
    """On one line and without what a terminal obeys."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
