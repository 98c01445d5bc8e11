"""The beginning of the text that an agent streams in a turn, and how long the whole is. Pure and bounded.

What a page shows of a long answer is its beginning, live as afterwards (docs/protocol.md, "Long text"). So nobody
between the agent and the page keeps or passes on more of a running turn's text than this.
"""

from .envelope import SHOWN_CHARS

_PARTS_KEPT_APART = 1_000


class TextSoFar:
    def __init__(self, shown: str = "", length: int = 0) -> None:
        """`length` of the whole text; less than what is shown counts as that."""
        self._parts = [shown] if shown else []
        self.shown_length = len(shown)
        self.length = max(length, len(shown))

    @property
    def is_cut(self) -> bool:
        return self.length > self.shown_length

    @property
    def shown(self) -> str:
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def append(self, text: str) -> str:
        """Gives the piece of `text` that is still shown."""
        self.length += len(text)
        piece = text[: SHOWN_CHARS - self.shown_length]
        if piece:
            self._parts.append(piece)
            self.shown_length += len(piece)
            if len(self._parts) > _PARTS_KEPT_APART:
                self._parts = ["".join(self._parts)]
        return piece
