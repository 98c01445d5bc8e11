"""`groupx_assistant`: be the brain of the room's assistant. Started by groupx_start; by hand for a brain on its own."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from groupx.assistant_process import run_assistant
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.management.base import GroupXCommand


class Command(GroupXCommand):
    help = "Answer what the person asks the room's assistant, one question at a time."
    language = "en"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--control-fd", type=int, default=None)

    def run(self, *, control_fd: int | None, **options: Any) -> None:
        assistant = settings.RUN.config.assistant
        if assistant is None or not assistant.enabled:
            raise GroupXError(ErrorCode.ASSISTANT_NOT_CONFIGURED, "The configuration has no enabled assistant.")
        run_assistant(settings.RUN, assistant, control_fd)
