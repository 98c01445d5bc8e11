"""The admin's sign-in link as a person in a terminal gets it: at a start, and fresh from `groupx signin`. No Django."""

from collections.abc import Callable

from groupx.ask_room import ask_room, running_room
from groupx.kernel.config import RunConfig
from groupx.terminal_words import gettext as _


def sign_in_sentence(run: RunConfig, path: str) -> str:
    return _("Admin (works once, for ten minutes): %(url)s") % {"url": f"{run.origin}{path}"}


def show_sign_in_link(run: RunConfig, say: Callable[[str], None]) -> None:
    """
    Raises:
        GroupXError: SESSION_NOT_AVAILABLE when this room does not run, or does not give a link.
    """
    run = running_room(run)
    say(sign_in_sentence(run, str(ask_room(run, "/api/admin/sign-in", {})["path"])))
