"""The room's /mcp as others see it: the conformance suite of the protocol, and its Inspector (docs/mcp.md).

Real programs of npm (`.ci/clis` installs them) against a running room, with the handle of an agent that is in a turn.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.live.mcp_expected_failures import GROUPS, baseline_of
from tests.running_room import do, running_room

pytestmark = pytest.mark.live
HERE = Path(__file__).parent
SECONDS = 300
ERROR_OF_A_TOOL = 5
"""How the Inspector ends then."""


@dataclass(frozen=True)
class Bound:
    url: str
    handle: str

    def run(self, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
        if shutil.which(command[0]) is None:
            pytest.skip(f"{command[0]} is not on PATH (.ci/clis installs it)")
        return subprocess.run(command, env=os.environ | env, capture_output=True, text=True, timeout=SECONDS)

    def inspect(self, *options: str) -> subprocess.CompletedProcess[str]:
        target = ("--server-url", self.url, "--transport", "http", "--header", f"X-GroupX-Binding: {self.handle}")
        return self.run("mcp-inspector", "--cli", *target, *options)

    def call(self, tool: str, *arguments: str) -> tuple[int, dict[str, Any]]:
        done = self.inspect("--method", "tools/call", "--tool-name", tool, "--tool-arg", *arguments)
        return done.returncode, json.loads(done.stdout)


@pytest.fixture(scope="module")
def bound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bound]:
    with running_room(tmp_path_factory.mktemp("mcp"), "ada") as room:
        turn_id = room.turn(room.send("ada", content=do(steps=[{"text": "at work"}, {"wait": "go"}])))
        room.until_turn(turn_id, "running")
        offered = room.noted("ada", "offered")[-1]
        yield Bound(offered["url"], offered["headers"]["X-GroupX-Binding"])


@pytest.mark.parametrize("version", GROUPS)
def test_the_conformance_suite_fails_only_what_is_expected_with_its_reason(bound, tmp_path, version):
    (tmp_path / "expected.yml").write_text(baseline_of(version))
    options = ("--url", bound.url, "--spec-version", version, "--expected-failures", str(tmp_path / "expected.yml"))
    done = bound.run(
        "mcp-conformance",
        "server",
        *options,
        NODE_OPTIONS=f"--import file://{HERE / 'binding.mjs'}",
        GROUPX_TEST_BINDING=bound.handle,
    )

    print(done.stdout[done.stdout.find("=== SUMMARY") :])
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_the_inspector_finds_no_fault_in_the_schemas(bound):
    done = bound.inspect("--method", "tools/list", "--strict")

    assert (done.returncode, done.stderr) == (0, "")
    assert {tool["name"] for tool in json.loads(done.stdout)["tools"]} >= {"send", "publish", "read"}


def test_the_inspector_calls_a_tool_and_gets_what_is_in_the_room(bound):
    code, result = bound.call("read", "limit=200")

    assert code == 0
    contents = [event["body"].get("content", "") for event in result["structuredContent"]["events"]]
    assert any("at work" in content for content in contents)


def test_a_client_that_checks_answers_by_their_schema_gets_the_code_of_an_error(bound):
    """The TypeScript SDK, in most CLIs, holds errors to it as well."""
    code, result = bound.call("send", 'to=["agent:nobody"]', "content=x", "clientCommandId=first")

    assert code == ERROR_OF_A_TOOL
    assert result["structuredContent"]["code"] == "UNKNOWN_TARGET"
