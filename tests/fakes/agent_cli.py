"""A scripted ACP agent as a child process, for tests: it misbehaves on command.

As strict as the real CLIs about required fields, free in what it sends back. Two inputs steer it:

* `FAKE_AGENT` in its environment, a JSON object for its start and its replies outside prompts (see STARTUP);
* the end of a prompt, `[[do {"n": "nonce", "steps": [...]}]]`; each step is an object with one key (the
  methods of `agent_prompt.Prompt` named after them). A prompt without a directive is answered "ok".

Everything it hears is appended to `agent.jsonl` in its working folder.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from agent_prompt import Prompt  # siblings: this runs as a script
from agent_wire import WAIT_SECONDS, Wire, log

STARTUP = {
    "banner": "lines printed before anything else",
    "stderr": "characters written to standard error at the start",
    "known_flags": "a list; any other argument that starts with -- is a usage error",
    "names_flags_bare": "a usage error names them without their dashes",
    "exit": "exit code at once",
    "ignore_eof": "stays when standard input ends",
    "ignore_term": "stays on SIGTERM",
    "grandchild": "starts a child of its own that holds the pipes",
    "name": "how it introduces itself",
    "capabilities": "agentCapabilities of the reply to initialize",
    "signed_in_by": "a variable without which there is no session",
    "asks_unless": "{argv: [...], env: {...}, mode: ...}: what it wants to see before it stops asking a person",
    "mode_wants": "variables without which no mode is set",
    "invents_sessions": "resumes what it does not know, and refuses its prompts",
    "replies": "method -> {result}|{error}|{hang}|{exit}|{frames: [...], then one of these}",
    "history": "updates sent before the reply to session/load or session/resume of a session it knows",
    "history_after": "updates sent after it",
    "before_session": "updates sent before the reply to session/new",
    "deaf_after_session": "stops reading standard input once there is a session",
    "deaf_until": "the same, but only until this file is there",
}
SESSIONS = Path("agent-sessions.txt")


class Agent:
    def __init__(self, wire: Wire, startup: dict[str, Any]) -> None:
        self.wire = wire
        self._startup = startup
        self._initialized = False
        self._running: dict[str, Prompt] = {}
        self._expected: dict[object, threading.Event] = {}
        self._last_id = -1
        self._mode: str | None = None

    def new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def expect(self, request_id: object) -> threading.Event:
        return self._expected.setdefault(request_id, threading.Event())

    def finished(self, prompt: Prompt) -> None:
        self._running = {key: running for key, running in self._running.items() if running is not prompt}

    def start_grandchild(self, kind: str) -> None:
        """ "holds" the pipes; is "stubborn" on top and ignores SIGTERM; "talks" as if it were the agent."""
        code = "import signal, time\n"
        if kind == "talks":
            update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}
            line = json.dumps({"method": "session/update", "params": {"update": update}})
            code += f"open('grandchild', 'w').close()\nwhile True: print({line!r})\n"
        if kind == "stubborn":
            code += "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        code += f"open('grandchild', 'w').close()\ntime.sleep({WAIT_SECONDS})"
        child = subprocess.Popen([sys.executable, "-c", code])
        log("grandchild", child=child.pid)
        while not Path("grandchild").exists():
            time.sleep(0.005)

    def take(self, frame: dict[str, Any]) -> None:
        method, request_id = frame.get("method"), frame.get("id")
        if method is None:
            log("answer", id=request_id, result=frame.get("result"), error=frame.get("error"))
            self.expect(request_id).set()
            return
        params = frame.get("params")
        scripted = method in self._startup.get("replies", {})
        problem = None if scripted else self._problem(method, params)
        log("heard", method=method, params={} if method == "session/prompt" else params, problem=problem)
        if problem is not None:
            if request_id is not None:
                self.wire.send({"id": request_id, "error": {"code": -32602, "message": problem}})
            return
        assert isinstance(params, dict)
        if scripted:
            self._scripted_reply(self._startup["replies"][method], request_id)
        else:
            self._answer(method, request_id, params)

    def _answer(self, method: str, request_id: object, params: dict[str, Any]) -> None:
        session_id = params.get("sessionId", "")
        match method:
            case "initialize":
                self._initialized = True
                self._result(request_id, self._introduction())
            case "session/new":
                session_id = f"fake-{os.getpid()}-{len(_known_sessions()) + 1}"
                for update in self._startup.get("before_session", []):
                    self.wire.update(session_id, update)
                with SESSIONS.open("a") as file:
                    file.write(session_id + "\n")
                self._result(request_id, {"sessionId": session_id})
                if self._startup.get("deaf_after_session"):
                    time.sleep(WAIT_SECONDS)
                if "deaf_until" in self._startup:
                    _wait_for(Path(self._startup["deaf_until"]))
            case "session/load" | "session/resume":
                self._mode = None  # real ones forget it
                for update in self._startup.get("history", []) if session_id in _known_sessions() else []:
                    self.wire.update(session_id, update)
                self._result(request_id, None)
                for update in self._startup.get("history_after", []):
                    self.wire.update(session_id, update)
            case "session/set_mode":
                self._mode = params["modeId"]
                self._result(request_id, {})
            case "session/prompt":
                self._prompt(request_id, session_id, params)
            case "session/cancel":
                if session_id in self._running:
                    self._running[session_id].cancelled.set()
            case _:
                self.wire.send({"id": request_id, "error": {"code": -32601, "message": f"Method not found: {method}"}})

    def _introduction(self) -> dict[str, Any]:
        capabilities = {"loadSession": True, "mcpCapabilities": {"http": True}, "sessionCapabilities": {"resume": {}}}
        return {
            "protocolVersion": 1,
            "agentCapabilities": self._startup.get("capabilities", capabilities),
            "agentInfo": {"name": self._startup.get("name", "fake-agent"), "version": "1.2.3"},
            "authMethods": [],
        }

    def _prompt(self, request_id: object, session_id: str, params: dict[str, Any]) -> None:
        text = "".join(block["text"] for block in params["prompt"])
        prompt = Prompt(self, request_id, session_id, text)
        log("prompt", n=prompt.nonce, chars=len(text))
        if session_id not in _known_sessions():
            self._result(request_id, {"stopReason": "refusal"})
            return
        if not self._is_unrestricted():
            prompt.ask_first()
        self._running[session_id] = prompt
        threading.Thread(target=prompt.play, daemon=True).start()

    def _is_unrestricted(self) -> bool:
        wanted = self._startup.get("asks_unless", {})
        return (
            set(wanted.get("argv", [])) <= set(sys.argv)
            and wanted.get("env", {}).items() <= os.environ.items()
            and wanted.get("mode", self._mode) == self._mode
        )

    def _scripted_reply(self, reply: dict[str, Any], request_id: object) -> None:
        self._initialized = True
        for frame in reply.get("frames", []):
            self.wire.send(frame)
        sys.stderr.write(reply.get("stderr", ""))
        sys.stderr.flush()
        if "exit" in reply:
            os._exit(reply["exit"])
        if "hang" not in reply:
            self.wire.send({"id": request_id, **{key: reply[key] for key in ("result", "error") if key in reply}})

    def _result(self, request_id: object, result: object) -> None:
        self.wire.send({"id": request_id, "result": result})

    def _problem(self, method: str, params: object) -> str | None:
        """What a real CLI would refuse about a request."""
        if not isinstance(params, dict):
            return "params must be an object"
        if method == "initialize":
            fs = params.get("clientCapabilities", {}).get("fs")
            return None if params.get("protocolVersion") == 1 and isinstance(fs, dict) else "bad initialize"
        if not self._initialized:
            return "not initialized"
        if method in ("session/new", "session/load", "session/resume"):
            if not Path(params.get("cwd", "")).is_absolute() or not isinstance(params.get("mcpServers"), list):
                return "cwd must be absolute and mcpServers a list"
            for server in params["mcpServers"]:
                if server.get("type") != "http" or not server.get("url") or not isinstance(server.get("headers"), list):
                    return "bad MCP server"
        if method == "session/set_mode" and not isinstance(params.get("modeId"), str):
            return "modeId must be a string"
        if method == "session/set_mode" and not self._startup.get("mode_wants", {}).items() <= os.environ.items():
            return "Cannot enable privileged approval modes in an untrusted folder."
        if method == "session/new" and self._startup.get("signed_in_by", "PATH") not in os.environ:
            return "Authentication required"
        of_session = method.startswith("session/") and method != "session/new"
        is_known = params.get("sessionId") in _known_sessions() or "invents_sessions" in self._startup
        if of_session and not is_known:
            return f"Session not found: {params.get('sessionId')}"
        if method == "session/prompt":
            blocks = params.get("prompt")
            if not isinstance(blocks, list) or not all(block.get("type") == "text" for block in blocks):
                return "prompt must be a list of text blocks"
            if params["sessionId"] in self._running:
                return "a turn is running"
        return None


def _wait_for(file: Path) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.005)


def _known_sessions() -> list[str]:
    return SESSIONS.read_text().split() if SESSIONS.exists() else []


def main() -> None:
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
    wire = Wire()
    for line in startup.get("banner", []):
        wire.raw(line.encode() + b"\n")
    if "exit" in startup:
        sys.exit(startup["exit"])
    agent = Agent(wire, startup)
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
        time.sleep(WAIT_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    main()
