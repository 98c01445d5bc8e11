"""Writing log lines without ever raising into the code that logs, or making it wait.

A terminal that is gone, a full disk, a reader that has paused: none of them may stop a room. Lines go through a
bounded queue to a thread; when nobody takes them they are dropped, and the next line that gets through says how many.
"""

import atexit
import queue
import threading
from typing import TextIO

QUEUE_LINES = 10_000
LAST_LINES_SECONDS = 0.5


class LogWriter:
    """A text stream of which only `write` and `flush` are used; one line per write."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: queue.Queue[str | None] = queue.Queue(QUEUE_LINES)
        self._dropped = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def write(self, line: str) -> None:
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            self._dropped += 1
            return
        if self._thread is None:
            self._start()

    def flush(self) -> None:
        """Nothing to do: the thread flushes after each line."""

    def close(self) -> None:
        """Give the last lines a moment; a stream that takes nothing is left to itself."""
        thread = self._thread
        if thread is not None:
            try:
                self._lines.put(None, timeout=LAST_LINES_SECONDS)
            except queue.Full:
                return
            thread.join(LAST_LINES_SECONDS)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
                self._thread.start()
                atexit.register(self.close)

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            dropped, self._dropped = self._dropped, 0
            if dropped:
                line = f'{{"event": "log_lines_dropped", "count": {dropped}, "level": "warning"}}\n{line}'
            try:
                self._stream.write(line)
                self._stream.flush()
            except (OSError, ValueError):  # nobody is left to read, or nowhere to write
                continue
