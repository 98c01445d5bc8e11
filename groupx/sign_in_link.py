"""The admin's sign-in link as a person in a terminal gets it: at a start, and fresh from `groupx signin`. No Django."""

import http.client
import json
from collections.abc import Callable

from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.listener import listen_address
from groupx.stop import where_it_runs
from groupx.terminal_words import gettext as _

REQUEST_SECONDS = 15.0
"""A room that works hard is slow, not gone."""


def sign_in_sentence(run: RunConfig, path: str) -> str:
    return _("Admin (works once, for ten minutes): %(url)s") % {"url": f"{run.origin}{path}"}


def show_sign_in_link(run: RunConfig, say: Callable[[str], None]) -> None:
    """
    Raises:
        GroupXError: SESSION_NOT_AVAILABLE when this room does not run, or does not give a link.
    """
    run, found = where_it_runs(run, timeout_seconds=REQUEST_SECONDS)
    if not found.is_ours or found.is_closing:
        raise _no_link(_("This room does not run. Start it with “groupx start”; that prints a link too."))
    say(sign_in_sentence(run, _ask_for_path(run)))


def _ask_for_path(run: RunConfig) -> str:
    server = run.config.server
    connection = http.client.HTTPConnection(listen_address(server.host), server.port, timeout=REQUEST_SECONDS)
    try:
        connection.request("POST", "/api/admin/sign-in", "{}", {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = response.read()
        return str(json.loads(answer)["path"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
        raise _no_link(_("The room did not give a link. Try again in a moment.")) from error
    finally:
        connection.close()


def _no_link(sentence: str) -> GroupXError:
    return GroupXError(ErrorCode.SESSION_NOT_AVAILABLE, sentence)
