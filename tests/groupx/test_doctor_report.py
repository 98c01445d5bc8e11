"""All checks together, bounded, and how they are told (docs/operations.md, "The doctor"). Our contract."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from groupx.doctor.examine import examine
from groupx.doctor.findings import Finding, Findings, Part, Repair, Report
from groupx.doctor.printing import columns_of, report_lines, wrapped
from groupx.doctor.situation import Situation, look_around
from tests.groupx.kept_rooms import manage


def nowhere(folder: Path) -> Situation:
    return look_around(folder / "groupx.json", is_full=False)


def test_a_check_that_hangs_or_fails_is_a_finding(tmp_path: Path):
    release = threading.Event()

    def hangs(situation: Situation) -> list[Finding]:
        release.wait(60)
        return []

    def fails(situation: Situation) -> list[Finding]:
        raise OSError("no such disk")

    checks = {Part.FILES: hangs, Part.DATABASE: fails}
    report = examine(nowhere(tmp_path), checks, seconds=0.05)
    release.set()
    assert [finding.code for finding in report.findings] == ["CHECK_TIMED_OUT", "CHECK_FAILED"]
    assert "no such disk" in report.findings[1].message and not report.is_ok


def a_report(tmp_path: Path) -> Report:
    found = Findings(Part.FILES)
    found.ok("FINE", "All is well here, and this is a sentence that is too long for a narrow terminal.")
    found.problem("BAD", "这个文件可以被其他用户读取。" * 4, "Mend it.", Repair.MODES)
    return Report(version="1", config_path=str(tmp_path), findings=found.all, took_ms=1234)


def test_a_report_fits_the_terminal_and_lines_up(tmp_path: Path):
    lines = list(report_lines(a_report(tmp_path), width=40, has_colour=False))
    body = [line for line in lines if line.startswith("  ")]
    assert all(columns_of(line) <= 40 for line in body)
    assert {line[11] for line in body} != {" "} and all(line[:11].strip() in ("", "ok", "problem") for line in body)
    assert "(BAD)" in "".join(lines) and "→ Mend it." in "".join(lines) and "(FINE)" not in "".join(lines)
    assert "\x1b" not in "".join(lines)
    assert "\x1b[31m" in "".join(report_lines(a_report(tmp_path), width=40, has_colour=True))


@pytest.mark.parametrize("command", ["\x1b[2J", "\x1b]0;title\x07", "\x9b2J", "\u202e", "\r"])
def test_words_of_others_do_not_command_the_terminal(tmp_path: Path, command: str):
    found = Findings(Part.AGENTS)
    found.problem("BAD", f"seen in turns of 1{command}2", f"Run{command}it.")
    report = Report(version="1", config_path=str(tmp_path), findings=found.all, took_ms=1)
    shown = "\n".join(report_lines(report, width=80, has_colour=False))
    assert command not in shown and shown.replace("\n", "").isprintable() and "seen in turns of 1" in shown


def test_no_text_is_lost_in_wrapping():
    text = "a 这个文件 word " * 9
    assert "".join("".join(wrapped(text, 12)).split()) == "".join(text.split())
    assert list(wrapped("", 10)) == [""]


def test_json_has_the_documented_shape(tmp_path: Path):
    shown = a_report(tmp_path).wire()
    assert set(shown) == {"schema", "version", "ok", "configPath", "tookMs", "findings", "repairs"}
    assert shown["repairs"] == ["modes"] and shown["ok"] is False
    assert set(shown["findings"][1]) == {"part", "level", "code", "message", "hint", "repair"}


def test_the_command_looks_without_django_and_writes_nothing(tmp_path: Path):
    result = manage("groupx_doctor", "--json", folder=tmp_path)
    assert result.returncode == 0 and result.stderr == "" and json.loads(result.stdout)["ok"] is True
    assert not list(tmp_path.iterdir())

    (tmp_path / "groupx.json").write_text("{")
    result = manage("groupx_doctor", folder=tmp_path)
    assert result.returncode == 1 and "CONFIG_INVALID" in result.stdout
    assert manage("groupx_doctor", "--nonsense", folder=tmp_path).returncode == 2


def test_the_doctor_imports_no_django():
    code = "import sys, groupx.doctor.examine; print({'django', 'daphne', 'mcp'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert result.stdout == "set()\n"
