"""How commands are written: options anywhere, the global ones before the command too; errors as one line.

A small part of argparse, under argparse's names: importing and running that takes longer than all the rest of `aig`
(docs/decisions.md).
"""

import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

from rooms.bus.errors import UsageError
from rooms.bus.folder import EVERYBODY, member_name, printable

GLOBAL_WITH_VALUE = ("--room", "--home", "--as", "--from")
MAX_SECONDS = 1e9

type Action = Literal["store", "store_true", "append"]
type Count = Literal["*", "+"] | None
"""How many words a place takes: one, any number, at least one."""


class Argument(NamedTuple):
    names: tuple[str, ...]
    """Of an option; none where the place tells."""
    dest: str
    metavar: str
    help: str
    type: Callable[[str], Any]
    default: Any
    action: Action
    nargs: Count
    choices: Sequence[str]

    @property
    def takes_value(self) -> bool:
        return self.action != "store_true"

    @property
    def shown(self) -> str:
        value = f" {self.metavar}" if self.takes_value else ""
        return f"{', '.join(self.names)}{value}" if self.names else self.metavar


class Parser:
    def __init__(self, command: str, description: str) -> None:
        self._command, self._description = command, description
        self._options: dict[str, Argument] = {}
        self._places: list[Argument] = []

    def add_argument(
        self,
        *names: str,
        dest: str | None = None,
        metavar: str | None = None,
        help: str = "",
        type: Callable[[str], Any] = str,
        default: Any = None,
        action: Action = "store",
        nargs: Count = None,
        choices: Sequence[str] = (),
    ) -> None:
        """An option, or a place. `type` raises ValueError or UsageError for what is none."""
        dest = dest or names[-1].lstrip("-").replace("-", "_")
        default = False if action == "store_true" else default
        metavar = metavar or "|".join(filter(None, choices)) or dest
        options = names if names[0].startswith("-") else ()
        argument = Argument(options, dest, metavar, help, type, default, action, nargs, choices)
        if options:
            self._options |= dict.fromkeys(options, argument)
        else:
            self._places.append(argument)

    def parse(self, words: Sequence[str]) -> SimpleNamespace:
        """
        Raises:
            UsageError: it cannot be meant.
        """
        values = {argument.dest: argument.default for argument in self._options.values()}
        left = list(reversed(words))
        placed: list[str] = []
        while left:
            word = left.pop()
            if word == "--":
                placed += reversed(left)
                break
            option, name = self._option_of(word)
            if option is None:
                placed.append(word)
            elif not option.takes_value:
                values[option.dest] = True
            else:
                given = word[len(name) :].removeprefix("=") if word != name else self._next(left, name, option)
                value = self._value(option, name, given)
                values[option.dest] = [*values[option.dest], value] if option.action == "append" else value
        return SimpleNamespace(**values, **self._in_places(placed))

    def help(self) -> str:
        options = (option for name, option in self._options.items() if name == option.names[0])
        arguments = [*self._places, *options]
        width = max(len(argument.shown) for argument in arguments)
        table = "".join(f"  {argument.shown:{width}}  {argument.help}".rstrip() + "\n" for argument in arguments)
        places = "".join(f" {place.metavar}{'…' if place.nargs else ''}" for place in self._places)
        return f"Usage: aig {self._command} [options]{places}\n\n{self._description}\n\n{table}"

    def _option_of(self, word: str) -> tuple[Argument | None, str]:
        """With its name. A text that begins with a dash is no option when there are spaces in it."""
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        option = self._options.get(name)
        if option is not None and (name == word or option.takes_value):
            return option, name
        if word.startswith("-") and word != "-" and not any(char.isspace() for char in word):
            raise self._refusal(f"There is no option {printable(word)}; a text that begins so stands behind --")
        return None, ""

    def _next(self, left: list[str], name: str, option: Argument) -> str:
        if not left or left[-1] == "--" or left[-1] in self._options:
            raise self._refusal(f"{name} needs a value: {option.shown}")
        return left.pop()

    def _in_places(self, words: list[str]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for place in self._places:
            taken, words = (words, []) if place.nargs else (words[:1], words[1:])
            if not taken and place.nargs != "*":
                raise self._refusal(f"{place.metavar} is missing")
            given = [self._value(place, place.metavar, word) for word in taken]
            values[place.dest] = given if place.nargs else given[0]
        if words:
            raise self._refusal(f"“{printable(words[0])}” is one word too many")
        return values

    def _value(self, argument: Argument, name: str, given: str) -> Any:
        try:
            if not argument.choices or given in argument.choices:
                return argument.type(given)
        except ValueError:
            pass
        raise self._refusal(f"{name} cannot be “{printable(given)}”")

    def _refusal(self, what: str) -> UsageError:
        return UsageError(f"{what}. `aig {self._command} --help` shows how.")


def add_global_arguments(parser: Parser) -> None:
    parser.add_argument("--room", metavar="R", help="else $AIGROUP_ROOM, what `aig use` named, main")
    parser.add_argument("--from", "--as", dest="me", metavar="M", help="who I am; else $AIGROUP_MEMBER, human")
    parser.add_argument("--home", metavar="DIR", help="else $AIGROUP_HOME, ~/.ai-groups")
    parser.add_argument("--json", action="store_true", help="one JSON object, or one a line")
    parser.add_argument("-h", "--help", action="store_true", help="show this")


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
    if not 0 <= value <= MAX_SECONDS:  # nor is it what is no number
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
