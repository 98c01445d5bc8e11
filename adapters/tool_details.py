"""Details of a tool's call as a room keeps them: named fields, each within its bounds. Pure."""

from collections.abc import Sequence
from typing import Any

from adapters.bounds import Bounded

MAX_DIFFS = 20


class ToolDetails:
    def __init__(self) -> None:
        self.kept: dict[str, object] = {}

    def put(self, name: str, value: object) -> None:
        """Nothing is kept of what is empty; `truncated` says that something was left out."""
        if value is None or value == "" or value == [] or value == {}:
            return
        bounded = Bounded()
        kept = bounded.value(value)
        if kept is not None:
            self.kept[name] = kept
        if bounded.truncated:
            self.kept["truncated"] = True

    def put_diffs(self, diffs: Sequence[dict[str, Any]]) -> None:
        """Each is {path, oldText?, newText?} and has bounds of its own; those without a path are left out."""
        diffs = [diff for diff in diffs if isinstance(diff.get("path"), str)]
        bounds = [Bounded() for _ in diffs[:MAX_DIFFS]]
        kept = [bounded.value(diff) for bounded, diff in zip(bounds, diffs, strict=False)]
        if kept:
            self.kept["diff"] = kept
        if len(diffs) > MAX_DIFFS or any(bounded.truncated for bounded in bounds):
            self.kept["truncated"] = True
