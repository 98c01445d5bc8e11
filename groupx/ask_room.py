"""Asking the running room of this configuration something, as any client does: over its REST. No Django."""

import http.client
import json
from collections.abc import Mapping
from typing import Any

from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.listener import listen_address
from groupx.run_config import as_typed_here
from groupx.stop import where_it_runs
from groupx.terminal_words import gettext as _

REQUEST_SECONDS = 15.0
"""A room that works hard is slow, not gone."""


def running_room(run: RunConfig) -> RunConfig:
    """The room as it runs: perhaps on another port than its file says.

    Raises:
        GroupXError: SESSION_NOT_AVAILABLE when it does not run.
    """
    run, found = where_it_runs(run, timeout_seconds=REQUEST_SECONDS)
    if not found.is_ours or found.is_closing:
        raise GroupXError(
            ErrorCode.SESSION_NOT_AVAILABLE,
            _("This room does not run. Start it with: %(command)s") % {"command": as_typed_here(run, "start")},
        )
    return run


def ask_room(run: RunConfig, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON of its answer to this POST.

    Raises:
        GroupXError: what the room refused it with; SESSION_NOT_AVAILABLE when it gives no answer that can be read.
    """
    server = run.config.server
    connection = http.client.HTTPConnection(listen_address(server.host), server.port, timeout=REQUEST_SECONDS)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        if "error" not in answer:
            return dict(answer)
        code, message = ErrorCode(answer["error"]["code"]), str(answer["error"]["message"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
        words = _("The room did not answer. Try again in a moment.")
        raise GroupXError(ErrorCode.SESSION_NOT_AVAILABLE, words) from error
    finally:
        connection.close()
    raise GroupXError(code, message)
