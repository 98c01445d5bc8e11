"""Text that every store can keep, and text cut to a bound."""

REPLACEMENT = "�"


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
