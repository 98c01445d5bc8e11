"""When a running turn's text is kept: beside the turn, every two seconds or 32 KiB, and each time only what is new."""

import asyncio
from collections.abc import Awaitable, Callable

from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from turns.recording import Recording

log = get_logger()

SAVE_SECONDS, SAVE_CHARS = 2.0, 32_768


class PartialSaves:
    """One turn's. What could not be kept comes with the next save, and is no reason for another end of the turn."""

    def __init__(
        self, turn_id: str, recording: Recording, save: Callable[[str], Awaitable[bool]], clock: Clock
    ) -> None:
        """`save` is given the text since the last save; False when it should come again."""
        self._turn_id, self._recording, self._save, self._clock = turn_id, recording, save, clock
        self._saved_chars, self._saved_pieces, self._saved_at = 0, 0, clock.monotonic()
        self._last_failed = False
        self._saving: asyncio.Task[None] | None = None

    @property
    def next_at(self) -> float | None:
        """When to look again, in seconds of the monotonic clock; None while there is nothing new."""
        if self._new_chars == 0:
            return None
        return (self._clock.monotonic() if self._is_saving else self._saved_at) + SAVE_SECONDS

    def save_if_due(self) -> None:
        waited_seconds = self._clock.monotonic() - self._saved_at
        is_due = waited_seconds >= SAVE_SECONDS or (self._new_chars >= SAVE_CHARS and not self._last_failed)
        if self._new_chars > 0 and is_due and not self._is_saving:
            self._saved_at = self._clock.monotonic()
            # Beside the turn: a slow database must delay neither the live text nor a cancel.
            self._saving = asyncio.create_task(self._save_new(), name="save-partial-text")
            self._saving.add_done_callback(self._note_failure)

    async def end(self) -> None:
        """Wait for the save that is under way: the end of the turn is written after it."""
        if self._saving is not None:
            await asyncio.gather(self._saving, return_exceptions=True)

    @property
    def _new_chars(self) -> int:
        return self._recording.text_chars - self._saved_chars

    @property
    def _is_saving(self) -> bool:
        return self._saving is not None and not self._saving.done()

    async def _save_new(self) -> None:
        """The cost of keeping a long text does not grow with it."""
        pieces, chars = len(self._recording.pieces), self._recording.text_chars
        new = "".join(self._recording.pieces[self._saved_pieces :])
        self._last_failed = True
        if await self._save(new):
            self._last_failed = False
            self._saved_pieces, self._saved_chars = pieces, chars

    def _note_failure(self, saving: asyncio.Task[None]) -> None:
        if not saving.cancelled() and (error := saving.exception()) is not None:
            log.error("partial_text_not_saved", turn_id=self._turn_id, exc_info=error)
