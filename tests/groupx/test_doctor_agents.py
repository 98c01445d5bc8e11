"""What the doctor tells of each CLI: its sign-in, what was seen of it, and the unused ones (docs/operations.md)."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from adapters import registry
from adapters.acp.profiles import BY_DRIVER
from adapters.contract import Capability, Evidence
from adapters.driver_names import installable_programs
from groupx.doctor.agents import check_agents
from groupx.doctor.findings import Finding, Level
from groupx.doctor.situation import look_around
from groupx.kernel.config import GroupXConfig
from tests import given
from tests.fakes.clock import FakeClock
from tests.groupx.kept_rooms import execute, keep_room
from turns.actions.note_evidence import CliFacts, note_check

GROK = {"driver": "grok", "command": "grok"}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing else is on PATH, and nobody has signed in anywhere."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    for program in installable_programs():
        for name in program.sign_in_variables:
            monkeypatch.delenv(name, raising=False)
    return folder


def a_program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def found(folder: Path, *, agents: dict[str, object] | None = None, is_all: bool = False) -> dict[str, Finding]:
    path = folder / "groupx.json"
    if not path.exists():
        path.write_text(json.dumps({"agents": agents or {}}))
    situation = look_around(path, is_full=False, is_about_all_drivers=is_all)
    return {finding.code: finding for finding in check_agents(situation)}


@pytest.mark.parametrize("driver", ["acp", "grok"])
def test_a_file_that_nobody_may_execute_is_not_called_missing(tmp_path: Path, programs: Path, driver: str):
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    agents = {"mine": {"driver": driver, "command": str(tmp_path / "tool")}}
    finding = found(tmp_path, agents=agents)["COMMAND_NOT_FOUND"]
    assert "may not be executed" in finding.message and "chmod" in (finding.hint or "")


# ---------------------------------------------------------------- sign-in
@pytest.mark.parametrize(
    ("exit_code", "code", "known"),
    [(0, "SIGNED_IN", "yes"), (1, "SIGNED_OUT", "no"), (2, "NO_SIGN_IN_SEEN", "not_known")],
)
def test_a_cli_that_can_tell_is_asked_whether_somebody_has_signed_in(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch, exit_code: int, code: str, known: str
):
    asking = replace(BY_DRIVER["grok"], sign_in_status=("login", "status"))
    monkeypatch.setitem(BY_DRIVER, "grok", asking)
    asked = f'[ "$1 $2" = "login status" ] && exit {exit_code}'
    a_program(programs, "grok", f"{asked}\necho grok 9.0.0")
    findings = found(tmp_path, agents={"g": GROK})
    assert code in findings and findings["AGENT"].details["signedIn"] == known
    assert findings[code].hint == (None if exit_code == 0 else asking.sign_in)


def test_whoever_has_a_key_is_not_warned_of_being_signed_out(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(BY_DRIVER, "grok", replace(BY_DRIVER["grok"], sign_in_status=("login", "status")))
    monkeypatch.setenv("XAI_API_KEY", "of a provider of my own")
    a_program(programs, "grok", '[ "$1" = login ] && exit 1\necho grok 9.0.0')
    assert found(tmp_path, agents={"g": GROK})["SIGNED_OUT"].level is Level.NOTE


def test_a_cli_that_never_says_is_given_up_and_ended(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("adapters.sign_in.STATUS_SECONDS", 0.1)
    monkeypatch.setitem(BY_DRIVER, "grok", replace(BY_DRIVER["grok"], sign_in_status=("login", "status")))
    a_program(programs, "grok", '[ "$1" = login ] && exec tail -f /dev/null\necho grok 9.0.0')
    assert found(tmp_path, agents={"g": GROK})["AGENT"].details["signedIn"] == "not_known"


# ---------------------------------------------------------------- all CLIs
def test_with_all_every_cli_is_told_of_installed_or_not(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(registry, "_drivers", {})
    a_program(programs, "grok", "echo grok 0.0.9")
    a_program(programs, "kimi", "echo kimi 9.9")
    path = tmp_path / "groupx.json"
    path.write_text(json.dumps({"agents": {"g": GROK}}))
    findings = check_agents(look_around(path, is_full=False, is_about_all_drivers=True))
    missing = {program.title for program in installable_programs()} - {"Grok", "Kimi Code"}
    assert [one.code for one in findings].count("CLI_MISSING") == len(missing)
    assert all(any(title in one.message for one in findings) for title in missing)
    [kimi] = [one for one in findings if one.code == "CLI_INSTALLED"]
    assert kimi.details["version"] == "9.9" and kimi.details["oldestVersion"] == "2.1"
    assert not [one for one in findings if one.level is Level.PROBLEM and "kimi" in one.message]


def test_without_all_only_configured_agents_are_told_of(tmp_path: Path, programs: Path):
    a_program(programs, "grok", "echo grok 9.0.0")
    assert "CLI_MISSING" not in found(tmp_path, agents={"g": GROK})


# ---------------------------------------------------------------- what was seen
def seen_at_work(clock: FakeClock, version: str) -> None:
    given.a_lane("builder", clock=clock)
    facts = CliFacts(driver="kimi", program="Kimi", launch="", version=version)
    seen = {Capability.PROMPT: Evidence.VERIFIED, Capability.CANCEL: Evidence.UNSUPPORTED}
    note_check("agent:builder", facts, {Capability.STREAM: Evidence.DOCUMENTED}, seen, clock=clock)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("version", "code"), [("9.9.0", "SEEN_AT_WORK"), ("8.0.0", "SEEN_OTHER_VERSION")])
def test_what_was_seen_of_an_agent_is_told_with_its_version_and_day(
    tmp_path: Path, programs: Path, live_room: GroupXConfig, clock: FakeClock, version: str, code: str
):
    a_program(programs, "kimi", "echo kimi 9.9.0")
    seen_at_work(clock, version)
    keep_room(tmp_path, agents={"builder": {"driver": "kimi", "command": "kimi"}})
    finding = found(tmp_path)[code]
    assert version in finding.message and f"{clock.now():%Y-%m-%d}" in finding.message
    assert finding.details["version"] == version
    assert finding.details["capabilities"]["cancel"]["evidence"] == "unsupported"
    assert "cancel" not in finding.message, "only what was seen to work is called seen"


@pytest.mark.django_db(transaction=True)
def test_a_database_of_an_older_version_says_nothing_of_it(
    tmp_path: Path, programs: Path, live_room: GroupXConfig, clock: FakeClock
):
    a_program(programs, "kimi", "echo kimi 9.9.0")
    execute(
        keep_room(tmp_path, agents={"builder": {"driver": "kimi", "command": "kimi"}}),
        "DROP TABLE turns_capabilityevidence",
    )
    finding = found(tmp_path)["NOT_SEEN_AT_WORK"]
    assert "doctor --live builder --config" in (finding.hint or ""), "a command for this very room"
