"""Entry points: `manage.py <verb>` and the console script `groupx`. Settles the configuration before Django."""

import os
import sys


def run_django_command(argv: list[str] | None = None) -> None:
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "groupx.settings")
    execute_from_command_line(argv or sys.argv)


def main() -> None:
    """`groupx start` is `manage.py groupx_start`."""
    verb, *rest = sys.argv[1:] or ["help"]
    run_django_command([sys.argv[0], verb if verb == "help" else f"groupx_{verb}", *rest])
