"""Asking this room's runtime to end, and waiting until it has. Never signals or ends a process itself.

Source: docs/protocol.md, "Stop and restart". The runtime keeps its listener until everything else has ended,
so a port that refuses connections means that the room has closed.
"""

import http.client
import json
import time
from collections.abc import Callable

from groupx import lifecycle
from groupx.kernel.config import RunConfig, read_run_config
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.lifecycle import Answer, Found, StopStep
from groupx.listener import listen_address
from groupx.run_files import is_locked, snapshot_path
from groupx.terminal_words import gettext as _

CLOSE_SECONDS = 20.0
"""The runtime promises 15."""
REQUEST_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 0.1
REFUSALS_IN_A_ROW = 2


def stop(run: RunConfig, say: Callable[[str], None]) -> None:
    """End the runtime of this room in order; says so when none runs.

    Raises:
        GroupXError: PORT_IN_USE when somebody else has the port, START_FAILED when it does not end in time.
    """
    run, found = where_it_runs(run)
    match lifecycle.decide_stop(found):
        case StopStep.NOTHING_RUNS:
            say(_("No GroupX runs on port %(port)d.") % {"port": run.config.server.port})
            return
        case StopStep.REFUSE:
            raise _in_use(found, run)
        case StopStep.SHUT_DOWN:
            ask_to_shut_down(run)
        case StopStep.WAIT:
            pass
    wait_until_closed(run)
    say(_("GroupX has stopped."))


def require_free_or_ours(run: RunConfig) -> None:
    """For a restart, before anything ends: what is to start afterwards can have its port.

    Raises:
        GroupXError: PORT_IN_USE when somebody else has it.
    """
    found = lifecycle.probe(run)
    if lifecycle.decide_stop(found) is StopStep.REFUSE:
        raise _in_use(found, run)


def _in_use(found: Found, run: RunConfig) -> GroupXError:
    owner = lifecycle.owner_of_port(run.config.server.port)
    return GroupXError(ErrorCode.PORT_IN_USE, lifecycle.who_is_there(found, run, owner))


def where_it_runs(run: RunConfig, *, timeout_seconds: float = lifecycle.PROBE_SECONDS) -> tuple[RunConfig, Found]:
    """This room and what answers there: on the port of its file, or on the one that it was started with (`--port`).

    Who has the port of the file meanwhile, another room or program, does not matter then.
    """
    found = lifecycle.probe(run, timeout_seconds=timeout_seconds)
    if not found.is_ours and (started := as_it_was_started(run)) is not None:
        elsewhere = lifecycle.probe(started, timeout_seconds=timeout_seconds)
        if elsewhere.is_ours or is_locked(run.run_dir / "lock"):
            return started, elsewhere
    return run, found


def as_it_was_started(run: RunConfig) -> RunConfig | None:
    """The present or last run of this configuration file, when it had another port than the file (`--port`)."""
    try:
        started = read_run_config(snapshot_path(run.run_dir))
    except (OSError, ValueError):
        return None
    is_elsewhere = started.config.server.port != run.config.server.port
    return started if is_elsewhere and started.config_path == run.config_path else None


def port_it_was_given(run: RunConfig) -> int | None:
    """The `--port` of the start of this room, while it runs; None when it follows its file, or does not run."""
    try:
        started = read_run_config(snapshot_path(run.run_dir))
    except (OSError, ValueError):
        return None
    is_running = started.config_path == run.config_path and is_locked(run.run_dir / "lock")
    return started.given_port if is_running else None


def ask_to_shut_down(run: RunConfig) -> None:
    server = run.config.server
    connection = http.client.HTTPConnection(listen_address(server.host), server.port, timeout=REQUEST_SECONDS)
    body = json.dumps({"runtimeScopeKey": run.runtime_scope_key})
    try:
        connection.request("POST", "/api/runtime/shutdown", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        status = response.status
        response.read()
    except (OSError, http.client.HTTPException) as error:
        raise _not_taken(run, str(error) or type(error).__name__) from error
    finally:
        connection.close()
    if status not in (202, 503):  # 503: it was closing already
        raise _not_taken(run, f"HTTP {status}")


def wait_until_closed(run: RunConfig) -> None:
    """Return when the port has refused twice in a row."""
    deadline = time.monotonic() + CLOSE_SECONDS
    refused = 0
    while refused < REFUSALS_IN_A_ROW:
        found = lifecycle.probe(run)
        refused = refused + 1 if found.answer is Answer.NOTHING else 0
        if found.answer in (Answer.OTHER_ROOM, Answer.FOREIGN):
            raise _in_use(found, run)
        if time.monotonic() > deadline:
            raise _did_not_stop(run)
        time.sleep(LOOK_AGAIN_SECONDS)


def _not_taken(run: RunConfig, reason: str) -> GroupXError:
    return GroupXError(
        ErrorCode.START_FAILED,
        _("The runtime on port %(port)d did not take the request to stop (%(reason)s); it was left alone.")
        % {"port": run.config.server.port, "reason": reason},
    )


def _did_not_stop(run: RunConfig) -> GroupXError:
    return GroupXError(
        ErrorCode.START_FAILED,
        _("The runtime on port %(port)d did not end within %(seconds)d seconds; nothing was killed.")
        % {"port": run.config.server.port, "seconds": CLOSE_SECONDS},
    )
