"""Paths as people write them, from their home folder."""

import os
from pathlib import Path


def from_home(text: str) -> Path:
    """`~` and `~name` stand for a home folder, as in a shell; where nobody is called so it stays as it is."""
    return Path(os.path.expanduser(text))  # noqa: PTH111  pathlib raises there
