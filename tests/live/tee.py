"""Stands between a driver and a real CLI and notes every line of both, in the order in which they passed.

    python tee.py NOTES CLI [argument …]

Each line of NOTES is {"->": frame} (to the CLI) or {"<-": frame}; a line that is no JSON object stands as text.
"""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import BinaryIO


class Notes:
    def __init__(self, file: Path) -> None:
        self._file = file.open("a", encoding="utf-8")
        self._lock = threading.Lock()

    def add(self, direction: str, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        try:
            value: object = json.loads(text)
        except ValueError:
            value = text
        with self._lock:
            self._file.write(json.dumps({direction: value}) + "\n")
            self._file.flush()


def passing(source: BinaryIO, target: BinaryIO, direction: str, notes: Notes) -> None:
    """Noted before it is passed on: an answer can't stand before what it answers."""
    for line in source:
        notes.add(direction, line)
        try:
            target.write(line)
            target.flush()
        except BrokenPipeError:
            return
    target.close()


def main() -> int:
    notes = Notes(Path(sys.argv[1]))
    child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None and child.stdout is not None
    asking = (sys.stdin.buffer, child.stdin, "->", notes)
    threading.Thread(target=passing, args=asking, daemon=True).start()
    passing(child.stdout, sys.stdout.buffer, "<-", notes)
    return child.wait()


if __name__ == "__main__":
    sys.exit(main())
