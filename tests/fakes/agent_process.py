"""What every scripted CLI is as a process, whatever it speaks: it misbehaves on command.

Two inputs steer it:

* `FAKE_AGENT` in its environment, a JSON object for its start and its replies outside prompts (see STARTUP here, and
  that of each script);
* the end of a prompt, `[[do {"n": "nonce", "steps": [...]}]]`; each step is an object with one key (the methods of
  `agent_prompt.Prompt` and its kinds, named after them). A prompt without a directive is answered "ok".

Everything it hears is appended to `agent.jsonl` in its working folder.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_prompt import Prompt  # siblings: this runs as part of a script
from agent_wire import WAIT_SECONDS, Wire, log, stay, wait_until

if TYPE_CHECKING:
    from agent_mcp import McpClient

STARTUP = {
    "banner": "lines printed before anything else",
    "stderr": "characters written to standard error at the start",
    "known_flags": "a list; any other argument that starts with -- is a usage error",
    "names_flags_bare": "a usage error names them without their dashes",
    "exit": "exit code at once",
    "ignore_eof": "stays when standard input ends",
    "ignore_term": "stays on SIGTERM",
    "grandchild": "starts a child of its own that holds the pipes",
}
SESSIONS = Path("agent-sessions.txt")


class Agent(ABC):
    exit_code = 0
    """Of the process, when its input ends."""

    def __init__(self, wire: Wire, startup: dict[str, Any]) -> None:
        self.wire = wire
        self.startup = startup
        self._expected: dict[object, threading.Event] = {}
        self._mcp_server: tuple[str, dict[str, str]] | None = None
        self._mcp: McpClient | None = None

    @abstractmethod
    def take(self, frame: dict[str, Any]) -> None:
        """A frame that was heard."""

    @abstractmethod
    def finished(self, prompt: Prompt) -> None: ...

    @abstractmethod
    def words(self, text: str) -> dict[str, Any]:
        """A frame with a piece of an answer."""

    def expect(self, request_id: object) -> threading.Event:
        return self._expected.setdefault(request_id, threading.Event())

    def offer_mcp(self, url: str, headers: dict[str, str]) -> None:
        """The room's tools, as the newest session was given them."""
        self._mcp_server, self._mcp = (url, headers), None
        log("offered", url=url, headers=headers)

    def mcp(self) -> "McpClient":
        if self._mcp is None:
            assert self._mcp_server is not None, "no session was given an MCP server"
            # Loaded here, since the SDK costs a second that an agent without such a directive need not pay.
            self._mcp = import_module("agent_mcp").McpClient(*self._mcp_server)
        return self._mcp

    def start_grandchild(self, kind: str) -> None:
        """ "holds" the pipes; is "stubborn" on top and ignores SIGTERM; "talks" as if it were the agent."""
        reading, writing = os.pipe()
        is_ready = f"os.close({writing})\n"
        code = f"import os, signal\nsignal.alarm({WAIT_SECONDS:.0f})\n"
        if kind == "talks":
            line = json.dumps(self.words("x"))
            code += f"{is_ready}while True: print({line!r})\n"
        if kind == "stubborn":
            code += "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        code += f"{is_ready}signal.pause()"
        child = subprocess.Popen([sys.executable, "-c", code], pass_fds=[writing])
        os.close(writing)
        log("grandchild", child=child.pid)
        os.read(reading, 1)
        os.close(reading)

    def be_deaf(self) -> None:
        """Where the script says so: stop reading."""
        if self.startup.get("deaf_after_session"):
            stay()
        if "deaf_until" in self.startup:
            wait_until(Path(self.startup["deaf_until"]).exists)


def known_sessions() -> list[str]:
    return SESSIONS.read_text().split() if SESSIONS.exists() else []


def remember_session(session_id: str) -> None:
    with SESSIONS.open("a") as file:
        file.write(session_id + "\n")


def run(make_agent: Callable[[Wire, dict[str, Any]], Agent], wire: Wire) -> None:
    startup: dict[str, Any] = json.loads(os.environ.get("FAKE_AGENT", "{}"))
    known = startup.get("known_flags")
    for argument in sys.argv[1:]:
        if known is not None and argument.startswith("--") and argument not in known:
            if "names_flags_bare" in startup:
                sys.exit(f"Options: …\nUnknown argument: {argument.lstrip('-')}")
            sys.exit(f"error: unexpected argument '{argument}' found")
    log("start", argv=sys.argv[1:], env=sorted(name for name in os.environ if name.startswith("GROUPX")))
    if startup.get("ignore_term"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stderr.write("e" * startup.get("stderr", 0))
    sys.stderr.flush()
    for line in startup.get("banner", []):
        wire.raw(line.encode() + b"\n")
    if "exit" in startup:
        sys.exit(startup["exit"])
    threading.excepthook = _broken
    agent = make_agent(wire, startup)
    if "grandchild" in startup:
        agent.start_grandchild(startup["grandchild"])
    for line in sys.stdin.buffer:
        try:
            frame = json.loads(line)
        except ValueError:
            log("unreadable", bytes=len(line))
            continue
        agent.take(frame)
    log("eof")
    if startup.get("ignore_eof"):
        stay()
    os._exit(agent.exit_code)


def _broken(what: threading.ExceptHookArgs) -> None:
    """A directive that cannot be played, or a fault of ours: the turn ends at once instead of never."""
    log("broken", error=repr(what.exc_value))
    threading.__excepthook__(what)
    os._exit(70)
