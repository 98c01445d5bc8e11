"""Our sentences in the language of who reads them.

They arise, are stored in the log and are sent to programs in English. Who shows one to a person translates it then:
the page in static/js/sentences.js, the server for agents' cards, a command for its terminal. So people of different
languages read the same log, and no writer has to know its readers.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

LOCALE_FOLDER = Path(__file__).resolve().parents[1] / "locale"
_PLACE = re.compile(r"\{(\w+)\}")
_MARKS = ("; ", ": ")


class Sentences:
    """Translates by templates: `{name}` stands for any text, which is translated itself."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known
        templates = sorted((text for text in known if _PLACE.search(text)), key=lambda text: (-_said(text), text))
        self._templates = [(_pattern(text), known[text]) for text in templates]

    def __call__(self, text: str) -> str:
        """Unknown text, the words of an agent say, stays as it is.

        What is no sentence as a whole is taken in parts: a list of faults, a place and what is wrong with it.
        """
        shown = ""
        while (whole := self._whole(text)) is None and (mark := next((mark for mark in _MARKS if mark in text), None)):
            part, _, text = text.partition(mark)
            shown += self(part) + mark
        return shown + (self._but_for_a_stop(text) if whole is None else whole)

    def _whole(self, text: str) -> str | None:
        if text in self._known:
            return self._known[text]
        for pattern, translation in self._templates:
            if match := pattern.fullmatch(text):
                values = {name: self(value) for name, value in match.groupdict().items()}
                return _PLACE.sub(lambda place, values=values: values[place[1]], translation)  # type: ignore[misc]
        return None

    def _but_for_a_stop(self, text: str) -> str:
        if text.endswith("."):
            return self._whole(text[:-1]) or text
        whole = self._whole(f"{text}.")
        return text if whole is None else whole.removesuffix("。").removesuffix(".")


@cache
def sentences(language: str) -> Sentences:
    """For a language code ("zh-hans"); one without a catalogue says everything in English."""
    return Sentences(known_sentences(language))


@cache
def known_sentences(language: str) -> Mapping[str, str]:
    """English templates with their translations."""
    path = LOCALE_FOLDER / folder_of(language) / "sentences.json"
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return known


def folder_of(language: str) -> str:
    """ "zh-hans" is zh_Hans in the file system."""
    name, _, script = language.partition("-")
    return f"{name}_{script.capitalize()}" if script else name


def _said(template: str) -> int:
    """How much of it is words: the template that says most is tried first."""
    return len(_PLACE.sub("", template))


def _pattern(template: str) -> re.Pattern[str]:
    pieces = _PLACE.split(template)  # text, name, text, name, text
    return re.compile(
        "".join(f"(?P<{piece}>.*?)" if index % 2 else re.escape(piece) for index, piece in enumerate(pieces)),
        re.DOTALL,
    )
