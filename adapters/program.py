"""One kind of CLI as a program: its names, its command line, how a person gets it. Pure; knows no protocol."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from adapters.contract import Capability

_USAGE_ERROR = re.compile(r"unexpected|unknown|unrecogni[sz]ed|invalid option", re.I)


@dataclass(frozen=True, kw_only=True)
class Program:
    driver: str
    title: str
    """As people know it, for sentences."""
    executables: tuple[str, ...] = ()
    """Names to look for on PATH, the preferred one first."""
    args: tuple[str, ...] = ()
    """After the configured command."""
    older_flags: Mapping[str, str | None] = field(default_factory=dict)
    """Those of `args` that an installed version may not know, and how it calls them: None leaves them out."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Set for the process unless the person has set it."""
    sign_in: str | None = None
    """How a person signs in, as a sentence."""
    install: str | None = None
    """How it is installed, as a command."""
    oldest_version: tuple[int, ...] | None = None
    """The oldest that was seen to work (docs/drivers.md)."""
    oldest_node: tuple[int, ...] | None = None
    """The oldest node that runs it."""
    works_as_root_with: str | None = None
    """The variable without which it does not work as root."""
    sign_in_variables: tuple[str, ...] = ()
    """One of them set is a sign of a sign-in."""
    sign_in_files: tuple[tuple[str, str, str], ...] = ()
    """(variable of the folder, folder without it, file): one of them there is a sign as well."""
    sign_in_status: tuple[str, ...] = ()
    """Its own command that tells whether somebody has signed in: exit code 0 is yes, 1 is no. It calls no model."""
    documented: frozenset[Capability] = frozenset()
    """What somebody says of it, until this room has seen it (docs/drivers.md)."""

    def unset_environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Those of `env` that a person has not set."""
        return {name: value for name, value in self.env.items() if name not in inherited}

    def refused_flags(self, last_words: str) -> frozenset[str]:
        """Those of the flags with an older form that a usage error on standard error names."""
        refused = " ".join(line for line in last_words.splitlines() if _USAGE_ERROR.search(line))
        return frozenset(
            flag
            for flag in self.older_flags
            if flag in self.args and re.search(rf"(?<![\w-])(?:--)?{re.escape(flag.lstrip('-'))}(?![\w-])", refused)
        )


def with_older_flags[P: Program](program: P, unknown: frozenset[str]) -> P:
    """The program for an installed version that does not know these flags."""
    args = (program.older_flags[arg] if arg in unknown else arg for arg in program.args)
    return replace(program, args=tuple(arg for arg in args if arg is not None))


def sign_in_by(command: str, variable: str | None = None) -> str:
    """How a person signs in, as a sentence that is the same for every CLI: a further one needs no translation."""
    if variable is None:
        return f"Run “{command}” in a terminal and sign in."
    return f"Run “{command}” in a terminal and sign in, or set {variable}."


def is_older(version: str, oldest: tuple[int, ...]) -> bool:
    """`1.2.3-rc.1` is compared by its leading numbers."""
    numbers = []
    for part in version.removeprefix("v").split("."):
        digits = part.partition("-")[0].partition("+")[0]
        if not digits.isdecimal():
            break
        numbers.append(int(digits))
    return tuple(numbers) < oldest
