"""Commands of ours as sentences name them: so that they can be copied, and mean this very room."""

import shlex
from pathlib import Path

CONFIG_NAME = "groupx.json"


def as_typed_for(config_path: Path, *words: str) -> str:
    """With `--config` where the room's file, which may not be there, is not the one of this folder."""
    is_here = config_path == Path.cwd() / CONFIG_NAME
    return shlex.join(["groupx", *words, *([] if is_here else ["--config", str(config_path)])])
