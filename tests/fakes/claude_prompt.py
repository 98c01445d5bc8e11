"""What the scripted Claude Code says, asks and ends a turn with, in the shapes of the real one."""

import uuid
from typing import TYPE_CHECKING, Any

from agent_prompt import Prompt  # siblings: the agent runs as a script
from agent_wire import WAIT_SECONDS, log

if TYPE_CHECKING:
    from claude_cli import ClaudeAgent


def event(value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "stream_event", "event": value, "parent_tool_use_id": None}


def delta(text: str, kind: str = "text") -> dict[str, Any]:
    """`kind` is that of the block: text or thinking."""
    return event({"type": "content_block_delta", "index": 0, "delta": {"type": f"{kind}_delta", kind: text}})


class ClaudePrompt(Prompt):
    even_when_cancelled = ("stop", "error", "result", "frame")

    def __init__(self, agent: "ClaudeAgent", text: str, id: str | None) -> None:
        super().__init__(agent, text)
        self.id = id
        self._claude = agent
        self._message_id: str | None = None
        self._open: tuple[str, str] | None = None
        """The block that is being streamed: its kind, and its words so far."""
        self._last_text = ""

    def tell(self, state: str) -> None:
        """What becomes of it, where it came with an id."""
        if self.id is not None and "tells_no_prompts" not in self._claude.startup:
            self._send({"type": "command_lifecycle", "command_uuid": self.id, "state": state})

    def play(self) -> None:
        if "no_init" not in self._claude.startup:
            self._send(self._claude.init())
        super().play()

    def _filled_in(self) -> dict[str, str]:
        own = {"$session": self._claude.session_id, "$message": self._message_id, "$prompt": self.id}
        return {name: meant or "" for name, meant in own.items()}

    def _send(self, frame: dict[str, Any]) -> None:
        self._wire.send({"session_id": self._claude.session_id, "uuid": str(uuid.uuid4()), **frame})

    # ------------------------------------------------------------ what is said
    def _text(self, value: str) -> None:
        self._piece("text", value)

    def _thought(self, value: str) -> None:
        self._piece("thinking", value)

    def _piece(self, kind: str, value: str) -> None:
        if self._open is None or self._open[0] != kind:
            self._close_block()
            self._begin_message()
            self._send(event({"type": "content_block_start", "index": 0, "content_block": {"type": kind, kind: ""}}))
            self._open = (kind, "")
        self._open = (kind, self._open[1] + value)
        self._send(delta(value, kind))

    def _begin_message(self) -> None:
        if self._message_id is None:
            self._message_id = f"msg_{uuid.uuid4().hex[:20]}"
            self._send(event({"type": "message_start", "message": {"id": self._message_id, "role": "assistant"}}))

    def _close_block(self) -> None:
        """Then the block comes once more, whole."""
        if self._open is not None:
            kind, words = self._open
            self._open = None
            self._last_text = words if kind == "text" else self._last_text
            self._message({"type": kind, kind: words})
            self._send(event({"type": "content_block_stop", "index": 0}))

    def _message(self, *blocks: dict[str, Any], **more: Any) -> None:
        usage = {"input_tokens": 8, "cache_read_input_tokens": 3, "output_tokens": 7}
        message = {"id": self._message_id, "type": "message", "role": "assistant", "content": blocks, "usage": usage}
        self._send({"type": "assistant", "message": message, "parent_tool_use_id": None, **more})

    def _say(self, value: str) -> None:
        """A message that was not streamed."""
        self._message_id = f"msg_{uuid.uuid4().hex[:20]}"
        self._message({"type": "text", "text": value})
        self._message_id, self._last_text = None, value

    def _tool(self, value: dict[str, Any]) -> None:
        """{id, name, input}: the model calls a tool, which ends its message."""
        self._close_block()
        self._begin_message()
        begun = {"type": "tool_use", **value, "input": {}}
        self._send(event({"type": "content_block_start", "index": 1, "content_block": begun}))
        self._message({"type": "tool_use", **value})
        self._end_message()

    def _outcome(self, value: dict[str, Any]) -> None:
        """{tool_use_id, content, is_error?} of a tool."""
        message = {"role": "user", "content": [{"type": "tool_result", **value}]}
        self._send({"type": "user", "message": message, "parent_tool_use_id": None})

    def _end_message(self) -> None:
        self._close_block()
        if self._message_id is not None:
            self._send(event({"type": "message_stop"}))
            self._message_id = None

    def _ask(self, value: dict[str, Any]) -> None:
        """Ask the client by a control request and wait for its answer, which is logged."""
        request_id = str(uuid.uuid4())
        answered = self._claude.expect(request_id)
        self._wire.send({"type": "control_request", "request_id": request_id, "request": value})
        answered.wait(WAIT_SECONDS)

    # ------------------------------------------------------------ how it ends
    def _end_by_itself(self) -> None:
        if not self.is_cancelled:
            self._stop("end_turn")
            return
        self._message({"type": "text", "text": self._open[1] if self._open else ""}, aborted=True)
        words = {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}
        self._send({"type": "user", "message": words, "parent_tool_use_id": None})
        self._result({"subtype": "error_during_execution", "is_error": True, "terminal_reason": "aborted_streaming"})

    def _stop(self, reason: str) -> None:
        self._end_message()
        self._result({"result": self._last_text, "stop_reason": reason})

    def _error(self, value: dict[str, Any]) -> None:
        """{text, status?, kind?}: an error of the model's service comes as a message, and as a success that is none."""
        self._close_block()
        self._message({"type": "text", "text": value["text"]}, error=value.get("kind", "unknown"))
        told = {"terminal_reason": "api_error", "api_error_status": value.get("status"), "stop_reason": "stop_sequence"}
        self._result({"is_error": True, "result": value["text"], **told})

    def _result(self, value: dict[str, Any]) -> None:
        self._claude.exit_code = int(bool(value.get("is_error")))  # of the process, should it end now
        self._end()
        self._send({**self._claude.result(), **value})
        self.tell("cancelled" if self.is_cancelled else "completed")

    def _own_turn(self, value: dict[str, Any]) -> None:
        """{text, wait}: after its end the agent goes on by itself, until a file is there."""
        self._send(self._claude.init())
        self._text(value["text"])
        self._close_block()
        log("own_turn")
        self._wait(value["wait"])
        self._send(self._claude.result())
