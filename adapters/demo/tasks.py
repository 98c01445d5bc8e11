"""What a question to the demo's assistant wants done in the room. Pure."""

import re
from dataclasses import dataclass

from adapters.demo.wishes import SOME, as_message, observers_in, personas_in, wish_of

_GIVE = re.compile(rf"\b(?:have|let|get|give)\s+{SOME}\b|[让请派]\s*{SOME}", re.I)
_STOP = re.compile(r"\b(?:stop|cancel)\b|停止|停下|取消", re.I)
_SAID = re.compile(
    r"\bdecided\b|\bso far\b|\bwhat (?:was|were|has been|did)\b|\bsaid\b|说了什么|决定|进展|到目前", re.I
)


@dataclass(frozen=True, kw_only=True)
class Task:
    verb: str
    """give, ask, say, stop, read or roster."""
    to: tuple[str, ...] = ()
    """Personas."""
    content: str = ""
    observers: tuple[str, ...] = ()


def task_of(text: str) -> Task:
    text, observers = observers_in(text)
    given, wish = _GIVE.search(text), wish_of(text)
    if given is not None and (wish is None or given.start() < len(wish.own_words)):
        content = as_message(text[given.end() :])
        return Task(verb="give", to=personas_in(given[0]), content=content, observers=observers)
    if wish is not None and wish.verb == "publish":
        return Task(verb="say", content=wish.content)
    if wish is not None:
        verb = "ask" if wish.verb == "ask" else "give"
        return Task(verb=verb, to=wish.to, content=wish.content, observers=observers)
    if _STOP.search(text):
        return Task(verb="stop", to=personas_in(text))
    return Task(verb="read" if _SAID.search(text) else "roster")
