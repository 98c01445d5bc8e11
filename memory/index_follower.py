"""The index of the transcript follows the log while nobody writes.

Filled in the transactions that append messages, it would make each a fifth dearer and some a hundred times
(docs/performance.md). A search looks through what it does not have yet, so it may lie behind as long as it likes.
"""

from groupx.kernel.clock import Clock, until_next
from groupx.kernel.logs import get_logger
from memory.actions.index_transcript import index_transcript
from rooms.checkpoints import LogFile, log_file
from rooms.transactions import DatabaseThreads, StoreError

log = get_logger()

LOOK_SECONDS = 1.0
PAUSE_SECONDS = 0.05
"""Between two steps: whoever wants to write gets the database."""


class IndexFollower:
    """`run` until it is cancelled, then `close`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._threads = DatabaseThreads("db-index", 1)
        self._indexed = 0

    async def run(self) -> None:
        seen: LogFile | None = None
        followed: LogFile | None = None
        while True:
            await self._clock.sleep(until_next(LOOK_SECONDS, self._clock))
            before, seen = seen, log_file()
            if seen == followed or seen != before:
                continue
            try:
                seen = followed = await self._follow()
            except StoreError as error:  # whoever writes finds out, and says so
                log.warning("index_not_filled", error=str(error))

    async def _follow(self) -> LogFile | None:
        """Step by step to the log's end; gives the file as it was left there, None when somebody else has written."""
        while (indexed := await self._threads.run(index_transcript, self._indexed)) is not None:
            self._indexed = indexed
            left = log_file()
            await self._clock.sleep(PAUSE_SECONDS)
            if log_file() != left:
                return None
        return log_file()

    def close(self) -> None:
        self._threads.close()
