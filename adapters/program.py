"""One kind of CLI as a program: its names, its command line, how a person gets it. Pure; knows no protocol."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

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
