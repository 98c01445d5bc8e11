"""Text that arrives in pieces. Pure.

Agents written in JavaScript cut text between the two halves of a surrogate pair; the halves are put together
again across pieces, and only a half that stays alone becomes U+FFFD.
"""

from groupx.kernel.text import storable


class TextStream:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._held = ""

    def feed(self, piece: str) -> str:
        """What can be shown now; may be empty."""
        if self._held:
            joined = self._held + piece
            piece = (
                joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") if piece else joined
            )
            self._held = ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._held = piece[:-1], piece[-1]
        piece = storable(piece)
        if piece:
            self._parts.append(piece)
        return piece

    def flush(self) -> str:
        """The held half, when nothing follows."""
        rest, self._held = storable(self._held), ""
        if rest:
            self._parts.append(rest)
        return rest

    @property
    def text(self) -> str:
        return "".join(self._parts)
