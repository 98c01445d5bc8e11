"""What the scripted agent does with one prompt: the steps of its directive, each a method named after it."""

import base64
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, Protocol

from agent_wire import WAIT_SECONDS, Wire, log  # a sibling: the agent runs as a script


class Agent(Protocol):
    """What a prompt needs of the agent it is played by."""

    wire: Wire

    def new_id(self) -> int: ...
    def expect(self, request_id: object) -> threading.Event: ...
    def finished(self, prompt: "Prompt") -> None: ...
    def start_grandchild(self, kind: str) -> None: ...


class Prompt:
    """Plays the steps of one directive in a thread; a cancel ends a `wait` and lets the rest be skipped."""

    def __init__(self, agent: Agent, request_id: object, session_id: str, text: str) -> None:
        self._agent, self._wire = agent, agent.wire
        self._request_id, self._session_id = request_id, session_id
        directive = _directive(text)
        self.nonce = directive.get("n")
        self._steps: list[dict[str, Any]] = directive.get("steps", [{"text": "ok"}])
        self._is_deaf = any("ignore_cancel" in step for step in self._steps)
        self.cancelled = threading.Event()
        self._ended = False

    def ask_first(self) -> None:
        """A person has to allow what comes."""
        self._steps = [{"ask": {"method": "session/request_permission", "params": {"options": []}}}, *self._steps]

    def play(self) -> None:
        for step in self._steps:
            ((name, value),) = step.items()
            if self.is_cancelled and name not in ("stop", "error", "reply", "frame"):
                continue
            getattr(self, f"_{name}")(value)
        if not self._ended:
            self._stop("cancelled" if self.is_cancelled else "end_turn")

    @property
    def is_cancelled(self) -> bool:
        return self.cancelled.is_set() and not self._is_deaf

    # ------------------------------------------------------------ what is said
    def _text(self, value: str) -> None:
        self._update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": value}})

    def _thought(self, value: str) -> None:
        self._update({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": value}})

    def _update(self, value: object) -> None:
        self._wire.update(self._session_id, value)

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
        """`$id` and `$session` stand for the prompt's own."""
        text = json.dumps(value).replace('"$id"', json.dumps(self._request_id)).replace("$session", self._session_id)
        self._wire.send(json.loads(text))

    def _raw(self, value: str) -> None:
        self._wire.raw(value.replace("$session", self._session_id).encode() + b"\n")

    def _raw64(self, value: str) -> None:
        own = {b"$session": self._session_id.encode(), b'"$id"': json.dumps(self._request_id).encode()}
        data = base64.b64decode(value)
        for name, meant in own.items():
            data = data.replace(name, meant)
        self._wire.raw(data)

    def _line_bytes(self, size: int) -> None:
        """A piece of text whose line has exactly this many bytes, its line feed not counted."""
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ""}}
        params = {"sessionId": self._session_id, "update": update}
        frame = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})
        self._text("x" * (size - len(frame)))

    def _noise(self, lines: int) -> None:
        self._wire.raw(b"".join(b"noise %d\n" % number for number in range(lines)))

    def _stderr(self, chars: int) -> None:
        sys.stderr.write("e" * chars + "\n")
        sys.stderr.flush()

    def _ask(self, value: dict[str, Any]) -> None:
        """Ask the client and wait for its answer, which is logged."""
        request_id = self._agent.new_id()
        answered = self._agent.expect(request_id)
        params = {"sessionId": self._session_id, **value.get("params", {})}
        self._wire.send({"id": request_id, "method": value["method"], "params": params})
        answered.wait(WAIT_SECONDS)

    # ------------------------------------------------------------ how it ends
    def _stop(self, reason: str) -> None:
        self._reply({"stopReason": reason})

    def _reply(self, result: object) -> None:
        self._end()
        self._wire.send({"id": self._request_id, "result": result})

    def _error(self, error: dict[str, Any]) -> None:
        self._end()
        self._wire.send({"id": self._request_id, "error": error})

    def _end(self) -> None:
        self._ended = True
        self._agent.finished(self)
        log("end", n=self.nonce)

    def _exit(self, code: int) -> None:
        os._exit(code)

    def _close_output(self, _: object) -> None:
        os.close(1)
        time.sleep(WAIT_SECONDS)

    # ------------------------------------------------------------ what else it does
    def _wait(self, file: str) -> None:
        """Until the file is there, "" is for ever, or until a cancel that is not ignored."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not self.is_cancelled and not (file and Path(file).exists()) and time.monotonic() < deadline:
            self.cancelled.wait(0.005) if not self._is_deaf else time.sleep(0.005)

    def _pause_ms(self, milliseconds: int) -> None:
        """Work that takes a while, for load; a cancel ends it."""
        self.cancelled.wait(milliseconds / 1000)

    def _write(self, file: str) -> None:
        Path(file).write_text("")

    def _grandchild(self, value: str) -> None:
        self._agent.start_grandchild(value)

    def _ignore_cancel(self, _: object) -> None:
        """Read before the first step."""


def _directive(text: str) -> dict[str, Any]:
    start = text.rfind("[[do {")
    if start < 0 or not text.endswith("]]"):
        return {}
    value: dict[str, Any] = json.loads(text[start + 5 : -2])
    return value
