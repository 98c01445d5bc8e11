"""Which of the room's tools the words of a message want a demo agent to use. Pure.

The first command counts; what follows it is for whom it names, so that "ask Reviewer to tell Scribe …" is a chain.
"""

import re
from dataclasses import dataclass

PERSONAS = ("builder", "reviewer", "scribe")
_ONE = f"@?(?:{'|'.join(PERSONAS)})"
_SOME = rf"{_ONE}(?:\s*(?:,|，|、|&|and\b|和|与)\s*{_ONE})*"
_COMMANDS = {
    "argue": rf"\bargue\s+with\s+{_SOME}\b|[和与跟]\s*{_SOME}\s*(?:争论|辩论)",
    "ask": rf"\bask\s+{_SOME}\b|(?:询问|问一下|问问|问)\s*{_SOME}",
    "tell": rf"\btell\s+{_SOME}\b|告诉\s*{_SOME}",
    "publish": r"\b(?:publish|announce)\b|发布|公布|宣布",
}
_COMMAND = re.compile("|".join(f"(?P<{verb}>{words})" for verb, words in _COMMANDS.items()), re.I)
_WATCHED = re.compile(rf",?\s*\bwatched\s+by\s+{_SOME}\b|，?\s*由\s*{_SOME}\s*观察", re.I)
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
    watched = _WATCHED.search(text)
    if watched:
        text = text[: watched.start()] + text[watched.end() :]
    command = _COMMAND.search(text)
    if command is None or command.lastgroup is None:
        return None
    return Wish(
        verb=command.lastgroup,
        to=_personas(command[0]) if command.lastgroup != "publish" else (),
        content=_as_message(text[command.end() :]),
        observers=_personas(watched[0]) if watched else (),
        own_words=text[: command.start()],
    )


def _personas(text: str) -> tuple[str, ...]:
    found = re.findall("|".join(PERSONAS), text.lower())
    return tuple(dict.fromkeys(found))


def _as_message(rest: str) -> str:
    """ "to have a look." becomes "Have a look."."""
    words = re.sub(r"^(?:to|that)\s+", "", rest.lstrip(_EDGES), flags=re.I).rstrip()
    return words[:1].upper() + words[1:] if words.strip(_EDGES) else ""
