"""`groupx_lane AGENT`: work one agent's lane. Started by groupx_start; by hand for a lane on its own."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.lane_process import run_lane
from groupx.management.base import GroupXCommand


class Command(GroupXCommand):
    help = "Work one agent's queue: start its CLI, run its turns, one at a time."
    language = "en"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("agent_id")
        parser.add_argument("--control-fd", type=int, default=None)

    def run(self, *, agent_id: str, control_fd: int | None, **options: Any) -> None:
        if agent_id not in settings.RUN.config.enabled_agents:
            raise GroupXError(ErrorCode.UNKNOWN_ACTOR, f"The configuration has no enabled agent “{agent_id}”.")
        run_lane(agent_id, settings.RUN, control_fd)
