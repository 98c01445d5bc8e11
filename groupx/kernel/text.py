"""Text that says something, text that every store can keep, and text cut to a bound."""

import re

REPLACEMENT = "�"
WHITE_SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
SHOWN_AS_NOTHING = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
)
"""Unicode's Default_Ignorable_Code_Point below U+10000: zero-width spaces and joiners, direction marks, fillers."""
SOMETHING = f"[^{WHITE_SPACE}{SHOWN_AS_NOTHING}]"
"""A character that can be seen, spelled out: what `\\S` means differs between languages."""
_SOMETHING = re.compile(SOMETHING)


def is_blank(text: str) -> bool:
    """Whether a reader sees nothing of it: no character, or only white space and characters without a width."""
    return _SOMETHING.search(text) is None


def is_storable(text: str) -> bool:
    """False for NUL and lone surrogates: PostgreSQL keeps neither, and UTF-8 has no lone surrogates."""
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def storable(text: str) -> str:
    """An agent's text with what no store keeps replaced by U+FFFD; nothing else changes."""
    if "\0" in text:
        text = text.replace("\0", REPLACEMENT)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = "".join(REPLACEMENT if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def clip(text: str, max_chars: int) -> str:
    """At most `max_chars` code points; a cut text ends in an ellipsis."""
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"
