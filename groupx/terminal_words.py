"""The words of commands in the language of the terminal; they run without Django, with the same catalogues."""

import argparse
import gettext as catalogues
import locale
import re
from contextlib import suppress
from typing import NoReturn

from groupx.kernel.environment import value_of
from groupx.kernel.sentences import LOCALE_FOLDER, folder_of, sentences
from groupx.kernel.text import REPLACEMENT

LANGUAGE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def _language() -> str:
    """Chinese in any spelling is our one Chinese."""
    named = next((named for name in LANGUAGE_VARIABLES if (named := value_of(name))), "")
    return "zh-hans" if locale.normalize(named).startswith("zh") else "en"


LANGUAGE = _language()
gettext = catalogues.translation("django", LOCALE_FOLDER, languages=[folder_of(LANGUAGE)], fallback=True).gettext
"""Of text that is marked."""
in_words = sentences(LANGUAGE)
"""Of a sentence of ours, as an error brings it; other text stays as it is."""


_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but for tab and line feed, and what turns the direction of all that follows."""


def harmless(text: str) -> str:
    """Words of others for a terminal: nothing in them commands it."""
    return _COMMANDS.sub(REPLACEMENT, text)


def say(sentence: str) -> None:
    """To standard output, in the terminal's language, at once. A room does not end because nobody reads it."""
    with suppress(OSError):
        print(in_words(sentence), flush=True)  # noqa: T201 - a command's own words


class TerminalParser(argparse.ArgumentParser):
    """Says in the terminal's language what argparse itself says."""

    def format_usage(self) -> str:
        return super().format_usage().replace("usage: ", in_words("usage: "), 1)

    def format_help(self) -> str:
        return super().format_help().replace("usage: ", in_words("usage: "), 1)

    def error(self, message: str) -> NoReturn:
        super().error(in_words(message))


def translate_help(parser: argparse.ArgumentParser) -> None:
    """What `--help` says, argparse's own words too, once all arguments were added."""
    parser.description = in_words(parser.description or "")
    for group in parser._action_groups:
        group.title = in_words(group.title or "")
    for action in parser._actions:
        if action.help and action.help != argparse.SUPPRESS:
            action.help = in_words(action.help)
