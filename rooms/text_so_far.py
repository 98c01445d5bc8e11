"""The text an agent has streamed in a turn, bounded, for readers that come late or fell behind. Pure."""

MAX_CHARS = 4 * 1024 * 1024
_CHUNKS_KEPT_APART = 1_000


class TextSoFar:
    """Offsets count the characters of the whole text, also of a beginning that is no longer kept."""

    def __init__(self, start: int = 0, text: str = "", max_chars: int = MAX_CHARS) -> None:
        self._max_chars = max_chars
        self.start = start
        """Offset of the oldest character kept."""
        self.end = start
        """Length of the whole text."""
        self._chunks: list[str] = []
        if text:
            self.append(text)

    def append(self, text: str) -> None:
        self._chunks.append(text)
        self.end += len(text)
        if self.end - self.start > self._max_chars:
            # Cut to three quarters, so that a long text is not copied for every delta.
            self._keep(self.since(self.end - self._max_chars * 3 // 4))
        elif len(self._chunks) > _CHUNKS_KEPT_APART:
            self._keep("".join(self._chunks))

    def _keep(self, text: str) -> None:
        self._chunks = [text]
        self.start = self.end - len(text)

    def since(self, offset: int) -> str:
        """The text from `offset` on, or as much of it as is kept."""
        return "".join(self._chunks)[max(0, offset - self.start) :]
