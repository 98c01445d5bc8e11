"""What a scripted agent does with the room's tools in mid-turn: calls one after another, or side by side.

A call is {tool, arguments, era?, progress?}; `era` is "old" or "new" (the protocol of the handshake, or the one without
it). In arguments, `$0.turns.0.turnId` is what call 0 of this prompt gave, {"text", "do"} is a message that commands
another scripted agent, and {"text", "times"} a long one. Each call's end is logged as `called`; what it hears before,
where it wants to, as `progress`.
"""

import json
import uuid
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from agent_wire import log, wait_until  # a sibling: the agent runs as a script

if TYPE_CHECKING:
    from agent_mcp import McpClient


class Played(Protocol):
    """What calls need of the prompt they belong to."""

    nonce: str | None
    mcp: "Callable[[], McpClient]"

    @property
    def is_cancelled(self) -> bool: ...


class Calls:
    """Of one prompt, numbered as they were started."""

    def __init__(self, prompt: Played, directive: dict[str, Any]) -> None:
        self._prompt, self._directive = prompt, directive
        self._started: list[tuple[str, Future[dict[str, Any]]]] = []
        self._results: dict[int, Any] = {}

    def start(self, call: dict[str, Any]) -> int:
        arguments = self.filled(call.get("arguments", {}))
        moved = self._moved if call.get("progress") else None
        under_way = self._prompt.mcp().call(call["tool"], arguments, call.get("era", "new"), moved)
        self._started.append((call["tool"], under_way))
        return len(self._started) - 1

    def _moved(self, progress: float, message: str | None) -> None:
        log("progress", n=self._prompt.nonce, progress=progress, message=message)

    def finish(self, index: int) -> None:
        """A cancelled turn gives its call up, as a real agent does."""
        tool, under_way = self._started[index]
        wait_until(lambda: under_way.done() or self._prompt.is_cancelled)
        under_way.cancel()
        try:
            outcome = under_way.result()
        except CancelledError:
            outcome = {"failed": "given up"}
        self._results[index] = outcome.get("result")
        log("called", n=self._prompt.nonce, index=index, tool=tool, **outcome)

    def pass_on(self, names: list[str]) -> None:
        """Send the message that commanded this to the other of the two, who will do the same."""
        [other] = [name for name in names if name != Path.cwd().name]
        content = {"text": "your turn", "do": self._directive}
        arguments = {"to": [f"agent:{other}"], "content": content, "clientCommandId": uuid.uuid4().hex}
        self.finish(self.start({"tool": "send", "arguments": arguments}))

    def filled(self, value: Any) -> Any:
        """References replaced by what they mean, messages written out."""
        match value:
            case {"do": directive, "text": text}:
                return f"{text} [[do {json.dumps(directive)}]]"
            case {"text": text, "times": times}:
                return text * times
            case dict():
                return {key: self.filled(part) for key, part in value.items()}
            case list():
                return [self.filled(part) for part in value]
            case str() if value[:1] == "$" and value[1:2].isdigit():
                index, *path = value[1:].split(".")
                return _found(self._results[int(index)], path)
        return value


def _found(value: Any, path: list[str]) -> Any:
    for step in path:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value
