"""`groupx start`, `stop`, `restart`, `resume`, `signin` and `demo` in a terminal."""

import argparse

from groupx.kernel.logs import configure_logging
from groupx.resume import resume
from groupx.run_config import current_run
from groupx.sign_in_link import show_sign_in_link
from groupx.start import StartOptions, start
from groupx.stop import require_free_or_ours, stop
from groupx.terminal_words import say


def run_start(options: argparse.Namespace) -> int:
    configure_logging("parent")
    given = StartOptions(opens_browser=not options.no_open, port=options.port, listen_fd=options.listen_fd)
    return start(current_run(), given, say)


def run_stop(options: argparse.Namespace) -> int:
    stop(current_run(), say)
    return 0


def run_restart(options: argparse.Namespace) -> int:
    run = current_run()
    require_free_or_ours(run)
    stop(run, say)
    return run_start(options)


def run_resume(options: argparse.Namespace) -> int:
    resume(current_run(), options.agent, say)
    return 0


def run_sign_in(options: argparse.Namespace) -> int:
    show_sign_in_link(current_run(), say)
    return 0
