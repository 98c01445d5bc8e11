"""The small JSON files beside the log: written whole or not at all, read without trust."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from rooms.bus.json_text import parsed


def read_object(path: Path) -> dict[str, Any] | None:
    """The object in the file; None when there is no file.

    Raises:
        ValueError: the file holds something else.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        value = parsed(content.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def write_object(path: Path, value: dict[str, Any]) -> None:
    """In place of what was there, in one step; makes the folder if need be."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def write_text(path: Path, text: str) -> None:
    temporary = path.with_name(f".{os.getpid()}-{os.urandom(4).hex()}.tmp")
    content = text.encode("utf-8", "replace")
    try:
        try:
            temporary.write_bytes(content)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(content)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise
