"""How entries and sections of a packet are written, and which of many fit. Pure.

All text of others is quoted line by line, so it can imitate neither a section nor an entry.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .vocabulary import RecordSource

QUOTE = "> "
"""Before every line of an entry's text. Headings and heads of entries never have it."""
BETWEEN_PARTS = "\n\n"
NOT_SENT = "given-when-sent"
"""Stands for the id and the seq of a message that is only drafted."""


@dataclass(frozen=True, kw_only=True)
class PacketMessage:
    """One message of the room as context: who wrote it, through what, and where it stands."""

    event_id: str
    seq: int | None
    """None for a draft."""
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
    day: str | None = None
    """Of dated memory, as in 2026-11-30."""

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


@dataclass(frozen=True, kw_only=True)
class StandingSummary:
    """What stands for all that the room said from one seq through another."""

    summary_id: str
    writer: str
    from_seq: int
    through_seq: int
    content: str


def section(name: str, entries: Sequence[str]) -> str:
    return "\n".join([f"[{name}]", *entries]) if entries else ""


def head(message: PacketMessage) -> str:
    seq = NOT_SENT if message.seq is None else message.seq
    written = f"- id={message.event_id} seq={seq} author={message.author} source={message.source}"
    if message.to:
        written += f" to={','.join(message.to)}"
    return written + (f" reply_to={message.reply_to}" if message.reply_to else "")


def message_entry(message: PacketMessage) -> str:
    return f"{head(message)}\n{quoted(message.content)}"


def record_entry(record: PacketRecord) -> str:
    written = f"- id={record.record_id} seq={record.seq} kind={record.kind} author={record.author}"
    if record.subject:
        written += f" subject={record.subject}"
    if record.day:
        written += f" date={record.day}"
    return f"{written} source={record.source}\n{quoted(record.content)}"


def summary_entry(summary: StandingSummary) -> str:
    written = f"- id={summary.summary_id} seq={summary.through_seq} covers={summary.from_seq}..{summary.through_seq}"
    return f"{written} author={summary.writer} source=generated-summary\n{quoted(summary.content)}"


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
