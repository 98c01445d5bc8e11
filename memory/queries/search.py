"""Words in all that was said and kept, newest first: messages of the transcript, memory and identity that count."""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from django.db.models import QuerySet

from groupx.kernel.clock import iso
from memory.answers import Hit, SearchPage
from memory.full_text import IDENTITY, MEMORY, TRANSCRIPT, SearchedText, newest_with
from memory.requests import SearchKind, SearchQuery
from memory.vocabulary import RecordStatus
from memory.words import excerpt, holds, words_of
from rooms.requests import MAX_SEQ
from rooms.transactions import snapshot

LOOKED_AT_ONCE = 64


def search_room(asked: SearchQuery) -> SearchPage:
    words = words_of(asked.q)
    with snapshot():
        found = [_hits(kind, words, asked.cursor) for kind in asked.kinds]
        hits = list(islice(heapq.merge(*found, key=lambda hit: -hit["seq"]), asked.limit + 1))
    page: SearchPage = {"items": hits[: asked.limit]}
    if len(hits) > asked.limit:
        page["nextCursor"] = page["items"][-1]["seq"]
    return page


def _hits(kind: SearchKind, words: list[str], below_seq: int | None) -> Iterator[Hit]:
    """Those with a lower seq, newest first. Rows are numbered in the order of their seqs."""
    source = _SOURCES[kind]
    before = MAX_SEQ
    if below_seq is not None:
        newest = source.text.rows().filter(seq__lt=below_seq).order_by("-seq").values_list("pk", flat=True).first()
        before = (newest or 0) + 1
    while True:
        ids = newest_with(source.text, words, before=before, limit=LOOKED_AT_ONCE)
        rows = source.counting().in_bulk(ids)
        for row in (rows[pk] for pk in ids if pk in rows):
            if holds(row.searched, words):
                yield source.show(row, words)
        if len(ids) < LOOKED_AT_ONCE:
            return
        before = ids[-1]


def _message(event: Any, words: list[str]) -> Hit:
    return {
        "kind": "message",
        "seq": event.seq,
        "authorActorId": event.actor_id,
        "occurredAt": iso(event.occurred_at),
        "excerpt": excerpt(event.searched, words),
        "eventId": event.event_id,
        "correlationId": event.correlation_id,
    }


def _record(kind: Literal["memory", "identity"]) -> Callable[[Any, list[str]], Hit]:
    def show(record: Any, words: list[str]) -> Hit:
        hit: Hit = {
            "kind": kind,
            "seq": record.seq,
            "authorActorId": record.author_id,
            "occurredAt": iso(record.created_at),
            "excerpt": excerpt(record.searched, words),
        }
        hit["memoryId" if kind == "memory" else "identityId"] = record.record_id
        return hit

    return show


@dataclass(frozen=True, kw_only=True)
class _Source:
    text: SearchedText
    counting: Callable[[], QuerySet[Any]]
    """Those that may be shown."""
    show: Callable[[Any, list[str]], Hit]


_SOURCES: dict[SearchKind, _Source] = {
    "message": _Source(text=TRANSCRIPT, counting=lambda: TRANSCRIPT.rows().defer("body", "cut_body"), show=_message),
    "memory": _Source(
        text=MEMORY,
        counting=lambda: MEMORY.rows().filter(status=RecordStatus.ACTIVE.value),
        show=_record("memory"),
    ),
    "identity": _Source(
        text=IDENTITY,
        counting=lambda: IDENTITY.rows().filter(status=RecordStatus.ACTIVE.value),
        show=_record("identity"),
    ),
}
