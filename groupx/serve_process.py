"""The serve process from its first line to its last: the socket, the runtime, the server, the exit."""

import socket
import sys

from django.db import connection

from groupx.kernel.allocator import give_back_large_blocks
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import GroupXError
from groupx.kernel.logs import configure_logging, get_logger
from groupx.kernel.problems import problem_of
from groupx.server import BoundedServer  # installs the reactor: before anything that imports Twisted's

from groupx.asgi import build_application  # isort: skip
from groupx.setup_asgi import build_setup_application  # isort: skip
from groupx import database
from groupx.bus_desk import run_bus_desk
from groupx.control import Word, say_last_word, with_sentence
from groupx.listener import listen
from groupx.request_tally import RequestTally
from groupx.run_files import make_private_folder, new_secret, read_secret
from groupx.runtime import ServerRuntime
from groupx.serving import use_server
from groupx.setup_runtime import SetupRuntime
from groupx.sign_in import new_sign_in_token, sign_in_path
from memory.index_follower import IndexFollower
from rooms.fragments import CardPusher
from rooms.transactions import UNAVAILABLE

log = get_logger()


def run_serve(run: RunConfig, fd: int | None, control_fd: int | None, *, prepares: bool) -> None:
    """Serve the room until the control line ends or a signal comes.

    `fd` is a listening socket inherited from the parent; without one the configured port is bound. With
    `prepares` the database is made ready first: the first server of a run does that.

    Raises:
        GroupXError: START_FAILED when the database cannot be made ready.
    """
    configure_logging("serve")
    give_back_large_blocks()
    sign_in = None
    if prepares:
        _make_ready(run, control_fd)
        sign_in = _sign_in()
    with _listener(run, fd) as listener:
        port = listener.getsockname()[1]
        runtime = ServerRuntime(run, port, _lane_secret(run), SystemClock(), sign_in=sign_in)
        use_server(runtime)
        runtime.on_card_change(CardPusher(runtime.clock).card_changed)
        runtime.run_beside("bus", lambda: run_bus_desk(run, port, runtime.clock))
        index_follower = IndexFollower(runtime.clock)
        runtime.run_beside("index", index_follower.run)
        answered = RequestTally()
        server = BoundedServer(build_application(runtime, answered), on_answer=answered.count)
        server.run_until(runtime.live(server, listener, control_fd))
    index_follower.close()
    runtime.close_database()
    database.close_cleanly()
    log.info("serve_ended")


def run_setup(run: RunConfig, fd: int | None, control_fd: int | None) -> None:
    """Serve the setup until the control line ends or a signal comes."""
    configure_logging("setup")
    with _listener(run, fd) as listener:
        runtime = SetupRuntime(run, listener.getsockname()[1], SystemClock())
        use_server(runtime)
        server = BoundedServer(build_setup_application(runtime))
        server.run_until(runtime.live(server, listener, control_fd))
    log.info("setup_ended")


def _make_ready(run: RunConfig, control_fd: int | None) -> None:
    """What is wrong is told to the parent, who says it; without one it is said here."""
    try:
        database.make_ready(run, clock=SystemClock())
    except GroupXError as error:
        if control_fd is None:
            raise
        say_last_word(control_fd, with_sentence(Word.FAILED, error.message))
        sys.exit(problem_of(error).exit_code)


def _sign_in() -> str | None:
    """Path of a link to the admin. A database that has no room for it costs the link, not the start."""
    try:
        return sign_in_path(new_sign_in_token())
    except UNAVAILABLE as error:
        log.warning("no_sign_in_link", reason=str(error))
        return None
    finally:
        connection.close()


def _listener(run: RunConfig, fd: int | None) -> socket.socket:
    if fd is not None:
        listener = socket.socket(fileno=fd)
        listener.set_inheritable(False)
        return listener
    return listen(run.config.server.host, run.config.server.port)


def _lane_secret(run: RunConfig) -> str:
    try:
        return read_secret(run.run_dir)
    except FileNotFoundError:  # served by hand, without a parent that made one
        make_private_folder(run.state_dir)
        make_private_folder(run.run_dir)
        new_secret(run.run_dir)
        return read_secret(run.run_dir)
