"""`groupx start`, `stop`, `restart`, `resume`, `signin` and `demo` in a terminal."""

import argparse

from groupx.kernel.config import RunConfig
from groupx.kernel.logs import configure_logging
from groupx.resume import resume
from groupx.run_config import current_run, read_anew
from groupx.sign_in_link import show_sign_in_link
from groupx.start import StartOptions, start
from groupx.stop import port_it_was_given, require_free_or_ours, stop
from groupx.terminal_words import say


def run_start(options: argparse.Namespace) -> int:
    return _start(current_run(), options)


def run_stop(options: argparse.Namespace) -> int:
    stop(current_run(), say)
    return 0


def run_restart(options: argparse.Namespace) -> int:
    """A room that was started with `--port` keeps that port, unless another one is given now."""
    run = current_run()
    if options.port is None and (port := port_it_was_given(run)) is not None:
        run = read_anew(run, port=port)
    require_free_or_ours(run)
    stop(run, say)
    return _start(run, options)


def run_resume(options: argparse.Namespace) -> int:
    resume(current_run(), options.agent, say)
    return 0


def run_sign_in(options: argparse.Namespace) -> int:
    show_sign_in_link(current_run(), say)
    return 0


def _start(run: RunConfig, options: argparse.Namespace) -> int:
    configure_logging("parent")
    given = StartOptions(opens_browser=not options.no_open, listen_fd=options.listen_fd)
    return start(run, given, say)
