"""Reads of the log for an export: what it covers is fixed when it begins, then page after page.

Every page is a read of its own: nothing is held between two of them, no writer waits, and a page is about as large as
one chunk, or as its one event. The log is append-only, so all pages together are one moment of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.envelope import Envelope
from rooms.export.formats import (
    MARKDOWN_TYPES,
    ExportFormat,
    ExportRequest,
    jsonl_line,
    markdown_end,
    markdown_entry,
    markdown_head,
)
from rooms.models import Actor, Room
from rooms.queries import events_between

CHUNK_BYTES = 128 * 1024
PAGE_EVENTS = 500
"""Read at most for one piece: others wait for the reader's thread meanwhile."""


@dataclass(frozen=True, kw_only=True)
class Export:
    """What one export covers."""

    format: ExportFormat
    room_id: str
    after_seq: int
    through_seq: int
    head: bytes
    end: bytes
    names: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Piece:
    data: bytes
    through_seq: int
    """Where the next piece goes on."""
    is_last: bool


def begin_export(request: ExportRequest, *, clock: Clock) -> Export:
    """Fix what is exported: events after `after_seq` up to the present end of the log.

    Raises:
        GroupXError: NOT_FOUND if there is no such room.
    """
    room = Room.objects.filter(room_id=request.room_id).values_list("title", "last_seq").first()
    if room is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no room “{request.room_id}”.")
    title, last_seq = room
    is_markdown = request.format is ExportFormat.MARKDOWN
    return Export(
        format=request.format,
        room_id=request.room_id,
        after_seq=request.after_seq,
        through_seq=last_seq,
        head=markdown_head(title, request.after_seq, last_seq, clock.now()).encode() if is_markdown else b"",
        end=markdown_end(last_seq).encode() if is_markdown else b"",
        names=dict(Actor.objects.values_list("actor_id", "display_name")) if is_markdown else {},
    )


def next_piece(export: Export, after_seq: int) -> Piece:
    """The events after `after_seq` as text, up to about CHUNK_BYTES; one event is never divided."""
    lines: list[bytes] = []
    size = 0
    for count, envelope in enumerate(events_between(after_seq, export.through_seq, export.room_id), start=1):
        line = _shown(envelope, export).encode("utf-8", "replace")
        lines.append(line)
        size += len(line)
        if size >= CHUNK_BYTES or count == PAGE_EVENTS:
            seq = envelope.seq or export.through_seq
            return Piece(data=b"".join(lines), through_seq=seq, is_last=seq >= export.through_seq)
    return Piece(data=b"".join(lines), through_seq=export.through_seq, is_last=True)


def all_pieces(export: Export) -> Iterator[bytes]:
    """The whole export, for a caller that may block."""
    yield export.head
    seq, is_last = export.after_seq, False
    while not is_last:
        piece = next_piece(export, seq)
        seq, is_last = piece.through_seq, piece.is_last
        yield piece.data
    yield export.end


def _shown(envelope: Envelope, export: Export) -> str:
    if export.format is ExportFormat.JSONL:
        return jsonl_line(envelope)
    return markdown_entry(envelope, export.names) if envelope.type in MARKDOWN_TYPES else ""
