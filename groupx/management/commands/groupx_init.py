"""`groupx init` among Django's commands; see groupx/terminal.py."""

from groupx.management.base import TerminalVerb


class Command(TerminalVerb):
    verb = "groupx_init"
