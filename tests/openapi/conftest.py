"""A real server process of a room without lanes: what is sent to it queues."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.openapi.served import ServedRoom
from tests.running_room import ROOT, free_port

AGENTS = ("builder", "reviewer", "scribe")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedRoom]:
    folder: Path = tmp_path_factory.mktemp("served")
    agent = {"driver": "acp", "command": "true", "cwd": str(folder)}
    config = {
        "server": {"port": free_port()},
        "agents": {name: {**agent, "name": name.title()} for name in AGENTS},
        "limits": {"queuePerAgent": 10_000},
        "bus": {"home": "bus"},
    }
    (folder / "groupx.json").write_text(json.dumps(config))
    with (folder / "serve.log").open("ab") as log:
        command = [sys.executable, str(ROOT / "manage.py"), "groupx_serve", "--prepare", "--config", "groupx.json"]
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    room = ServedRoom(config["server"]["port"], folder / "serve.log", process)
    try:
        room.wait_until_healthy()
        yield room
        assert process.poll() is None, room.log_tail()
    finally:
        process.terminate()
        process.wait(30)
