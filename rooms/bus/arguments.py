"""How commands are written: global options before or after the command, errors as one line."""

import argparse
import sys
from collections.abc import Sequence
from math import isfinite
from typing import Never

from rooms.bus.errors import UsageError
from rooms.bus.folder import EVERYBODY, member_name

GLOBAL_WITH_VALUE = ("--room", "--home", "--as", "--from")


class Parser(argparse.ArgumentParser):
    """
    Raises:
        UsageError: instead of ending the process.
    """

    def __init__(self, command: str, description: str) -> None:
        super().__init__(prog=f"aig {command}", description=description, allow_abbrev=False)
        options = self.add_argument_group("everywhere")
        options.add_argument("--room", help="else $AIGROUP_ROOM, what `aig use` named, main")
        options.add_argument("--home", metavar="DIR", help="else $AIGROUP_HOME, ~/.ai-groups")
        options.add_argument("--as", "--from", dest="me", metavar="MEMBER", help="who I am; else $AIGROUP_MEMBER, human")
        options.add_argument("--json", action="store_true", help="one JSON object, or one a line")

    def error(self, message: str) -> Never:
        raise UsageError(f"{' '.join(message.split())}. `{self.prog} --help` shows how.")


def split(argv: Sequence[str]) -> tuple[str | None, list[str]]:
    """The command, and everything around it."""
    at = 0
    while at < len(argv):
        word = argv[at]
        if not word.startswith("-"):
            return word, [*argv[:at], *argv[at + 1 :]]
        at += 2 if word in GLOBAL_WITH_VALUE else 1
    return None, list(argv)


# ---------------------------------------------------------------- types of arguments
def receivers(text: str) -> list[str]:
    """Names with commas between them; `*` and `all` are everybody."""
    names = [name.strip() for name in text.split(",")]
    return [name if name in EVERYBODY else member_name(name) for name in names]


def seconds(text: str) -> float:
    value = float(text)
    if not isfinite(value) or value < 0:
        raise ValueError
    return value


def count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def words(given: Sequence[str]) -> str:
    """A text of an argument or several; for `-` what comes on standard input, without its last line end.

    Raises:
        UsageError: the text of standard input is not there.
    """
    if list(given) != ["-"]:
        return " ".join(given)
    if sys.stdin is None:
        raise UsageError("There is no standard input to read the text from.")
    return sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
