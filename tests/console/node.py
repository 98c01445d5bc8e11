"""Run a script of ours in node on a page's module, without a browser."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

MODULES = Path(__file__).resolve().parents[2] / "static" / "js"
SCRIPTS = Path(__file__).resolve().parent
NODE = shutil.which("node")

needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def run_in_node(script: str, module: str, given: object, *, zone: str = "UTC") -> Any:
    """JSON in, JSON out; in the time zone of a reader."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(SCRIPTS / script), str(MODULES / module)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**os.environ, "TZ": zone},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
