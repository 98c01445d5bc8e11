"""The kinds of CLI that a configuration may name: data, so that a process which runs no agent imports no driver."""

from collections.abc import Mapping

from adapters.acp.profiles import PROFILES
from adapters.claude.program import CLAUDE
from adapters.program import Program

PROGRAMS: Mapping[str, Program] = {program.driver: program for program in (*PROFILES, CLAUDE)}
DRIVER_NAMES = tuple(sorted(PROGRAMS))
