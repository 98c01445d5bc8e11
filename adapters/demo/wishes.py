"""Which of the room's tools the words of a message want a demo agent to use. Pure.

The first command counts; what follows it is for whom it names, so that "ask Reviewer to tell Scribe …" is a chain.
"""

import re
from dataclasses import dataclass

PERSONAS = ("builder", "reviewer", "scribe")
_ONE = f"(?:the\\s+)?@?(?:{'|'.join(PERSONAS)})"
SOME = rf"{_ONE}(?:\s*(?:,|，|、|&|and\b|和|与)\s*{_ONE})*"
_COMMANDS = {
    "argue": rf"\bargue\s+with\s+{SOME}\b|[和与跟]\s*{SOME}\s*(?:争论|辩论)",
    "ask": rf"\bask\s+{SOME}\b|(?:询问|问一下|问问|问)\s*{SOME}",
    "tell": rf"\btell\s+{SOME}\b|告诉\s*{SOME}",
    "publish": r"\b(?:publish|announce)\b|发布|公布|宣布",
}
_COMMAND = re.compile("|".join(f"(?P<{verb}>{words})" for verb, words in _COMMANDS.items()), re.I)
_WATCHED = re.compile(rf",?\s*\bwatched\s+by\s+{SOME}\b|，?\s*由\s*{SOME}\s*观察", re.I)
_EDGES = " \t\n,.;:，。；：、"


@dataclass(frozen=True, kw_only=True)
class Wish:
    verb: str
    """ask, tell, publish or argue."""
    to: tuple[str, ...] = ()
    """Personas; empty for publish."""
    content: str = ""
    """What they are told; may be empty."""
    observers: tuple[str, ...] = ()
    own_words: str = ""
    """What stands before the command: that part is for the agent itself."""


def wish_of(text: str) -> Wish | None:
    """None when the message wants none of the room's tools."""
    text, observers = observers_in(text)
    command = _COMMAND.search(text)
    if command is None or command.lastgroup is None:
        return None
    return Wish(
        verb=command.lastgroup,
        to=personas_in(command[0]) if command.lastgroup != "publish" else (),
        content=as_message(text[command.end() :]),
        observers=observers,
        own_words=text[: command.start()],
    )


def observers_in(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without the words that name observers, and these."""
    watched = _WATCHED.search(text)
    if watched is None:
        return text, ()
    return text[: watched.start()] + text[watched.end() :], personas_in(watched[0])


def personas_in(text: str) -> tuple[str, ...]:
    found = re.findall("|".join(PERSONAS), text.lower())
    return tuple(dict.fromkeys(found))


def as_message(rest: str) -> str:
    """ "to have a look." becomes "Have a look."."""
    words = re.sub(r"^(?:to|that)\s+", "", rest.lstrip(_EDGES), flags=re.I).rstrip()
    return words[:1].upper() + words[1:] if words.strip(_EDGES) else ""
