"""The machine under the room: Python, libraries, clock."""

import platform
import shutil
import sqlite3
from importlib.metadata import PackageNotFoundError, version

from groupx import __version__
from groupx.doctor.findings import Finding, Findings, Part
from groupx.doctor.situation import Situation
from groupx.kernel.clock import SystemClock
from groupx.kernel.environment import value_of
from groupx.terminal_words import gettext as _

OLDEST_SQLITE = (3, 35)
"""UPDATE … RETURNING, by which events get their seqs."""
LIBRARIES = ("django", "channels", "daphne", "mcp")
FIRST_YEAR = 2026


def check_machine(situation: Situation) -> list[Finding]:
    found = Findings(Part.MACHINE)
    found.ok(
        "VERSIONS",
        f"GroupX {__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {_libraries()}",
        system=platform.platform(),
    )
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        found.problem(
            "SQLITE_TOO_OLD",
            _("SQLite %(version)s is too old; 3.35 or newer is needed.") % {"version": sqlite3.sqlite_version},
            _("Use a Python with a newer SQLite, for example the one that uv installs."),
        )
    if (named := value_of("UV_PYTHON")) and shutil.which(named) is None:
        found.warning(
            "UV_PYTHON_MISSING",
            _("UV_PYTHON names “%(name)s”, which is no program here.") % {"name": named},
            _("Correct it or unset it; uv may fail to start with it."),
        )
    if SystemClock().now().year < FIRST_YEAR:
        found.problem(
            "CLOCK_WRONG",
            _("The clock of this machine says %(year)d.") % {"year": SystemClock().now().year},
            _("Set it; events are kept with their time."),
        )
    return found.all


def _libraries() -> str:
    shown = []
    for name in LIBRARIES:
        try:
            shown.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            shown.append(_("%(name)s is missing") % {"name": name})
    return ", ".join(shown)
