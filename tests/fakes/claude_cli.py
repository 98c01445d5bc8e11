"""A scripted Claude Code as a child process, for tests: as strict as the real one about its arguments and about what it
hears. See agent_process.py for what steers it.
"""

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any
from uuid import UUID

from agent_process import Agent, known_sessions, remember_session, run  # siblings: this runs as a script
from agent_prompt import Prompt
from agent_wire import Wire, log
from claude_prompt import ClaudePrompt, delta

STARTUP = {
    "init": "fields of its system/init that are not as usual",
    "no_init": "there is none",
    "tells_no_prompts": "does not say what becomes of a prompt, as older versions",
    "replies": "subtype of a control request -> {response}|{error}|{hang}|{exit}|{frames: [...], then one of these}",
    "mode_after": "the permission mode that a policy leaves, whatever is asked for",
    "mode_later": "the same, once the mode was set",
    "resume_fails": "how it says that it does not know a session: “result” or “words”",
    "deaf_after_session": "stops reading standard input once there is a session",
    "deaf_until": "the same, but only until this file is there",
}
COST_USD = 0.25
"""Of each turn; told as the sum of the process."""


class ClaudeAgent(Agent):
    def __init__(self, wire: Wire, startup: dict[str, Any]) -> None:
        super().__init__(wire, startup)
        self._running: ClaudePrompt | None = None
        self._waiting: list[ClaudePrompt] = []
        self._busy, self._queue = threading.Lock(), threading.Lock()
        self._spent_usd = 0.0
        self._mode = _argument("--permission-mode") or "default"
        self.session_id = self._session()
        if (config := _argument("--mcp-config")) is not None:
            file = Path(config)
            servers = json.loads(file.read_text())["mcpServers"]
            log("mcp", servers=servers, mode=oct(file.stat().st_mode & 0o777))
            for server in servers.values():
                self.offer_mcp(server["url"], server["headers"])

    def _session(self) -> str:
        resume, fresh = _argument("--resume"), _argument("--session-id")
        if resume is not None:
            if resume not in known_sessions():
                self._refuse_to_resume(resume)
            return resume
        if fresh is None or not _is_uuid(fresh):
            sys.exit("Error: Invalid session ID. Must be a valid UUID.")
        if fresh in known_sessions():
            sys.exit(f"Error: Session ID {fresh} is already in use.")
        remember_session(fresh)
        return fresh

    def _refuse_to_resume(self, session_id: str) -> None:
        said = f"No conversation found with session ID: {session_id}"
        if self.startup.get("resume_fails", "result") == "words":
            sys.exit(said)
        self.wire.send({"type": "result", "subtype": "error_during_execution", "is_error": True, "errors": [said]})
        sys.exit(1)

    def finished(self, prompt: Prompt) -> None:
        self._running = None

    def words(self, text: str) -> dict[str, Any]:
        return delta(text)

    def init(self) -> dict[str, Any]:
        """Said again at the begin of each turn."""
        return {
            "type": "system",
            "subtype": "init",
            "cwd": str(Path.cwd()),
            "session_id": self.session_id,
            "tools": ["Bash"],
            "mcp_servers": [{"name": "groupx", "status": "connected"}],
            "model": "scripted",
            "permissionMode": self._mode,
            **self.startup.get("init", {}),
        }

    def result(self) -> dict[str, Any]:
        self._spent_usd += COST_USD
        usage = {"input_tokens": 8, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 3, "output_tokens": 7}
        return {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": "",
            "stop_reason": "end_turn",
            "terminal_reason": "completed",
            "total_cost_usd": self._spent_usd,
            "usage": usage,
            "modelUsage": {"scripted": {"outputTokens": 7, "contextWindow": 200_000}},
            "permission_denials": [],
        }

    # ------------------------------------------------------------ what it hears
    def take(self, frame: dict[str, Any]) -> None:
        match frame.get("type"):
            case "control_request":
                self._obey(frame.get("request_id"), frame["request"])
            case "control_response":
                answer = frame["response"]
                log("answer", id=answer["request_id"], result=answer.get("response"), error=answer.get("error"))
                self.expect(answer["request_id"]).set()
            case "user":
                self._prompt(frame)
            case kind:
                sys.stderr.write(f"Error parsing streaming input line: unknown message type {kind}\n")
                sys.stderr.flush()
                os._exit(1)

    def _obey(self, request_id: object, request: dict[str, Any]) -> None:
        subtype = request["subtype"]
        log("heard", method=subtype, params=request)
        scripted = self.startup.get("replies", {}).get(subtype)
        if scripted is not None:
            self._scripted_reply(scripted, request_id)
            return
        match subtype:
            case "initialize":
                self._answer(request_id, {"commands": [], "models": [], "account": {}, "claude_code_version": "1.2.3"})
            case "set_permission_mode":
                self._mode = self.startup.get("mode_after", request["mode"])
                self.startup["mode_after"] = self.startup.get("mode_later", self._mode)
                self._answer(request_id, {"mode": self._mode})
                self.be_deaf()
            case "interrupt":
                with self._queue:
                    if self._running is not None:
                        self._running.cancelled.set()
                    queued = [prompt.id for prompt in self._waiting]
                self._answer(request_id, {"still_queued": queued})
            case _:
                self._refuse(request_id, f"Unsupported control request subtype: {subtype}")

    def _prompt(self, frame: dict[str, Any]) -> None:
        log("heard", method="user", params={})
        message = frame.get("message", {})
        if message.get("role") != "user":
            sys.stderr.write(f"Error: Expected message role 'user', got '{message.get('role')}'\n")
            sys.stderr.flush()
            os._exit(1)
        text = "".join(block["text"] for block in message["content"])
        prompt = ClaudePrompt(self, text, frame.get("uuid"))
        log("prompt", n=prompt.nonce, chars=len(text))
        self._waiting.append(prompt)
        prompt.tell("queued")
        threading.Thread(target=self._play, args=[prompt], daemon=True).start()

    def _play(self, prompt: ClaudePrompt) -> None:
        """One after the other; what the agent does by itself comes between."""
        with self._busy:
            with self._queue:
                self._waiting.remove(prompt)
                self._running = prompt
            prompt.tell("started")
            prompt.play()

    def _scripted_reply(self, reply: dict[str, Any], request_id: object) -> None:
        for frame in reply.get("frames", []):
            self.wire.send(frame)
        sys.stderr.write(reply.get("stderr", ""))
        sys.stderr.flush()
        if "exit" in reply:
            os._exit(reply["exit"])
        if "error" in reply:
            self._refuse(request_id, reply["error"])
        elif "hang" not in reply:
            self._answer(request_id, reply.get("response"))

    def _answer(self, request_id: object, response: object) -> None:
        answer = {"subtype": "success", "request_id": request_id, "response": response}
        self.wire.send({"type": "control_response", "response": answer})

    def _refuse(self, request_id: object, error: str) -> None:
        answer = {"subtype": "error", "request_id": request_id, "error": error}
        self.wire.send({"type": "control_response", "response": answer})


def _argument(name: str) -> str | None:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else None


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _check_arguments() -> None:
    if _argument("--output-format") == "stream-json" and "--verbose" not in sys.argv:
        sys.exit("Error: When using --print, --output-format=stream-json requires --verbose")
    if _argument("--permission-mode") == "bypassPermissions" and os.getuid() == 0 and "IS_SANDBOX" not in os.environ:
        sys.exit("--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons")


if __name__ == "__main__":
    _check_arguments()
    run(ClaudeAgent, Wire())
