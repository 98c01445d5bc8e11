"""Trials of agents, as processes."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import psutil

from groupx import run_files
from tests.waiting import wait_until

HANGS = '{"replies": {"session/prompt": {"hang": true}}}'
"""A scripted agent that never answers."""


def running_in(folder: Path) -> list[psutil.Process]:
    return [process for process in psutil.process_iter(["cwd"]) if str(folder) in (process.info["cwd"] or "")]


def working_trials() -> list[psutil.Process]:
    """Processes of ours that have an agent running, and have written that down."""
    found = []
    for process in psutil.Process().children():
        arguments = process.cmdline()
        if "groupx_doctor" in arguments:
            run_dir = Path(arguments[arguments.index("--config") + 1]).parent / ".groupx" / "run"
            found += [process] if run_files.recorded_clis(run_dir) else []
    return found


async def until(condition: Callable[[], object], what: str) -> None:
    await asyncio.to_thread(wait_until, lambda: bool(condition()), timeout_seconds=60, what=what)
