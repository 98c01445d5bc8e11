"""What a compaction covers, in which blocks an agent reads it, and whether what it wrote may take its place. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from groupx.kernel.text import is_blank, is_storable

from .packet_text import QUOTE, quoted
from .vocabulary import MAX_SUMMARY_CHARACTERS

VERBATIM_MESSAGES = 12
"""The newest of the room: they stay as they were written, as far as there is room for them."""
BLOCK_CHARACTERS = 96_000
"""Of one prompt to a writer at the most: what any agent's model reads well in one go."""
SHORTEST_BLOCK = 1_000
"""Of messages; with small contexts a prompt is longer than they are, for its instructions alone."""
SHORTEST_LIMIT = 400
"""No writer is asked for less, however little there is to sum up."""
SHORTEST_PART = 40
"""Less than this is left of a block: the next message begins another."""
SUMMARY_SHARE = 0.25
"""Of the hard limit: so much of each later packet a summary may take at the most."""
SPARE_FOR_INSTRUCTIONS = 2_500


@dataclass(frozen=True, kw_only=True)
class RoomMessage:
    """One message as a writer reads it."""

    seq: int
    author: str
    content: str


@dataclass(frozen=True, order=True)
class Place:
    """Before this character of the message with this seq."""

    seq: int
    offset: int


@dataclass(frozen=True, kw_only=True)
class Block:
    """What a writer is given at once: from one place up to another."""

    begin: Place
    end: Place


def summary_limit(context_chars: int) -> int:
    """How long a summary may be in a room whose packets may have so many characters."""
    return max(1, min(MAX_SUMMARY_CHARACTERS, int(context_chars * SUMMARY_SHARE)))


def limit_for(replaced_chars: int, context_chars: int) -> int:
    """The same for one that takes the place of so many characters: half of them, so that something is gained."""
    return min(summary_limit(context_chars), max(SHORTEST_LIMIT, replaced_chars // 2))


def quoted_limit(limit: int) -> int:
    """How long a summary of `limit` characters may be with the marks of quotation before its lines."""
    return limit + limit // 4


def block_room(context_chars: int) -> int:
    """How many characters of messages one prompt has, beside the summary so far."""
    others = quoted_limit(summary_limit(context_chars)) + SPARE_FOR_INSTRUCTIONS
    return max(SHORTEST_BLOCK, min(BLOCK_CHARACTERS, context_chars) - others)


def kept_verbatim[M](newest: Sequence[M], fits: Callable[[Sequence[M]], bool]) -> Sequence[M]:
    """The most of the newest messages, which stand oldest first, that fit: 12, or fewer, down to none."""
    for count in range(min(VERBATIM_MESSAGES, len(newest)), 0, -1):
        if fits(kept := newest[-count:]):
            return kept
    return ()


def entry(message: RoomMessage, offset: int = 0, end: int | None = None) -> str:
    """A message, or a part of a long one, as it stands in a prompt."""
    text = message.content[offset:end]
    return "\n".join(part for part in (_head(message, offset), quoted(text)) if part)


def _head(message: RoomMessage, offset: int) -> str:
    return f"- seq={message.seq} author={message.author}" + (" continued=yes" if offset else "")


class BlockPlan:
    """Takes the messages in their order, one after the other, and keeps none of them."""

    def __init__(self, room_chars: int) -> None:
        self._room = room_chars
        self._blocks: list[Block] = []
        self._begin: Place | None = None
        self._end = Place(0, 0)
        self._left = room_chars
        self.chars = 0
        """Of all entries so far."""

    def add(self, message: RoomMessage) -> None:
        """A message goes whole into the block that is being filled, or into the next; one that is longer than a block
        is cut."""
        offset, length = 0, len(message.content)
        if self._left < len(_head(message, offset)) + SHORTEST_PART:
            self._close()
        while True:
            taken = self._fitting(message, offset)
            if offset + taken < length and self._begin is not None:
                self._close()
                continue
            self._take(message, offset, offset + taken)
            offset += taken
            if offset >= length:
                return

    def blocks(self) -> list[Block]:
        self._close()
        return self._blocks

    def _fitting(self, message: RoomMessage, offset: int) -> int:
        """How many characters of the rest have room. Of an empty block at least one is filled."""
        room = self._left - len(_head(message, offset)) - 1
        text, taken = message.content[offset : offset + max(room, 1)], 0
        for line in text.splitlines(keepends=True):
            room -= len(QUOTE) + 1
            if room < len(line):
                taken += max(room, 0)
                break
            room, taken = room - len(line), taken + len(line)
        return taken if self._begin is not None else max(taken, min(len(text), 1))

    def _take(self, message: RoomMessage, begin: int, end: int) -> None:
        chars = len(entry(message, begin, end)) + 1
        if self._begin is None:
            self._begin = Place(message.seq, begin)
        self._end, self._left, self.chars = Place(message.seq, end), self._left - chars, self.chars + chars

    def _close(self) -> None:
        if self._begin is not None:
            self._blocks.append(Block(begin=self._begin, end=self._end))
        self._begin, self._left = None, self._room


def entries_of(block: Block, messages: Sequence[RoomMessage]) -> Iterator[str]:
    """The block's text, from its messages."""
    for message in messages:
        begin = block.begin.offset if message.seq == block.begin.seq else 0
        end = block.end.offset if message.seq == block.end.seq else None
        yield entry(message, begin, end)


def answer_fault(answer: str, limit: int) -> str | None:
    """Why this cannot be a summary, in a sentence; None when it can."""
    if is_blank(answer):
        return "The answer was empty."
    if not is_storable(answer):
        return "The answer has characters that cannot be kept."
    if len(answer) > limit:
        return f"The answer has {len(answer):,} characters; a summary may have {limit:,} here."
    if len(quoted(answer)) > quoted_limit(limit):
        return f"The answer has too many lines for a summary of at most {limit:,} characters."
    return None
