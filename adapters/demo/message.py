"""What a demo agent reads in its prompt. Pure."""

import re


def current_message(text: str) -> str:
    """The message itself, without the context that a room sends along."""
    _, found, rest = text.rpartition("[current_message]\n")
    return rest.partition("\n")[2] if found else text


def is_watch(text: str) -> bool:
    """Whether the turn is an observer's. A packet quotes what others said: no line of theirs looks like this."""
    return re.search(r"^\[supervision_watch\]$", text.rpartition("[current_message]\n")[0], re.M) is not None


def topic_of(text: str) -> str:
    """A few words of the message, safe inside a Markdown line."""
    words = re.sub(r"[*_`|<>\[\]#@\s]+", " ", text).strip()
    words = re.sub(r"^about ", "", words, flags=re.I)
    return (words[:40].rstrip() + "…" if len(words) > 40 else words) or "this"
