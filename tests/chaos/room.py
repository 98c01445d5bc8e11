"""A real room that rough things can be done to: on a disk of its own that can be filled, under a clock that can be set.

Both need help of the system: a loop mount (root), Debian's libfaketime. Without it these blows are left out, by name.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.chaos.plan import ON_THE_DISK, Kind
from tests.running_room import RunningRoom, scripted

AGENTS = ("builder", "reviewer", "scribe")
DISK_BYTES = 96 * 1024 * 1024
TIMEOUTS = {"firstEventMs": 6_000, "idleMs": 6_000, "cancelMs": 3_000, "closeMs": 2_000}
"""Short, so that an agent that hangs is noticed within a round."""


def libfaketime() -> Path | None:
    return next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)


def missing_kinds(folder: Path) -> dict[Kind, str]:
    """Kinds that cannot be done here, and why."""
    missing = {}
    if libfaketime() is None:
        missing[Kind.STEP_CLOCK] = "libfaketime is not installed"
    probe = folder / "probe"
    probe.mkdir()
    try:
        with small_disk(probe, 8 * 1024 * 1024) as is_there:
            if not is_there:
                missing |= dict.fromkeys(ON_THE_DISK, "no loop device may be mounted")
    finally:
        probe.rmdir()
        (folder / "probe.img").unlink(missing_ok=True)
    return missing


@contextmanager
def small_disk(place: Path, size_bytes: int) -> Iterator[bool]:
    """A file system of its own at `place`; False where that is not allowed, and then it is the usual disk."""
    image = place.parent / f"{place.name}.img"
    if os.geteuid() != 0:
        yield False
        return
    with image.open("wb") as file:
        file.truncate(size_bytes)
    made = _system("mkfs.ext4", "-q", "-F", str(image)) and _system("mount", "-o", "loop", str(image), str(place))
    try:
        yield made
    finally:
        if made:
            _system("umount", str(place)) or _system("umount", "-l", str(place))


class RoughRoom(RunningRoom):
    """Its state lies in `.groupx`, on the small disk; the agents' folders do not, so that their notes are complete."""

    def __init__(self, folder: Path) -> None:
        self.clock_file = folder / "clock"
        super().__init__(
            folder, {name: scripted(name, folder) for name in AGENTS}, env=self._clock_env(), timeouts=TIMEOUTS
        )
        self.set_clock(0)

    @property
    def state(self) -> Path:
        return self.folder / ".groupx"

    @property
    def database(self) -> Path:
        return self.state / "groupx.db"

    def _clock_env(self) -> dict[str, str]:
        library = libfaketime()
        if library is None:
            return {}
        return {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self.clock_file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_RESET": "1",
            "NO_FAKE_STAT": "1",
            "PYTHONPATH": str(Path(__file__).with_name("faked_time")),
        }

    def set_clock(self, hours: float) -> None:
        """Steps the wall clock of all the room's processes, within a second."""
        new = self.clock_file.with_suffix(".new")
        new.write_text(f"{hours:+g}h\n")
        new.replace(self.clock_file)


@contextmanager
def rough_room(folder: Path) -> Iterator[RoughRoom]:
    """A started room; afterwards nothing of it runs and nothing is mounted."""
    state = folder / ".groupx"
    state.mkdir(mode=0o700)
    with small_disk(state, DISK_BYTES):
        state.chmod(0o700)
        (state / "room.log").touch(mode=0o600)
        (folder / "room.log").symlink_to(state / "room.log")  # logs have to live on a full disk too
        room = RoughRoom(folder)
        try:
            yield room.start()
        finally:
            room.kill()
            with suppress(OSError):
                (state / "filler").unlink(missing_ok=True)


def _system(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
