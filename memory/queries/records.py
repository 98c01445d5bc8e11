"""Memory and identity as lists: by filters, newest first; by words, best first."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from groupx.kernel.errors import ErrorCode, GroupXError
from memory.answers import IdentityPage, MemoryPage, MemoryVersion
from memory.full_text import IDENTITY, MEMORY, SearchedText, best_with
from memory.models import IdentityRecord, MemoryRecord
from memory.requests import IdentityQuery, MemoryQuery, RecordsQuery
from memory.shown import shown_identity, shown_memory
from memory.vocabulary import MAX_RECORD_CHARACTERS, MemoryScope
from memory.words import holds, words_of
from rooms.transactions import snapshot

PAGE_CHARS = 1_000_000
"""A page of contents this long ends early: a record may have 131,072 characters."""
LOADED_AT_ONCE = 50

type Records = Iterator[tuple[Any, int]]
"""With the cursor after each: how many were ranked so far, or where there are no words, its row."""


@dataclass(frozen=True, kw_only=True)
class PageSize:
    """A page ends early when its contents are so long, each counted up to `text_chars`."""

    chars: int = PAGE_CHARS
    text_chars: int = MAX_RECORD_CHARACTERS


_OF_REST = PageSize()


def search_memory(asked: MemoryQuery, size: PageSize = _OF_REST, *, reader_id: str | None = None) -> MemoryPage:
    """`reader_id`: an agent; what is another agent's own is not in it."""
    rows = MemoryRecord.objects.all()
    if reader_id is not None:
        rows = rows.exclude(~Q(scope_id=reader_id), scope_type=MemoryScope.AGENT.value)
    filters = {
        "scope_type": asked.scope_type,
        "scope_id": asked.scope_id,
        "agent_memory_type": asked.agent_memory_type,
        "kind__in": asked.kind,
    }
    records, cursor = _page(_rows(rows, asked, filters), MEMORY, asked, size)
    page: MemoryPage = {"items": [shown_memory(record) for record in records]}
    if cursor:
        page["nextCursor"] = cursor
    return page


def memory_record(record_id: str) -> MemoryVersion:
    """Whatever became of it.

    Raises:
        GroupXError: NOT_FOUND.
    """
    record = MemoryRecord.objects.select_related("supersedes").filter(record_id=record_id).first()
    if record is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no record “{record_id}”.")
    shown: MemoryVersion = {**shown_memory(record)}
    if newer := record.superseded_by.first():
        shown["supersededBy"] = newer.record_id
    return shown


def search_identity(asked: IdentityQuery, size: PageSize = _OF_REST) -> IdentityPage:
    records, cursor = _page(_rows(IdentityRecord.objects.all(), asked, {"kind": asked.kind}), IDENTITY, asked, size)
    page: IdentityPage = {"items": [shown_identity(record) for record in records]}
    if cursor:
        page["nextCursor"] = cursor
    return page


def _rows(rows: QuerySet[Any], asked: RecordsQuery, filters: dict[str, Any]) -> QuerySet[Any]:
    wanted = {
        "room_id": asked.room_id,
        "author_id": asked.author_actor_id,
        "subject_id": asked.subject_actor_id,
        "status": None if asked.status == "any" else asked.status,
        **filters,
    }
    return rows.filter(**{name: value for name, value in wanted.items() if value is not None})


def _page(rows: QuerySet[Any], text: SearchedText, asked: RecordsQuery, size: PageSize) -> tuple[list[Any], int | None]:
    """The records of one page, and the cursor of the next one while there are more."""
    words = words_of(asked.q or "")
    with snapshot():
        found = _best_first(rows, text, words, asked.cursor) if words else _newest_first(rows, asked.cursor)
        return _cut(found, asked.limit, size)


def _cut(found: Records, limit: int, size: PageSize) -> tuple[list[Any], int | None]:
    records: list[Any] = []
    chars_left, after = size.chars, None
    for record, here in found:
        chars_left -= min(len(record.content), size.text_chars)
        if records and (len(records) == limit or chars_left < 0):
            return records, after
        records.append(record)
        after = here
    return records, None


def _newest_first(rows: QuerySet[Any], below: int | None) -> Records:
    if below is not None:
        rows = rows.filter(pk__lt=below)
    for record in rows.select_related("supersedes").order_by("-pk").iterator(chunk_size=LOADED_AT_ONCE):
        yield record, record.pk


def _best_first(rows: QuerySet[Any], text: SearchedText, words: list[str], after: int | None) -> Records:
    best = best_with(text, words)
    wanted = set(rows.filter(pk__in=best).values_list("pk", flat=True))
    ids = [pk for pk in best if pk in wanted]
    for ranked, record in enumerate(_loaded(rows, ids, after or 0), start=(after or 0) + 1):
        if holds(record.content, words):
            yield record, ranked


def _loaded(rows: QuerySet[Any], ids: list[int], start: int) -> Iterator[Any]:
    for first in range(start, len(ids), LOADED_AT_ONCE):
        some = ids[first : first + LOADED_AT_ONCE]
        known = rows.select_related("supersedes").in_bulk(some)
        yield from (known[pk] for pk in some)
