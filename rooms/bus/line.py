"""Who waits for a lock, in the order they came: where luck decides, somebody among many is unlucky for too long.

A courtesy among processes of this implementation. It keeps nobody from taking the lock: others know nothing of it, and
whoever has waited too long does not mind it any more.
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from rooms.bus.owner import read_owner, record_of

NOBODY_WAITS_SECONDS = 20.0
"""A place that is older was left behind."""
TRIES = 10


class Line:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._place: Path | None = None
        self._first: Path | None = None

    def is_empty(self) -> bool:
        return not self._folder.exists()

    def join(self) -> None:
        """At its end. One cannot wait in line where nothing can be written; then luck decides."""
        place = self._folder / f"{time.time_ns():020}-{os.getpid()}-{os.urandom(4).hex()}"
        for _ in range(TRIES):
            try:
                self._folder.mkdir(exist_ok=True)
                place.write_text(json.dumps(record_of(os.getpid(), place.name)))
            except FileNotFoundError:  # the last one left it this moment, and took it away
                continue
            except OSError:
                with suppress(OSError):
                    place.unlink()
                return
            self._place = place
            return

    def ahead(self) -> int:
        """How many came before and still wait."""
        if self._place is None:
            return 0
        with suppress(FileNotFoundError):
            places = sorted(path for path in self._folder.iterdir() if path.name < self._place.name)
            if places and places[0] == self._first and _is_left_behind(self._first):  # whoever moves on is alive
                places.pop(0).unlink(missing_ok=True)
            self._first = places[0] if places else None
            return len(places)
        return 0

    def leave(self) -> None:
        if self._place is not None:
            self._place.unlink(missing_ok=True)
            self._place = None
            with suppress(OSError):  # others wait
                self._folder.rmdir()


def _is_left_behind(place: Path) -> bool:
    since = place.name.partition("-")[0]
    age_seconds = time.time() - int(since) / 1e9 if since.isdecimal() else NOBODY_WAITS_SECONDS
    return abs(age_seconds) >= NOBODY_WAITS_SECONDS or read_owner(place).is_dead
