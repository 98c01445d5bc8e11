"""A report for a terminal: parts, aligned levels, what to do under what was found. Plain text without a terminal."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

from groupx.doctor.findings import Level, Part, Report
from groupx.kernel.as_typed import as_typed_for
from groupx.terminal_words import gettext as _
from groupx.terminal_words import harmless

WIDEST = 110
COLOURS = {Level.OK: "32", Level.NOTE: "36", Level.WARNING: "33", Level.PROBLEM: "31"}
INDENT = "  "


def level_words() -> dict[Level, str]:
    return {
        Level.OK: _("ok"),
        Level.NOTE: _("note"),
        Level.WARNING: _("warning"),
        Level.PROBLEM: _("problem"),
    }


def part_words() -> dict[Part, str]:
    return {
        Part.MACHINE: _("Machine"),
        Part.CONFIGURATION: _("Configuration"),
        Part.FILES: _("Files"),
        Part.PROCESSES: _("Processes"),
        Part.DATABASE: _("Database"),
        Part.AGENTS: _("Agents"),
    }


def report_lines(report: Report, *, width: int, has_colour: bool) -> Iterator[str]:
    words, width = level_words(), min(width, WIDEST)
    column = max(map(columns_of, words.values())) + 2
    first = f"GroupX {report.version} · {report.config_path}"
    yield first
    for part, title in part_words().items():
        findings = [finding for finding in report.findings if finding.part is part]
        if findings:
            yield ""
            yield title
        for finding in findings:
            word = words[finding.level]
            shown = f"\x1b[{COLOURS[finding.level]}m{word}\x1b[0m" if has_colour else word
            code = "" if finding.level is Level.OK else f" ({finding.code})"
            text = list(wrapped(harmless(finding.message) + code, width - len(INDENT) - column))
            yield INDENT + shown + " " * (column - columns_of(word)) + text[0]
            for line in text[1:]:
                yield INDENT + " " * column + line
            for line in wrapped(f"→ {harmless(finding.hint)}", width - len(INDENT) - column) if finding.hint else ():
                yield INDENT + " " * column + line
    yield ""
    yield summary(report)


def summary(report: Report) -> str:
    counted = _("Problems: %(problems)d, warnings: %(warnings)d") % {
        "problems": report.count(Level.PROBLEM),
        "warnings": report.count(Level.WARNING),
    }
    told = f"{counted} · {report.took_ms / 1000:.1f} s"
    if report.repairs:
        command = as_typed_for(Path(report.config_path), "doctor", "--repair")
        told += "\n" + _("“%(command)s” shows what it can mend, and asks before it does.") % {"command": command}
    return told


def wrapped(text: str, width: int) -> Iterator[str]:
    """Lines of at most `width` columns; wide characters count two and may be broken between."""
    line, used = "", 0
    for piece in _pieces(text):
        size = columns_of(piece)
        if line and used + columns_of(piece.rstrip()) > width:
            yield line.rstrip()
            line, used = "", 0
        line, used = line + piece, used + size
    yield line.rstrip()


def _pieces(text: str) -> Iterator[str]:
    """Words with the space after them, and single wide characters."""
    word = ""
    for character in " ".join(text.split()):
        if columns_of(character) == 2:
            if word:
                yield word
            word = ""
            yield character
            continue
        word += character
        if character == " ":
            yield word
            word = ""
    if word:
        yield word


def columns_of(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
