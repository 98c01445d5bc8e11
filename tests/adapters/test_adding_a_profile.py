"""A further ACP agent is a profile, a recording and a row of a document (docs/adding-an-adapter.md).

Shown by one that no release of ours has, added while everything runs.
"""

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from adapters import registry
from adapters.acp.profiles import BY_DRIVER, OF_THE_PROTOCOL, PROFILES, Profile
from adapters.contract import Capability, Completed, Evidence
from adapters.driver_names import driver_names
from adapters.program import sign_in_by
from groupx.agent_spec import agent_spec
from groupx.doctor.agents import check_agents
from groupx.doctor.situation import look_around
from groupx.kernel.config_file import load_config
from groupx.kernel.drivers import OPEN_DRIVER
from groupx.kernel.errors import GroupXError
from groupx.run_config import allowed_drivers
from groupx.setup.detect import Detection, suggested
from tests.adapters.scripted import do, heard, log_of, play, streamed
from tests.fakes.clock import FakeClock

ROOT = Path(__file__).parents[2]
AGENT = ROOT / "tests" / "fakes" / "agent_cli.py"
FIXTURES = ROOT / "tests" / "fixtures"
PARROT = Profile(
    driver="parrot",
    title="Parrot",
    executables=("parrot-cli",),
    args=("--serve",),
    older_flags={"--serve": "--experimental-serve"},
    mode="free",
    sign_in=sign_in_by("parrot-cli login", "PARROT_KEY"),
    install="npm install -g parrot-cli",
    oldest_version=(2, 1),
    sign_in_variables=("PARROT_KEY",),
    documented=OF_THE_PROTOCOL,
)
STARTUP: dict[str, Any] = {"name": "parrot", "asks_unless": {"argv": ["--serve"], "mode": "free"}}


@pytest.fixture
def parrot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The profile is known, and its program is on PATH: a scripted agent that insists on the profile's ways."""
    monkeypatch.setitem(BY_DRIVER, PARROT.driver, PARROT)
    monkeypatch.setattr(registry, "_drivers", {})
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "parrot-cli"
    agent = shlex.join([sys.executable, str(AGENT)])
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo parrot-cli 2.0.9 && exit\nexec {agent} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("FAKE_AGENT", json.dumps(STARTUP))
    return tmp_path


def configured(folder: Path) -> Path:
    path = folder / "groupx.json"
    path.write_text(json.dumps({"agents": {"polly": {"driver": "parrot", "command": "parrot-cli"}}}))
    return path


def test_the_configuration_takes_it(parrot: Path):
    assert load_config(configured(parrot), allowed_drivers()).config.agents["polly"].driver == "parrot"


def test_without_it_the_configuration_names_those_that_there_are(tmp_path: Path):
    with pytest.raises(GroupXError, match="must be one of") as refused:
        load_config(configured(tmp_path), allowed_drivers())
    assert all(name in refused.value.message for name in driver_names())


def test_the_doctor_finds_it_too_old_and_says_what_to_do(parrot: Path):
    found = {one.code: one for one in check_agents(look_around(configured(parrot), is_full=False))}
    assert {"AGENT", "VERSION_OLD", "NO_SIGN_IN_SEEN", "NOT_SEEN_AT_WORK"} == set(found)
    assert found["AGENT"].details["version"] == "2.0.9" and found["AGENT"].details["oldestVersion"] == "2.1"
    assert found["VERSION_OLD"].hint == PARROT.install
    assert found["NO_SIGN_IN_SEEN"].hint == PARROT.sign_in


async def test_a_first_setup_suggests_it_as_an_agent(parrot: Path):
    draft = suggested(await Detection(FakeClock()).drivers(), 4310)
    assert draft is not None and "parrot" in [agent["driver"] for agent in draft["agents"]]


async def test_it_opens_as_its_profile_says_and_answers(parrot: Path):
    spec = agent_spec("polly", load_config(configured(parrot), allowed_drivers()))
    session = await registry.driver_for("parrot").open(spec, None, None)
    try:
        events = await play(session, do({"text": "hello"}))
    finally:
        await session.close()
    assert events[-1] == Completed("hello") and streamed(events) == "hello"
    assert [entry["argv"] for entry in log_of(parrot) if entry["ev"] == "start"] == [["--serve"]]
    assert heard(parrot, "session/set_mode")
    assert session.info.capabilities[Capability.UNRESTRICTED] is Evidence.PROBED
    assert session.info.capabilities[Capability.PROMPT] is Evidence.DOCUMENTED


# ---------------------------------------------------------------- what a profile touches
OF_OURS = [profile for profile in PROFILES if profile.driver != OPEN_DRIVER]
HEADLESS = ROOT / "adapters" / "headless"
"""How the file bus wakes a CLI without a room: a list of its own, which no profile touches."""
PRODUCT = [
    path
    for folder in ("adapters", "assistant", "groupx", "memory", "rooms", "turns", "static", "templates")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".js", ".html", ".css", ".po", ".json") and HEADLESS not in path.parents
]


@pytest.mark.parametrize("profile", OF_OURS, ids=lambda profile: profile.driver)
def test_one_file_of_the_product_and_one_document_know_of_a_profile(profile: Profile):
    named = re.compile(rf"""["'“‘`]{profile.driver}["'”’` ]""")
    assert [path.relative_to(ROOT) for path in PRODUCT if named.search(path.read_text())] == [
        Path("adapters/acp/profiles.py")
    ]
    assert f"\n| `{profile.driver}` | " in (ROOT / "docs/drivers.md").read_text()


def test_a_recording_shows_each_of_them_at_work():
    turns = {path.name.partition("_")[0] for path in (FIXTURES / "acp").glob("*.jsonl")}
    conversations = {path.parent.name for path in FIXTURES.glob("*/*.jsonl")}
    assert {profile.driver for profile in OF_OURS} <= turns | conversations
