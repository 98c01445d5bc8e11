"""A friendly scripted ACP agent, so that a room can be tried without any CLI, account or model.

Runs by itself (`python -m adapters.demo.agent --persona builder`, or by path) with the standard library only.
It answers in Markdown, and plain words in the message make it do more: think, plan, use a tool, be slow, ask
for permission, fail, crash; and talk with the others by the room's tools (wishes.py). A message in Chinese is
answered in Chinese. It remembers how many turns a session had in `.groupx-demo-session-<id>.json` in its
working folder, so a session can be resumed.
"""

import argparse
import json
import os
import re
import secrets
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from adapters.demo.message import current_message, is_watch, topic_of
from adapters.demo.notes import notes_of
from adapters.demo.room_tools import McpServer, RoomTools, room_of
from adapters.demo.talk import Talk
from adapters.demo.wire import Wire
from adapters.demo.wishes import wish_of

WORDS = {
    "crash": r"\bcrash\b|崩溃",
    "fail": r"\bfail\b|失败",
    "slow": r"\bslow(?:ly)?\b|慢",
    "tool": r"\btools?\b|工具",
    "think": r"\bthink\b|思考|想一想",
    "plan": r"\bplan\b|计划",
    "permission": r"\bpermission\b|许可",
}
PIECE_SECONDS = 0.03
SLOW_PIECE_SECONDS = 1.0
SLOW_PIECES = 20
CRASH_EXIT_CODE = 7


class Prompt:
    """One turn, played in a thread of its own so that a cancel can arrive."""

    @staticmethod
    def read(text: str) -> str:
        """What it is to answer, of all that it was sent."""
        return current_message(text)

    def __init__(
        self,
        wire: Wire,
        persona: dict[str, Any],
        request_id: object,
        session_id: str,
        text: str,
        turn: int,
        room: McpServer | None,
    ) -> None:
        self._wire = wire
        self._request_id = request_id
        self._session_id = session_id
        self._text = self.read(text)
        self._notes = notes_of(text)
        self._is_watch = is_watch(text)
        self._turn = turn
        language = "zh" if re.search("[\u4e00-\u9fff]", self._text) else "en"
        self._says = persona[language]
        self.cancelled = threading.Event()
        self._room = RoomTools(room) if room else None
        self._talk = Talk(persona["name"], language, self._room, partial(wire.update, session_id))

    def cancel(self) -> None:
        self.cancelled.set()
        if self._room is not None:
            self._room.hang_up()

    def run(self) -> None:
        try:
            self._play()
        except Exception as error:  # the outermost place of this thread: a turn must end, whatever went wrong
            self._wire.send({"id": self._request_id, "error": {"code": -32603, "message": f"Demo agent: {error!r}"}})

    def _play(self) -> None:
        if self._notes is not None:
            self._chunk("agent_message_chunk", self._notes)
            return self._end()
        if self._is_watch:
            self._say(self._talk.observe())
            return self._end()
        wish = wish_of(self._text)
        own_words = wish.own_words if wish else self._text
        wanted = self._wanted(own_words)
        self._think(times=4 if "think" in wanted else 1)
        if "fail" in wanted:
            error = {"code": -32603, "message": "Internal error", "data": {"details": "I was asked to fail, so I did."}}
            return self._wire.send({"id": self._request_id, "error": error})
        if "crash" in wanted:
            self._say("I was asked to crash, and here it com")
            os._exit(CRASH_EXIT_CODE)
        if "permission" in wanted:
            self._ask()
            return self._end()
        if "plan" in wanted:
            self._plan()
        if "tool" in wanted:
            self._use_tools()
        if "slow" in wanted:
            self._slowly()
        if wish:
            self._say(self._talk.fulfil(wish))
        if not wish or wish.verb == "ask":
            self._say("\n\n" if wish else "")
            answer: str = self._says["tools" if "tool" in wanted else "answer"]
            topic = topic_of((wish and wish.content) or self._text)
            self._say(answer.replace("{topic}", topic).replace("{turn}", str(self._turn)))
        self._end()

    @staticmethod
    def _wanted(words: str) -> set[str]:
        return {name for name, pattern in WORDS.items() if re.search(pattern, words, re.I)}

    # ------------------------------------------------------------ parts of an answer
    def _say(self, text: str) -> None:
        for piece in (
            re.findall(r"\S+\s*|\s+", text) if " " in text else [text[i : i + 4] for i in range(0, len(text), 4)]
        ):
            if self.cancelled.wait(PIECE_SECONDS):
                return
            self._chunk("agent_message_chunk", piece)

    def _think(self, times: int) -> None:
        for _ in range(times):
            if self.cancelled.wait(PIECE_SECONDS):
                return
            self._chunk("agent_thought_chunk", self._says["thought"])

    def _slowly(self) -> None:
        for number in range(SLOW_PIECES, 0, -1):
            self._chunk("agent_message_chunk", f"{number} … ")
            if self.cancelled.wait(SLOW_PIECE_SECONDS):
                return
        self._chunk("agent_message_chunk", "\n\n")

    def _plan(self) -> None:
        steps = ["Look", "Change", "Check"]
        for done in range(len(steps) + 1):
            entries = [
                {"content": step, "priority": "medium", "status": "completed" if index < done else "pending"}
                for index, step in enumerate(steps)
            ]
            self._wire.update(self._session_id, {"sessionUpdate": "plan", "entries": entries})
            if self.cancelled.wait(PIECE_SECONDS * 4):
                return

    def _use_tools(self) -> None:
        text = {"type": "content", "content": {"type": "text", "text": "# Greeting\n\nSays hello.\n"}}
        diff = {"type": "diff", "path": "greeting.py", "oldText": "print('Hi')\n", "newText": "print('Hello!')\n"}
        for title, kind, path, content in (
            ("Read README.md", "read", "README.md", text),
            ("Edit greeting.py", "edit", "greeting.py", diff),
        ):
            call = {"toolCallId": f"demo-{secrets.token_hex(4)}", "title": title, "kind": kind}
            told = {"status": "pending", "rawInput": {"path": path}, "locations": [{"path": path}]}
            self._wire.update(self._session_id, {"sessionUpdate": "tool_call", **call, **told})
            for status, content_now in (("in_progress", []), ("completed", [content])):
                if self.cancelled.wait(PIECE_SECONDS * 8):
                    return
                changed = {"toolCallId": call["toolCallId"], "status": status, "content": content_now}
                self._wire.update(self._session_id, {"sessionUpdate": "tool_call_update", **changed})

    def _ask(self) -> None:
        options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
        params = {
            "sessionId": self._session_id,
            "toolCall": {"toolCallId": "demo-ask", "title": "Do it"},
            "options": options,
        }
        self._wire.send({"id": f"ask-{self._turn}", "method": "session/request_permission", "params": params})
        self.cancelled.wait(SLOW_PIECE_SECONDS * SLOW_PIECES)

    def _chunk(self, kind: str, text: str) -> None:
        self._wire.update(self._session_id, {"sessionUpdate": kind, "content": {"type": "text", "text": text}})

    def _end(self) -> None:
        reason = "cancelled" if self.cancelled.is_set() else "end_turn"
        self._wire.send({"id": self._request_id, "result": {"stopReason": reason}})


class Agent:
    def __init__(self, wire: Wire, name: str, prompt: type[Prompt] = Prompt) -> None:
        self._wire, self._prompt_class = wire, prompt
        personas = json.loads((Path(__file__).parent / "personas.json").read_text(encoding="utf-8"))
        self._persona: dict[str, Any] = {"name": name, **personas[name]}
        self._prompts: dict[str, Prompt] = {}
        self._rooms: dict[str, McpServer | None] = {}

    def take(self, frame: dict[str, Any]) -> None:
        method, request_id, params = frame.get("method"), frame.get("id"), frame.get("params") or {}
        session_id = params.get("sessionId", "")
        match method:
            case None:
                return  # an answer to our question; the cancel that follows it ends the turn
            case "initialize":
                result: dict[str, Any] | None = self._introduce()
            case "session/new":
                session_id = secrets.token_hex(8)
                self._write_turns(session_id, 0)
                self._rooms[session_id] = room_of(params)
                result = {"sessionId": session_id}
            case "session/load" | "session/resume":
                self._rooms[session_id] = room_of(params)
                result = {} if self._turns(session_id) is not None else None
            case "session/set_mode":
                result = {}
            case "session/cancel":
                if session_id in self._prompts:
                    self._prompts[session_id].cancel()
                return
            case "session/prompt":
                return self._prompt(request_id, session_id, params)
            case _:
                return self._refuse(request_id, -32601, f"Method not found: {method}")
        if result is None:
            return self._refuse(request_id, -32602, f"Session not found: {session_id}")
        self._wire.send({"id": request_id, "result": result})

    def _introduce(self) -> dict[str, Any]:
        return {
            "protocolVersion": 1,
            "agentCapabilities": {
                "loadSession": True,
                "mcpCapabilities": {"http": True, "sse": False},
                "sessionCapabilities": {"resume": {}},
            },
            "agentInfo": {"name": "groupx-demo", "title": self._persona["title"], "version": "1.0.0"},
            "authMethods": [],
        }

    def _prompt(self, request_id: object, session_id: str, params: dict[str, Any]) -> None:
        turns = self._turns(session_id)
        if turns is None:
            return self._refuse(request_id, -32602, f"Session not found: {session_id}")
        self._write_turns(session_id, turns + 1)
        text = "\n".join(str(block.get("text", "")) for block in params.get("prompt", []))
        room = self._rooms.get(session_id)
        prompt = self._prompt_class(self._wire, self._persona, request_id, session_id, text, turns + 1, room)
        self._prompts[session_id] = prompt
        threading.Thread(target=prompt.run, daemon=True).start()

    def _refuse(self, request_id: object, code: int, message: str) -> None:
        if request_id is not None:
            self._wire.send({"id": request_id, "error": {"code": code, "message": message}})

    def _turns(self, session_id: str) -> int | None:
        if not re.fullmatch("[0-9a-f]{16}", session_id):
            return None
        try:
            return int(json.loads(_session_file(session_id).read_text())["turns"])
        except (OSError, ValueError, KeyError):
            return None

    def _write_turns(self, session_id: str, turns: int) -> None:
        _session_file(session_id).write_text(json.dumps({"turns": turns}))


def _session_file(session_id: str) -> Path:
    return Path(f".groupx-demo-session-{session_id}.json")


def serve(agent_on: Callable[[Wire], Agent]) -> None:
    """Answer on standard output until standard input ends."""
    agent = agent_on(Wire())
    for line in sys.stdin.buffer:
        try:
            frame = json.loads(line)
        except ValueError:
            continue
        if isinstance(frame, dict):
            agent.take(frame)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--persona", choices=["builder", "reviewer", "scribe"], default="builder")
    parser.add_argument("--version", action="version", version="groupx-demo 1.0.0")
    serve(partial(Agent, name=parser.parse_known_args()[0].persona))


if __name__ == "__main__":
    main()
