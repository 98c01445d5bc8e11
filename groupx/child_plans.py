"""The children of the parent: what each is started with, how long it may take, what happens when it dies.

Who hears their words and decides about their deaths is the supervisor's (groupx/supervisor.py); how they are kept
alive is the keeper's.
"""

import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from groupx import backoff
from groupx.keeper import ChildPlan
from groupx.kernel.config import RunConfig
from groupx.kernel.logs import get_logger
from groupx.run_config import CONFIG_VARIABLE, PORT_VARIABLE, RUN_CONFIG_VARIABLE, SETUP_VARIABLE
from groupx.run_files import LANE_SECRET_VARIABLE, snapshot_path

log = get_logger()

PREPARE_SECONDS = 900.0
"""For serve to make the database ready: migrating a large one takes its time, and must not be cut short."""
START_SECONDS = 120.0
"""For a child to say its first word once the database is ready: it imports its modules, perhaps from a slow disk."""
SERVE_NAME, ASSISTANT_NAME = "serve", "assistant"
SETUP_NAME = "setup"
"""Beside a server of the room it lives on for a while, so it has a name of its own."""

type Told = Callable[[str], None]
type Died = Callable[[int | None, int], Awaitable[bool]]


def base_command() -> list[str]:
    """How a process of ours is started so that it finds this very code, from whatever folder we were started."""
    manage = Path(__file__).resolve().parent.parent / "manage.py"
    if manage.is_file():
        return [sys.executable, str(manage)]
    return [sys.executable, "-P", "-m", "groupx"]  # -P: nothing in the current folder may shadow a module


def children_environment(inherited: Mapping[str, str], run: RunConfig) -> dict[str, str]:
    """What children inherit, with the snapshot as their only configuration."""
    ours = {RUN_CONFIG_VARIABLE, CONFIG_VARIABLE, PORT_VARIABLE, SETUP_VARIABLE, LANE_SECRET_VARIABLE}
    kept = {name: value for name, value in inherited.items() if name not in ours}
    return {**kept, RUN_CONFIG_VARIABLE: str(snapshot_path(run.run_dir))}


def serve_plan(command: list[str], fd: int, *, is_prepared: Callable[[], bool], told: Told, died: Died) -> ChildPlan:
    """The room's server on the listening socket `fd`; until `is_prepared` it makes the database ready first."""

    def arguments(control_fd: int) -> list[str]:
        prepare = () if is_prepared() else ("--prepare",)
        return [*command, "groupx_serve", "--fd", str(fd), *prepare, "--control-fd", str(control_fd)]

    return ChildPlan(
        name=SERVE_NAME,
        command=arguments,
        pass_fds=(fd,),
        back_off=backoff.SERVE,
        start_seconds=lambda: START_SECONDS if is_prepared() else PREPARE_SECONDS,
        told=told,
        died=died,
    )


def setup_plan(command: list[str], fd: int, *, told: Told, died: Died) -> ChildPlan:
    """The server of the setup, where there is no room yet."""
    return ChildPlan(
        name=SETUP_NAME,
        command=lambda control_fd: [
            *command,
            "groupx_serve",
            "--setup",
            "--fd",
            str(fd),
            "--control-fd",
            str(control_fd),
        ],
        pass_fds=(fd,),
        back_off=backoff.SERVE,
        start_seconds=lambda: START_SECONDS,
        told=told,
        died=died,
    )


def lane_name(agent_id: str) -> str:
    return f"lane-{agent_id}"


def lane_plan(command: list[str], agent_id: str, *, died: Died) -> ChildPlan:
    return worker_plan(command, lane_name(agent_id), ["groupx_lane", agent_id], died=died)


def assistant_plan(command: list[str], *, died: Died) -> ChildPlan:
    return worker_plan(command, ASSISTANT_NAME, ["groupx_assistant"], died=died)


def worker_plan(command: list[str], name: str, verb: list[str], *, died: Died) -> ChildPlan:
    """A process that works with a CLI of its own."""
    return ChildPlan(
        name=name,
        command=lambda control_fd: [*command, *verb, "--control-fd", str(control_fd)],
        back_off=backoff.LANE,
        start_seconds=lambda: START_SECONDS,
        told=lambda line: log.info("child_said", child=name, line=line),
        died=died,
    )
