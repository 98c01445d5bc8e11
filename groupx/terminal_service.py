"""`groupx service` in a terminal: prints the file on standard output, and beside it what to do with it."""

import argparse
import sys
from pathlib import Path

from groupx.child_plans import base_command
from groupx.kernel.environment import value_of
from groupx.run_config import current_run
from groupx.service_files import Service, ServiceKind, how_to_enable, service_file, where_it_goes
from groupx.terminal_words import gettext as _
from groupx.terminal_words import say

KEY_CHARACTERS = 8


def run_service(options: argparse.Namespace) -> int:
    run, kind = current_run(), ServiceKind(options.print)
    key = run.runtime_scope_key[:KEY_CHARACTERS]
    service = Service(
        config_path=run.config_path,
        program=[*base_command(), "groupx_start", "--no-open", "--config", str(run.config_path)],
        search_path=value_of("PATH"),
        log_path=Path.home() / "Library" / "Logs" / f"groupx-{key}.log",
        key=key,
    )
    say(service_file(service, kind).rstrip("\n"))
    for line in (
        _("Save it as %(path)s") % {"path": where_it_goes(service, kind)},
        _("then run: %(command)s") % {"command": how_to_enable(service, kind)},
    ):
        print(f"# {line}", file=sys.stderr)  # noqa: T201 - beside the file, which may be piped somewhere
    return 0
