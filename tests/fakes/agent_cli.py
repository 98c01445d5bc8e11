"""A scripted ACP agent as a child process, for tests; as strict as the real CLIs about required fields, free in what it
sends back. See agent_process.py for what steers it.
"""

import os
import sys
import threading
from pathlib import Path
from typing import Any

from acp_prompt import AcpPrompt, chunk  # siblings: this runs as a script
from agent_process import known_sessions, remember_session, run
from agent_prompt import Prompt
from agent_wire import Wire, log
from rpc_agent import RpcAgent

STARTUP = {
    "name": "how it introduces itself",
    "capabilities": "agentCapabilities of the reply to initialize",
    "signed_in_by": "a variable without which there is no session",
    "asks_unless": "{argv: [...], env: {...}, mode: ...}: what it wants to see before it stops asking a person",
    "mode_wants": "variables without which no mode is set",
    "invents_sessions": "resumes what it does not know, and refuses its prompts",
    "history": "updates sent before the reply to session/load or session/resume of a session it knows",
    "history_after": "updates sent after it",
    "tells_mcp_by": "the notification that tells which MCP servers it has reached",
    "before_session": "updates sent before the reply to session/new",
    "deaf_after_session": "stops reading standard input once there is a session",
    "deaf_until": "the same, but only until this file is there",
}


class AcpAgent(RpcAgent):
    prompt_method = "session/prompt"
    refusal_code = -32602

    def __init__(self, wire: Wire, startup: dict[str, Any]) -> None:
        super().__init__(wire, startup)
        self._running: dict[str, AcpPrompt] = {}
        self._mode: str | None = None

    def finished(self, prompt: Prompt) -> None:
        self._running = {key: running for key, running in self._running.items() if running is not prompt}

    def words(self, text: str) -> dict[str, Any]:
        return {"method": "session/update", "params": {"update": chunk(text)}}

    def update(self, session_id: str, update: object) -> None:
        self.wire.send({"method": "session/update", "params": {"sessionId": session_id, "update": update}})

    def _answer(self, method: str, request_id: object, params: dict[str, Any]) -> None:
        session_id = params.get("sessionId", "")
        servers = params.get("mcpServers", [])
        for server in servers:
            self.offer_mcp(server["url"], {header["name"]: header["value"] for header in server["headers"]})
        match method:
            case "initialize":
                self._initialized = True
                self._result(request_id, self._introduction())
            case "session/new":
                session_id = f"fake-{os.getpid()}-{len(known_sessions()) + 1}"
                for update in self.startup.get("before_session", []):
                    self.update(session_id, update)
                remember_session(session_id)
                self._result(request_id, {"sessionId": session_id})
                self.be_deaf()
            case "session/load" | "session/resume":
                self._mode = None  # real ones forget it
                for update in self.startup.get("history", []) if session_id in known_sessions() else []:
                    self.update(session_id, update)
                self._result(request_id, None)
                for update in self.startup.get("history_after", []):
                    self.update(session_id, update)
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

        for server in servers if "tells_mcp_by" in self.startup else []:
            self.wire.send(
                {"method": self.startup["tells_mcp_by"], "params": {"name": server["name"], "status": "ready"}}
            )

    def _introduction(self) -> dict[str, Any]:
        capabilities = {"loadSession": True, "mcpCapabilities": {"http": True}, "sessionCapabilities": {"resume": {}}}
        return {
            "protocolVersion": 1,
            "agentCapabilities": self.startup.get("capabilities", capabilities),
            "agentInfo": {"name": self.startup.get("name", "fake-agent"), "version": "1.2.3"},
            "authMethods": [],
        }

    def _prompt(self, request_id: object, session_id: str, params: dict[str, Any]) -> None:
        text = "".join(block["text"] for block in params["prompt"])
        prompt = AcpPrompt(self, request_id, session_id, text)
        log("prompt", n=prompt.nonce, chars=len(text))
        if session_id not in known_sessions():
            self._result(request_id, {"stopReason": "refusal"})
            return
        if not self._is_unrestricted():
            prompt.ask_first()
        self._running[session_id] = prompt
        threading.Thread(target=prompt.play, daemon=True).start()

    def _is_unrestricted(self) -> bool:
        wanted = self.startup.get("asks_unless", {})
        return (
            set(wanted.get("argv", [])) <= set(sys.argv)
            and wanted.get("env", {}).items() <= os.environ.items()
            and wanted.get("mode", self._mode) == self._mode
        )

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
        if method == "session/set_mode" and not self.startup.get("mode_wants", {}).items() <= os.environ.items():
            return "Cannot enable privileged approval modes in an untrusted folder."
        if method == "session/new" and self.startup.get("signed_in_by", "PATH") not in os.environ:
            return "Authentication required"
        of_session = method.startswith("session/") and method != "session/new"
        is_known = params.get("sessionId") in known_sessions() or "invents_sessions" in self.startup
        if of_session and not is_known:
            return f"Session not found: {params.get('sessionId')}"
        if method == "session/prompt":
            blocks = params.get("prompt")
            if not isinstance(blocks, list) or not all(block.get("type") == "text" for block in blocks):
                return "prompt must be a list of text blocks"
            if params["sessionId"] in self._running:
                return "a turn is running"
        return None


if __name__ == "__main__":
    run(AcpAgent, Wire(jsonrpc="2.0"))
