"""Options of `groupx doctor` that mean nothing together: refused, never ignored."""

import argparse

from groupx.kernel.errors import invalid
from groupx.terminal_words import gettext as _


def check_options(given: argparse.Namespace) -> None:
    """
    Raises:
        GroupXError: INVALID_ENVELOPE.
    """
    if given.live is not None and given.repair:
        raise invalid(_("--live runs a turn, --repair mends the room. Give one of them."))
    if given.live is not None and (given.all or given.full):
        option = "--all" if given.all else "--full"
        raise invalid(_("%(option)s is for looking; --live runs a turn. Give one of them.") % {"option": option})
    if given.repair and (given.json or given.all):
        option = "--json" if given.json else "--all"
        raise invalid(
            _("%(option)s is for looking; --repair tells in words what it does. Give one of them.") % {"option": option}
        )
    if given.yes and not given.repair:
        raise invalid(_("--yes answers what --repair asks. Give both, or none."))
