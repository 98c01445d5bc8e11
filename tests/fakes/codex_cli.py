"""A scripted app server of Codex as a child process, for tests: as strict as the real one about what it is asked, free
in what it sends back. See agent_process.py for what steers it.
"""

import os
import threading
from pathlib import Path
from typing import Any

from agent_process import known_sessions, remember_session, run  # siblings: this runs as a script
from agent_prompt import Prompt
from agent_wire import Wire, log
from codex_prompt import CodexPrompt
from rpc_agent import RpcAgent

STARTUP = {
    "requirements": "what configRequirements/read tells of a managed machine",
    "settings": "fields of the reply to thread/start and thread/resume that are not as they were asked for",
    "before_session": "notifications sent before the reply to thread/start, of its thread",
    "refuses_interrupts": "how many, as long as a turn has only been named",
    "room_tools": "what it tells of its MCP servers: with a thread, then at each reload; ready when all is told",
    "deaf_after_session": "stops reading standard input once there is a thread",
    "deaf_until": "the same, but only until this file is there",
}
POLICIES = ("untrusted", "on-request", "never")
SANDBOXES = ("read-only", "workspace-write", "danger-full-access")
SANDBOX_TYPES = dict(zip(SANDBOXES, ("readOnly", "workspaceWrite", "dangerFullAccess"), strict=True))


class CodexAgent(RpcAgent):
    prompt_method = "turn/start"
    refusal_code = -32600

    def __init__(self, wire: Wire, startup: dict[str, Any]) -> None:
        super().__init__(wire, startup)
        self._is_experimental = False
        self._loaded: dict[str, dict[str, Any]] = {}
        """Threads of this process, with their settings."""
        self._running: dict[str, CodexPrompt] = {}
        self._mcp_servers: list[str] = []
        self._told_of_mcp = list(startup.get("room_tools", []))
        self._turns = 0
        self._refused_interrupts = 0

    def finished(self, prompt: Prompt) -> None:
        self._running = {key: running for key, running in self._running.items() if running is not prompt}

    def words(self, text: str) -> dict[str, Any]:
        return {"method": "item/agentMessage/delta", "params": {"itemId": "m", "delta": text}}

    def _answer(self, method: str, request_id: object, params: dict[str, Any]) -> None:
        thread_id = params.get("threadId", "")
        match method:
            case "initialize":
                self._initialized = True
                self._is_experimental = params.get("capabilities", {}).get("experimentalApi") is True
                agent = f"{params['clientInfo']['name']}/1.2.3 (Test 1; x86_64)"
                self._result(request_id, {"userAgent": agent, "codexHome": "/nowhere", "platformOs": "linux"})
            case "initialized":
                pass
            case "configRequirements/read":
                self._result(request_id, {"requirements": self.startup.get("requirements")})
            case "thread/start":
                thread_id = f"fake-{os.getpid()}-{len(known_sessions()) + 1}"
                for frame in self.startup.get("before_session", []):
                    self.wire.send({**frame, "params": {"threadId": thread_id, **frame.get("params", {})}})
                remember_session(thread_id)
                self._load(request_id, thread_id, params)
                self.be_deaf()
            case "thread/resume":
                self._load(request_id, thread_id, params)
            case "config/mcpServer/reload":
                self._result(request_id, {})
                self._tell_of_mcp()
            case "turn/start":
                self._prompt(request_id, thread_id, params)
            case "turn/interrupt":
                self._interrupt(request_id, thread_id, params["turnId"])

    def _load(self, request_id: object, thread_id: str, params: dict[str, Any]) -> None:
        settings = {
            "approvalPolicy": params.get("approvalPolicy", "on-request"),
            "sandbox": {"type": SANDBOX_TYPES[params.get("sandbox", "read-only")]},
            **self.startup.get("settings", {}),
        }
        self._loaded[thread_id] = settings
        for server in params.get("config", {}).get("mcp_servers", {}).values():
            self.offer_mcp(server["url"], server["http_headers"])
        thread = {"id": thread_id, "turns": [], "cwd": params.get("cwd"), "cliVersion": "1.2.3"}
        self._result(request_id, {"thread": thread, "model": "scripted", "modelProvider": "fake", **settings})
        self.wire.send({"method": "thread/started", "params": {"thread": thread}})
        self._mcp_servers = list(params.get("config", {}).get("mcp_servers", {}))
        self._tell_of_mcp()

    def _tell_of_mcp(self) -> None:
        status = self._told_of_mcp.pop(0) if self._told_of_mcp else "ready"
        for name in self._mcp_servers:
            for told in ("starting", status):
                params = {"name": name, "status": told, "threadId": next(iter(self._loaded))}
                self.wire.send({"method": "mcpServer/startupStatus/updated", "params": params})

    def _prompt(self, request_id: object, thread_id: str, params: dict[str, Any]) -> None:
        text = "".join(block["text"] for block in params["input"])
        running = self._running.get(thread_id)
        if running is not None:  # as the real one: no second turn, the running one is steered
            log("steered", turn=running.turn_id)
            self._result(request_id, {"turn": {"id": running.turn_id, "status": "inProgress", "items": []}})
            return
        self._turns += 1
        prompt = CodexPrompt(self, request_id, thread_id, f"turn-{self._turns}", text)
        log("prompt", n=prompt.nonce, chars=len(text))
        if not self._is_unrestricted(thread_id):
            prompt.ask_first()
        self._running[thread_id] = prompt
        threading.Thread(target=prompt.play, daemon=True).start()

    def _is_unrestricted(self, thread_id: str) -> bool:
        settings = self._loaded[thread_id]
        return settings["approvalPolicy"] == "never" and settings["sandbox"]["type"] == "dangerFullAccess"

    def _interrupt(self, request_id: object, thread_id: str, turn_id: str) -> None:
        running = self._running.get(thread_id)
        too_early = self._refused_interrupts < self.startup.get("refuses_interrupts", 0)
        if running is None or running.turn_id != turn_id or too_early:
            self._refused_interrupts += 1
            error = {"code": self.refusal_code, "message": "no active turn to interrupt"}
            self.wire.send({"id": request_id, "error": error})
            return
        self._result(request_id, {})
        running.cancelled.set()

    # ------------------------------------------------------------ what it insists on
    def _problem(self, method: str, params: object) -> str | None:
        if not isinstance(params, dict):
            return "Invalid request: missing field `params`"
        if method == "initialize":
            info = params.get("clientInfo", {})
            is_good = isinstance(info.get("name"), str) and isinstance(info.get("version"), str)
            return None if is_good else "Invalid request: missing field `clientInfo`"
        if not self._initialized:
            return "Not initialized"
        match method:
            case "initialized" | "configRequirements/read" | "config/mcpServer/reload":
                return None
            case "thread/start" | "thread/resume":
                return self._problem_of_thread(method, params)
            case "turn/start":
                blocks = params.get("input")
                if not isinstance(blocks, list) or not all(_is_text(block) for block in blocks):
                    return "Invalid request: missing field `input`"
            case "turn/interrupt":
                if not isinstance(params.get("turnId"), str):
                    return "Invalid request: missing field `turnId`"
            case _:
                return f"Invalid request: unknown variant `{method}`"
        thread_id = params.get("threadId")
        return None if thread_id in self._loaded else f"thread not found: {thread_id}"

    def _problem_of_thread(self, method: str, params: dict[str, Any]) -> str | None:
        if params.get("approvalPolicy", "never") not in POLICIES:
            return f"Invalid request: unknown variant `{params['approvalPolicy']}`, expected one of {POLICIES}"
        if params.get("sandbox", "read-only") not in SANDBOXES:
            return f"Invalid request: unknown variant `{params['sandbox']}`, expected one of {SANDBOXES}"
        if not Path(params.get("cwd", "")).is_absolute():
            return "Invalid request: AbsolutePathBuf deserialized without a base path"
        servers = params.get("config", {}).get("mcp_servers", {})
        if not all(server.get("url") and isinstance(server.get("http_headers"), dict) for server in servers.values()):
            return "invalid transport in `mcp_servers.groupx`"
        if method == "thread/start":
            return None
        if params.get("excludeTurns") and not self._is_experimental:
            return "thread/resume.excludeTurns requires experimentalApi capability"
        is_known = params.get("threadId") in known_sessions()
        return None if is_known else f"no rollout found for thread id {params.get('threadId')}"


def _is_text(block: dict[str, Any]) -> bool:
    return block.get("type") == "text" and isinstance(block.get("text"), str)


if __name__ == "__main__":
    run(CodexAgent, Wire())
