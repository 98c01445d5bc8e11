"""What a scripted agent does with one prompt: the steps of its directive, each a method named after it.

Here are those that no protocol shapes; what is said, asked and how it ends is added by each kind of agent.
"""

import base64
import json
import os
import sys
import threading
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from agent_calls import Calls  # siblings: the agent runs as a script
from agent_wire import WAIT_SECONDS, Wire, log, stay, wait_until

if TYPE_CHECKING:
    from agent_mcp import McpClient


NOTES = ("[groupx_summary]", "[groupx_dated_memory]")
"""How the prompts of short sessions begin."""


class Agent(Protocol):
    """What a prompt needs of the agent it is played by."""

    wire: Wire

    def expect(self, request_id: object) -> threading.Event: ...
    def finished(self, prompt: "Prompt") -> None: ...
    def words(self, text: str) -> dict[str, Any]: ...
    def mcp(self) -> "McpClient": ...
    def start_grandchild(self, kind: str) -> None: ...


class Prompt(ABC):
    """Plays the steps of one directive in a thread; a cancel ends a `wait` and lets the rest be skipped."""

    even_when_cancelled: tuple[str, ...] = ("stop", "error", "frame")

    def __init__(self, agent: Agent, text: str) -> None:
        self._agent, self._wire, self.mcp = agent, agent.wire, agent.mcp
        directive = _prepared() or _directive(text)
        self.nonce = directive.get("n")
        self._steps: list[dict[str, Any]] = directive.get("steps", [{"text": "ok"}])
        self._is_deaf = any("ignore_cancel" in step for step in self._steps)
        self.cancelled = threading.Event()
        self._ended = False
        self._calls = Calls(self, directive)

    def play(self) -> None:
        for step in self._steps:
            ((name, value),) = step.items()
            if self.is_cancelled and name not in self.even_when_cancelled:
                continue
            getattr(self, f"_{name}")(value)
        if not self._ended:
            self._end_by_itself()

    @property
    def is_cancelled(self) -> bool:
        return self.cancelled.is_set() and not self._is_deaf

    # ------------------------------------------------------------ what each kind of agent adds
    @abstractmethod
    def _text(self, value: str) -> None:
        """A piece of the answer."""

    @abstractmethod
    def _end_by_itself(self) -> None:
        """After the last step, cancelled or not."""

    @abstractmethod
    def _filled_in(self) -> dict[str, str]:
        """What stands in frames of a script for what only the agent knows, and what that is."""

    # ------------------------------------------------------------ what is said
    def _big(self, chars: int) -> None:
        self._text(("0123456789" * (chars // 10 + 1))[:chars])

    def _deltas(self, value: dict[str, Any]) -> None:
        """`count` pieces of text, `per_second` of them; each tells its number and when it was sent: `@3#<ns>@`."""
        began = time.monotonic()
        for number in range(value["count"]):
            self.cancelled.wait(max(0.0, began + number / value["per_second"] - time.monotonic()))
            if self.is_cancelled:
                return
            self._text(f"@{number}#{time.monotonic_ns()}@".ljust(60, "."))

    def _many(self, value: list[int]) -> None:
        """[count, characters]: so many chunks."""
        count, chars = value
        for _ in range(count):
            self._big(chars)

    def _frame(self, value: dict[str, Any]) -> None:
        self._wire.send(json.loads(self._filled(json.dumps(value).encode())))

    def _raw(self, value: str) -> None:
        self._wire.raw(self._filled(value.encode()) + b"\n")

    def _raw64(self, value: str) -> None:
        self._wire.raw(self._filled(base64.b64decode(value)))

    def _filled(self, data: bytes) -> bytes:
        for name, meant in self._filled_in().items():
            data = data.replace(name.encode(), meant.encode())
        return data

    def _line_bytes(self, size: int) -> None:
        """A piece of text whose line has exactly this many bytes, its line feed not counted."""
        around = len(self._wire.line(self._agent.words(""))) - 1
        self._wire.send(self._agent.words("x" * (size - around)))

    def _noise(self, lines: int) -> None:
        self._wire.raw(b"".join(b"noise %d\n" % number for number in range(lines)))

    def _stderr(self, chars: int) -> None:
        sys.stderr.write("e" * chars + "\n")
        sys.stderr.flush()

    # ------------------------------------------------------------ how it ends
    def _end(self) -> None:
        self._ended = True
        self._agent.finished(self)
        log("end", n=self.nonce)

    def _exit(self, code: int) -> None:
        os._exit(code)

    def _close_output(self, _: object) -> None:
        os.close(1)
        stay()

    # ------------------------------------------------------------ tools of the room, see agent_calls
    def _call(self, value: dict[str, Any]) -> None:
        self._calls.finish(self._calls.start(value))

    def _start_call(self, value: dict[str, Any]) -> None:
        self._calls.start(value)

    def _finish_call(self, index: int) -> None:
        self._calls.finish(index)

    def _pass_on(self, names: list[str]) -> None:
        self._calls.pass_on(names)

    def _list_tools(self, era: str) -> None:
        log("tools", n=self.nonce, **self.mcp().tools(era).result(WAIT_SECONDS))

    def _hang_up(self, _: object) -> None:
        self.mcp().drop().result(WAIT_SECONDS)

    def _say(self, reference: str) -> None:
        """A piece of the answer: what a call gave, such as `$0.results.0.content`."""
        value = self._calls.filled(reference)
        self._text(value if isinstance(value, str) else json.dumps(value))

    # ------------------------------------------------------------ what else it does
    def _wait(self, file: str) -> None:
        """Until the file is there, "" is for ever, or until a cancel that is not ignored."""
        wait_until(lambda: self.is_cancelled or (file and Path(file).exists()))

    def _pause_ms(self, milliseconds: int) -> None:
        """Work that takes a while, for load; a cancel ends it."""
        self.cancelled.wait(milliseconds / 1000)

    def _write(self, file: str) -> None:
        Path(file).write_text("")

    def _note(self, value: str) -> None:
        log("note", value=value)

    def _grandchild(self, value: str) -> None:
        self._agent.start_grandchild(value)

    def _ignore_cancel(self, _: object) -> None:
        """Read before the first step."""
        return


def _prepared() -> dict[str, Any]:
    """For a prompt whose end is not the test's own: what lies in `next-prompt.json`, once."""
    file = Path("next-prompt.json")
    if not file.exists():
        return {}
    value: dict[str, Any] = json.loads(file.read_text())
    file.unlink()
    return value


def _directive(text: str) -> dict[str, Any]:
    """What an agent is to write for the room is made of what others said: their directives are none of its own."""
    if text.startswith(NOTES):
        return {"steps": [{"text": "so far"}]}
    start = text.rfind("[[do {")
    if start < 0 or not text.endswith("]]"):
        return {}
    value: dict[str, Any] = json.loads(text[start + 5 : -2])
    return value
