"""What the same test says in each protocol: the scripted agent, and the few frames that a test writes itself."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from adapters.acp.messages import prompt_params
from adapters.claude import messages as claude_messages
from adapters.codex import wire
from adapters.codex.messages import turn_params
from adapters.framing import write_line
from adapters.jsonrpc import request

FAKES = Path(__file__).parents[1] / "fakes"


@dataclass(frozen=True, kw_only=True)
class Dialect:
    driver: str
    script: str
    env: Mapping[str, str] = field(default_factory=dict)
    """What a person has to give."""
    handshake: tuple[str, ...]
    """What is asked before the first prompt, in order."""
    resume: str
    """The request or the argument by which a session is taken up again."""
    prompt: str
    cancel: str
    """The names under which the agent hears them."""
    line_around: tuple[bytes, bytes]
    """A piece of text as a line, without the line feed: what stands before and after the text itself."""
    end: bytes
    """A turn that ends well, as a line without the line feed."""
    prompt_line: Callable[[str, str], bytes]
    """(session, text): the first prompt of a fresh session as it is sent."""
    unknown_answer: dict[str, Any]
    """A frame that answers no request."""
    error: Callable[[str], dict[str, Any]]
    """A step by which the turn ends in an error of the model's service with these words."""

    @property
    def argv(self) -> tuple[str, ...]:
        return (sys.executable, str(FAKES / self.script))

    def line(self, text: str) -> bytes:
        """`text` goes in as it is."""
        before, after = self.line_around
        return before + text.encode() + after


def _around(frame: object) -> tuple[bytes, bytes]:
    before, _, after = json.dumps(frame, separators=(",", ":")).partition("TEXT")
    return before.encode(), after.encode()


_ACP_CHUNK = {"sessionUpdate": "agent_message_chunk", "content": {"text": "TEXT"}}
_CLAUDE_DELTA = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "TEXT"}}

ACP = Dialect(
    driver="acp",
    script="agent_cli.py",
    handshake=("initialize", "session/new"),
    resume="session/resume",
    prompt="session/prompt",
    cancel="session/cancel",
    line_around=_around({"method": "session/update", "params": {"update": _ACP_CHUNK}}),
    end=b'{"id":"$id","result":{"stopReason":"end_turn"}}',
    prompt_line=lambda session, text: write_line(request(4, "session/prompt", prompt_params(session, text))),
    unknown_answer={"id": 987, "result": {}},
    error=lambda words: {"error": {"code": -32603, "message": words}},
)
CLAUDE = Dialect(
    driver="claude",
    script="claude_cli.py",
    env={"IS_SANDBOX": "1"},
    handshake=("initialize", "set_permission_mode"),
    resume="--resume",
    prompt="user",
    cancel="interrupt",
    line_around=_around({"type": "stream_event", "event": _CLAUDE_DELTA}),
    end=b'{"type":"result","subtype":"success"}',
    prompt_line=lambda session, text: write_line(claude_messages.prompt(text, session, str(UUID(int=0)))),
    unknown_answer={"type": "control_response", "response": {"subtype": "success", "request_id": "987"}},
    error=lambda words: {"error": {"text": words}},
)
CODEX = Dialect(
    driver="codex",
    script="codex_cli.py",
    handshake=("initialize", "configRequirements/read", "thread/start"),
    resume="thread/resume",
    prompt="turn/start",
    cancel="turn/interrupt",
    line_around=_around({"method": "item/agentMessage/delta", "params": {"itemId": "m", "delta": "TEXT"}}),
    end=b'{"method":"turn/completed","params":{"threadId":"$session","turn":{"id":"$turn","status":"completed"}}}',
    prompt_line=lambda session, text: write_line(wire.request(5, "turn/start", turn_params(session, text))),
    unknown_answer={"id": 987, "result": {}},
    error=lambda words: {"error": {"message": words, "codexErrorInfo": "other"}},
)
DIALECTS = {dialect.driver: dialect for dialect in (ACP, CLAUDE, CODEX)}
"""Every agent of an ACP profile speaks ACP."""


def dialect_of(driver: str) -> Dialect:
    return DIALECTS.get(driver, ACP)
