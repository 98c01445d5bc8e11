"""How entries and sections of a packet are written, and which of many fit. Pure.

All text of others is quoted line by line, so it can imitate neither a section nor an entry.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .vocabulary import RecordSource

QUOTE = "> "
"""Before every line of an entry's text. Headings and heads of entries never have it."""
BETWEEN_PARTS = "\n\n"


@dataclass(frozen=True, kw_only=True)
class PacketMessage:
    """One message of the room as context: who wrote it, through what, and where it stands."""

    event_id: str
    seq: int
    author: str
    source: str
    content: str
    to: tuple[str, ...] = ()
    reply_to: str | None = None


@dataclass(frozen=True, kw_only=True)
class PacketRecord:
    """One record of memory or identity as context."""

    record_id: str
    seq: int
    kind: str
    author: str
    subject: str | None
    source_kind: RecordSource
    content: str

    @property
    def source(self) -> str:
        """By whom it is in relation to whom it is about, so that nobody's remark passes for somebody's own words."""
        match self.source_kind:
            case RecordSource.OPERATOR:
                return "operator"
            case RecordSource.GENERATED_SUMMARY | RecordSource.AUTOMATIC_ROLLUP:
                return "generated-summary"
        if self.author.startswith("user:"):
            return "user"
        if self.subject is None:
            return self.author
        return "self" if self.subject == self.author else f"{self.author}-about-{self.subject}"


def section(name: str, entries: Sequence[str]) -> str:
    return "\n".join([f"[{name}]", *entries]) if entries else ""


def head(message: PacketMessage) -> str:
    written = f"- id={message.event_id} seq={message.seq} author={message.author} source={message.source}"
    if message.to:
        written += f" to={','.join(message.to)}"
    return written + (f" reply_to={message.reply_to}" if message.reply_to else "")


def message_entry(message: PacketMessage) -> str:
    return f"{head(message)}\n{quoted(message.content)}"


def record_entry(record: PacketRecord) -> str:
    written = f"- id={record.record_id} seq={record.seq} kind={record.kind} author={record.author}"
    if record.subject:
        written += f" subject={record.subject}"
    return f"{written} source={record.source}\n{quoted(record.content)}"


def quoted(text: str) -> str:
    """Every line of it begins with the quote mark, whatever separates lines where it came from."""
    return "\n".join(f"{QUOTE}{line}" for line in text.splitlines())


@dataclass
class Room:
    """What is left of the characters that optional sections may have."""

    chars_left: int

    def newest_of(self, name: str, entries: Sequence[str]) -> list[str]:
        """The newest of these, which stand oldest first, up to the first that does not fit: no gap within."""
        kept: list[str] = []
        for entry in reversed(entries):
            if not self._takes(name, entry, is_first=not kept):
                break
            kept.append(entry)
        return kept[::-1]

    def some_of(self, name: str, entries: Sequence[str]) -> list[str]:
        """As many of these as fit, in their order."""
        kept: list[str] = []
        for entry in entries:
            if self._takes(name, entry, is_first=not kept):
                kept.append(entry)
        return kept

    def _takes(self, name: str, entry: str, *, is_first: bool) -> bool:
        cost = len(entry) + 1 + (len(f"[{name}]") + len(BETWEEN_PARTS) if is_first else 0)
        if cost > self.chars_left:
            return False
        self.chars_left -= cost
        return True
