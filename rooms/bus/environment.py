"""The bus's environment variables: the one place that reads them."""

import os

HOME = "AIGROUP_HOME"
ROOM = "AIGROUP_ROOM"
MEMBER = "AIGROUP_MEMBER"
DEPTH = "AIGROUP_DEPTH"
MAX_DEPTH = "AIGROUP_MAX_DEPTH"
NO_WAKE = "AIGROUP_NO_WAKE"
DEBUG_RAW = "AIGROUP_DEBUG_RAW"
DSH_PERMISSION_MODE = "AIGROUP_DSH_PERMISSION_MODE"
NO_COLOR = "NO_COLOR"


def variable(name: str) -> str | None:
    """Its value; None when it is unset or empty."""
    return os.environ.get(name) or None


def inherited() -> dict[str, str]:
    """All of it, for a child process."""
    return dict(os.environ)
