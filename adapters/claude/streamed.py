"""Words that come twice: in pieces, and again whole with the message they belong to. Pure."""

from collections import defaultdict


class Streamed:
    """Keeps of each message what was streamed and has not come again yet; for one kind of words (text or thoughts)."""

    def __init__(self) -> None:
        self._current: str | None = None
        self._streamed: defaultdict[str | None, str] = defaultdict(str)

    def begin(self, message_id: str | None) -> None:
        """The pieces from now on are of this message."""
        self._current = message_id

    def piece(self, text: str) -> None:
        self._streamed[self._current] += text

    def missing(self, message_id: str | None, whole: str) -> str:
        """What of the whole block was not streamed: all of it when nothing was."""
        key = message_id if message_id in self._streamed else None
        streamed = self._streamed.pop(key, "")
        if streamed.startswith(whole):
            if rest := streamed.removeprefix(whole):
                self._streamed[key] = rest
            return ""
        # a block that differs from its pieces was shown as it came, which is as good
        return whole.removeprefix(streamed) if whole.startswith(streamed) else ""
