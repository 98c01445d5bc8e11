"""What a search looks for, and how a text is held against it. Pure.

Every word of a query must be somewhere in the text, as a part of a word too; case does not matter. There are no
operators: whatever is typed is looked for.
"""

import re
from collections.abc import Iterable

TRIGRAM = 3
MOST_TRIGRAMS = 40
"""Of one query: they only narrow what is then looked at."""
EXCERPT_CHARS = 240
LEAD_CHARS = 60
"""Before the first word that was found."""
MOST_WORDS_OF_A_MESSAGE = 24
_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[^\W_{_CJK}][\w-]{{2,}}|[{_CJK}]{{2,}}")


def words_of(query: str) -> list[str]:
    """What must be found; empty for a query without any."""
    return list(dict.fromkeys(query.split()))


def holds(text: str, words: Iterable[str]) -> bool:
    folded = text.casefold()
    return all(word.casefold() in folded for word in words)


def match_expression(words: Iterable[str], alternatives: Iterable[Iterable[str]] = ()) -> str:
    """What FTS5 with trigrams is asked for: texts that hold all of these words, and perhaps a few others. Empty where
    no word is long enough to be asked for, and there are no alternatives.

    `alternatives`: of each word that is too short, all trigrams by which a text may hold it.
    """
    trigrams = dict.fromkeys(trigram for word in words for trigram in _trigrams(word))
    any_of_each = [f"({any_expression(some)})" for some in alternatives]
    return " AND ".join([*map(_quoted, list(trigrams)[:MOST_TRIGRAMS]), *any_of_each])


def folded(word: str) -> str:
    """As FTS5 keeps it: each letter for itself."""
    return "".join(next((low for low in (c.casefold(), c.lower()) if len(low) == 1), c) for c in word)


def pieces_of(text: str) -> list[str]:
    """What other texts may have in common with this one: its longer words, or where words are not set apart, its
    pieces of three characters."""
    pieces: dict[str, None] = {}
    for word in _WORD.findall(text):
        whole = [word] if word.isascii() or not re.match(f"[{_CJK}]", word) else _trigrams(word)
        pieces |= dict.fromkeys(piece.casefold() for piece in whole if len(piece) >= TRIGRAM)
    return sorted(pieces, key=len, reverse=True)[:MOST_WORDS_OF_A_MESSAGE]


def any_expression(pieces: Iterable[str]) -> str:
    """What FTS5 is asked for to find texts that hold one of these."""
    return " OR ".join(_quoted(piece) for piece in pieces)


def spellings(word: str) -> list[str]:
    """How a short word may be written, for a database that knows capital letters of English alone."""
    return list(dict.fromkeys((word, word.lower(), word.upper(), word.capitalize())))


def excerpt(text: str, words: Iterable[str]) -> str:
    """The part of the text around the first word of the query, on one line; `…` where it was cut."""
    folded = text.casefold()
    places = [place for word in words if (place := folded.find(word.casefold())) >= 0]
    start = max(0, min(places, default=0) - LEAD_CHARS) if len(text) > EXCERPT_CHARS else 0
    shown = " ".join(text[start : start + EXCERPT_CHARS].split())
    return ("…" if start else "") + shown + ("…" if start + EXCERPT_CHARS < len(text) else "")


def _trigrams(word: str) -> list[str]:
    return [word[place : place + TRIGRAM] for place in range(len(word) - TRIGRAM + 1)]


def _quoted(piece: str) -> str:
    """As FTS5 takes a string in which nothing has a meaning."""
    return '"' + piece.replace('"', '""') + '"'
