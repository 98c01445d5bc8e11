"""Events given to the page's fold in node, and what a reader would see of them."""

from typing import Any

from rooms.bodies import Body, TurnContentDelta

from .histories import History
from .node import run_in_node


def show(*batches: list[dict[str, Any]], snapshot: dict[str, Any] | None = None) -> Any:
    """What a page shows that began with `snapshot` and took the batches one after the other."""
    return show_all([{"snapshot": snapshot, "batches": list(batches)}])[0]


def show_all(scenarios: list[dict[str, Any]]) -> list[Any]:
    return [result["seen"] for result in run_in_node("fold.mjs", "timeline.js", scenarios)]


def changed_dispatches(before: list[dict[str, Any]], batch: list[dict[str, Any]]) -> list[str]:
    """Event ids of the given work that is drawn again for the batch."""
    [result] = run_in_node("fold.mjs", "timeline.js", [{"batches": [before, batch]}])
    return result["redrawn"]  # type: ignore[no-any-return]


def a_running_turn() -> History:
    room = History()
    room.ask("turn_1")
    room.start("turn_1")
    return room


def content(chunk_index: int, text: str, *, replace: bool | None = None) -> Body:
    return TurnContentDelta(turn_id="turn_1", chunk_index=chunk_index, text=text, replace=replace)
