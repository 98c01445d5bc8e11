"""The sign-in link in a terminal, with real processes (our contract: docs/admin.md, "Sign in")."""

import http.client
import re
import subprocess
import sys
from pathlib import Path

import pytest

from groupx.cli import SETTINGS
from tests.running_room import ROOT, RunningRoom, running_room
from tests.waiting import wait_until

LINK = re.compile(r"^Admin \(works once, for ten minutes\): http://127\.0\.0\.1:\d+(/admin/sign-in/\?token=\S+)$", re.M)


def signin(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "manage.py"), "groupx_signin"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def opened(room: RunningRoom, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", room.port, timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def posted(room: RunningRoom, **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", room.port, timeout=30)
    try:
        connection.request("POST", "/api/admin/sign-in", "{}", {"Content-Type": "application/json", **headers})
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_room_prints_a_link_and_the_command_a_fresh_one(tmp_path: Path) -> None:
    with running_room(tmp_path) as room:
        [printed] = wait_until(lambda: LINK.findall(room.log()), timeout_seconds=30, what="the printed link")
        fresh = signin(tmp_path)
        [given] = LINK.findall(fresh.stdout)

        assert fresh.returncode == 0
        assert opened(room, given) == 302
        assert opened(room, printed) == 403, "signing in ends this and all other links"
        for foreign in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}):
            assert posted(room, **foreign) == 403
        assert posted(room, **{"Content-Type": "text/plain"}) == 415
        assert posted(room, Origin=room.url) == 201
        secrets = {link.partition("=")[2] for link in (printed, given)}
        logged = [line for line in room.log().splitlines() if line.startswith("{")]
        assert not [line for line in logged if any(secret in line for secret in secrets)]

    ended = signin(tmp_path)
    assert ended.returncode == 1 and "This room does not run" in ended.stderr


@pytest.mark.parametrize("module", ["django.contrib.admin", "django.contrib.auth", "sesame"])
def test_a_lane_knows_nothing_of_the_admin(module: str) -> None:
    seen = "import sys, django; django.setup(); import groupx.lane_process; print([m for m in sys.modules])"
    env = {"DJANGO_SETTINGS_MODULE": SETTINGS["groupx_lane"], "PATH": "", "PYTHONPATH": str(ROOT)}
    found = subprocess.run(
        [sys.executable, "-c", seen], env=env, capture_output=True, text=True, timeout=60, check=True
    )
    assert f"'{module}'" not in found.stdout
