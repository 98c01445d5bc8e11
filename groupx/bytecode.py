"""Compiled modules of a room where Python is told to write none beside the sources (`PYTHONDONTWRITEBYTECODE`).

A room is a process per agent: without them each would compile Django again, three seconds of a core. They are kept in
the environment that Python runs from, for our own processes only: what the person has set stays set for agents.
Importing this decides it, so it comes before everything else that a command imports.
"""

import os
import sys

FOLDER = "groupx-bytecode"


def keep_bytecode() -> None:
    """Nothing changes where Python may write, has a folder already, or could not write into ours."""
    if sys.dont_write_bytecode and sys.pycache_prefix is None and os.access(sys.prefix, os.W_OK):
        sys.pycache_prefix = os.path.join(sys.prefix, FOLDER)  # noqa: PTH118 - pathlib is one of the modules to keep
        sys.dont_write_bytecode = False


keep_bytecode()
