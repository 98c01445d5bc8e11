"""The one seam to the databases' full text search. What it finds may hold the words; `words.holds` says if it does.

SQLite has FTS5 with trigrams, PostgreSQL indexes of pg_trgm (migration 0003). Words under three characters have no
trigram: in the transcript they are looked for by the trigrams that begin with them, if these are few (a word with many
is in so many messages that the newest are found at once). Otherwise texts are read through, as is what the transcript's
index does not have yet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, or_
from typing import Any

from django.db import connection
from django.db.models import F, FloatField, Func, Q, QuerySet, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from rooms.models import Event
from rooms.vocabulary import CONTEXT_TYPES

from .models import IdentityRecord, MemoryRecord
from .words import TRIGRAM, any_expression, folded, match_expression, pieces_of, spellings

MOST_RANKED = 10_000
"""Of what is found by words, the newest; the best of these come first."""
MOST_BEGUN = 256
"""Trigrams that begin with a short word."""
END = "\n\n"
"""After each text of an index that knows short words: so its last characters begin trigrams too."""
LAST = "\U0010ffff"
"""No letter comes after it."""


@dataclass(frozen=True, kw_only=True)
class SearchedText:
    """One kind of text that is searched."""

    table: str
    """Of the index."""
    rows: Callable[[], QuerySet[Any]]
    """All that has such a text, with the text as `searched`."""
    is_filled_later: bool = False
    """The newest rows may be missing in the index."""
    trigrams: str | None = None
    """A table of those that the index has."""


def _messages() -> QuerySet[Event]:
    content = Coalesce(KT("cut_body__content"), KT("body__content"))
    return Event.objects.filter(type__in=CONTEXT_TYPES).annotate(searched=content)


MEMORY = SearchedText(table="memory_record_text", rows=lambda: MemoryRecord.objects.annotate(searched=F("content")))
IDENTITY = SearchedText(
    table="memory_identity_text", rows=lambda: IdentityRecord.objects.annotate(searched=F("content"))
)
TRANSCRIPT = SearchedText(
    table="memory_transcript_text", rows=_messages, is_filled_later=True, trigrams="memory_transcript_trigrams"
)


def newest_with(text: SearchedText, words: Sequence[str], *, before: int, limit: int) -> list[int]:
    """Primary keys below `before`, newest first, of rows whose text may hold all words. Fewer than `limit` are all."""
    match = _match(text, words)
    if not match:
        return _read_through(text, words, text.rows().filter(pk__lt=before), limit)
    through = last_indexed(text) if text.is_filled_later else None
    found = []
    if through is not None:
        found = _read_through(text, words, text.rows().filter(pk__lt=before, pk__gt=through), limit)
    if len(found) < limit:
        sql = f"SELECT rowid FROM {text.table} WHERE {text.table} MATCH %s AND rowid < %s ORDER BY rowid DESC LIMIT %s"
        found += _ids(sql, match, min(before, through + 1 if through is not None else before), limit - len(found))
    return found


def best_with(text: SearchedText, words: Sequence[str]) -> list[int]:
    """Primary keys of rows whose text may hold all words, best first, where that can be told; else newest first.

    Only for text whose index is never behind.
    """
    if match := _match(text, words):
        return _ranked(text, match, MOST_RANKED)
    rows = text.rows()
    if connection.vendor == "postgresql":
        rows = rows.annotate(fit=reduce(add, map(_fit, words))).order_by("-fit", "-pk")
        return list(_holding(rows, words).values_list("pk", flat=True)[:MOST_RANKED])
    return _read_through(text, words, rows, MOST_RANKED)


def related_to(text: SearchedText, message: str, limit: int) -> list[int]:
    """Primary keys of rows whose text has something in common with a message, best first.

    Only for text whose index is never behind.
    """
    pieces = pieces_of(message)
    if not pieces:
        return []
    if connection.vendor == "sqlite":
        return _ranked(text, any_expression(pieces), limit)
    rows = text.rows().filter(reduce(or_, (Q(searched__icontains=piece) for piece in pieces)))
    rows = rows.annotate(fit=reduce(add, map(_fit, pieces))).order_by("-fit", "-pk")
    return list(rows.values_list("pk", flat=True)[:limit])


def _ranked(text: SearchedText, match: str, limit: int) -> list[int]:
    """What an FTS5 expression finds, best first."""
    newest = f"SELECT rowid, rank AS fit FROM {text.table} WHERE {text.table} MATCH %s ORDER BY rowid DESC LIMIT %s"
    return _ids(f"SELECT rowid FROM ({newest}) ORDER BY fit, rowid DESC LIMIT %s", match, MOST_RANKED, limit)


def last_indexed(text: SearchedText) -> int:
    """The newest row that the index has; 0 for none. SQLite alone."""
    return _ids(f"SELECT coalesce(max(id), 0) FROM {text.table}_docsize")[0]


def add_to_index(text: SearchedText, rows: Sequence[tuple[int, str]]) -> None:
    """Rows after the last one that it has, in their order. Joins the caller's transaction. SQLite alone."""
    with connection.cursor() as cursor:
        ended = [(pk, content + END) for pk, content in rows]
        cursor.executemany(f"INSERT INTO {text.table}(rowid, content) VALUES (%s, %s)", ended)


def merge_index(text: SearchedText, pages: int) -> None:
    """One step of tidying up what many small additions have left. Joins the caller's transaction. SQLite alone."""
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {text.table}({text.table}, rank) VALUES ('merge', %s)", [pages])


def _match(text: SearchedText, words: Sequence[str]) -> str:
    """An FTS5 expression that is met by all texts with these words; empty where there is none."""
    if connection.vendor != "sqlite":
        return ""
    short = [word for word in words if len(word) < TRIGRAM] if text.trigrams else []
    begun = (_begun_by(text, word) for word in short)
    return match_expression(words, [trigrams for trigrams in begun if len(trigrams) <= MOST_BEGUN])


def _begun_by(text: SearchedText, word: str) -> list[str]:
    """The trigrams by one of which a text has this short word; more than `MOST_BEGUN` are not all. If there are none,
    one that is nowhere."""
    found: list[str] = []
    sql = f"SELECT term FROM {text.trigrams} WHERE term >= %s AND term < %s LIMIT %s"
    for spelt in {folded(word), *spellings(word)}:
        with connection.cursor() as cursor:
            cursor.execute(sql, [spelt, spelt + LAST * TRIGRAM, MOST_BEGUN + 1])
            found += [row[0] for row in cursor.fetchall()]
    return found or [word.ljust(TRIGRAM, LAST)]


def _fit(word: str) -> Func:
    return Func(Value(word), F("searched"), function="word_similarity", output_field=FloatField())


def _read_through(text: SearchedText, words: Sequence[str], rows: QuerySet[Any], limit: int) -> list[int]:
    return list(_holding(rows, words).order_by("-pk").values_list("pk", flat=True)[:limit])


def _holding(rows: QuerySet[Any], words: Sequence[str]) -> QuerySet[Any]:
    for word in words:
        rows = rows.filter(reduce(or_, (Q(searched__icontains=spelling) for spelling in spellings(word))))
    return rows


def _ids(sql: str, *params: Any) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return [row[0] for row in cursor.fetchall()]
