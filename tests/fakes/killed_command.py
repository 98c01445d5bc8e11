"""A command of manage.py that is killed as it is about to link, rename or remove a database file for the n-th time.

python -m tests.fakes.killed_command N groupx_restore BACKUP --replace
"""

import os
import signal
import sys
from typing import Any

from groupx.cli import run_django_command

CHANGES = ("os.link", "os.rename", "os.remove")
"""As Python's audit events call them; `os.replace` is a rename."""


def main() -> None:
    left = int(sys.argv[1])

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in CHANGES and ".db" in os.path.basename(os.fspath(arguments[0])):  # noqa: PTH119 - a path of any kind
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    run_django_command(["manage.py", *sys.argv[2:]])


if __name__ == "__main__":
    main()
