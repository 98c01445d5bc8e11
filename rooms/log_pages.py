"""Pages of the log as streams send them: read in a database thread, cut to a size, serialised once."""

from dataclasses import dataclass

from . import queries
from .envelope import Envelope, dump
from .requests import MAX_SEQ
from .sse import frame
from .vocabulary import MAIN_ROOM, EventType

PAGE_EVENTS = 200
SMALL_BATCH = 8
LARGE_BATCH = 96
"""Rows fetched at once; few until they have shown to be small, since one may have megabytes."""
CHUNK_BYTES = 128 * 1024
"""Frames that wait are sent together up to this size, and pages of the log read; a larger one goes alone."""

_TERMINAL_TYPES = frozenset(
    {
        EventType.TURN_COMPLETED.value,
        EventType.TURN_FAILED.value,
        EventType.TURN_CANCELLED.value,
        EventType.TURN_INTERRUPTED.value,
    }
)


@dataclass(frozen=True, slots=True)
class LogEntry:
    seq: int
    frame: bytes
    ends_turn: str | None
    """The turn whose terminal event this is."""
    of_turn: str | None
    """The turn that it tells something of."""


@dataclass(frozen=True, kw_only=True)
class Page:
    entries: list[LogEntry]
    is_last: bool
    """The log ended here when this was read."""


def where_the_log_ends() -> tuple[int, str]:
    return queries.last_seq(MAIN_ROOM), queries.epoch()


def log_page(after_seq: int, through_seq: int = MAX_SEQ) -> Page:
    """Events after `after_seq`, oldest first: at most PAGE_EVENTS, and few when they are large."""
    entries: list[LogEntry] = []
    size, batch = 0, SMALL_BATCH
    while len(entries) < PAGE_EVENTS and size < CHUNK_BYTES:
        envelopes = queries.events_after(after_seq, batch)
        for envelope in envelopes:
            seq = envelope.seq or 0
            if seq > through_seq:
                return Page(entries=entries, is_last=True)
            told = frame(dump(envelope.wire()), seq)
            ends_turn = envelope.body.get("turnId") if envelope.type in _TERMINAL_TYPES else None
            entries.append(LogEntry(seq, told, ends_turn, _turn_of(envelope)))
            size += len(told)
            after_seq = seq
        if len(envelopes) < batch:
            return Page(entries=entries, is_last=True)
        batch = LARGE_BATCH if size < CHUNK_BYTES // 4 else SMALL_BATCH
    return Page(entries=entries, is_last=False)


def _turn_of(envelope: Envelope) -> str | None:
    """What an agent says in its turn is caused by it."""
    found = envelope.body.get("subjectTurnId") or envelope.body.get("turnId")
    if found is None and envelope.causation_id and envelope.causation_id.startswith("turn_"):
        return envelope.causation_id
    return found
