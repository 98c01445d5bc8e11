"""A demo agent talks with the others by the room's tools, and shows each call as a tool of its own."""

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adapters.demo.room_tools import Given, RoomTools
from adapters.demo.wishes import Wish

WAIT_MS = 45_000
MOST_WATCHES = 30
"""A worker says something new every 2 s at most; then its observer has seen enough."""
ENDED = ("completed", "failed", "cancelled", "interrupted")
PHRASES: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("phrases.json").read_text(encoding="utf-8"))

type ShowUpdate = Callable[[dict[str, Any]], None]


class Talk:
    def __init__(self, me: str, language: str, tools: RoomTools | None, show: ShowUpdate) -> None:
        self._me, self._tools, self._show = me, tools, show
        self._phrases = PHRASES[language]

    def fulfil(self, wish: Wish) -> str:
        """What there is to say of it afterwards."""
        if self._tools is None:
            return self._phrases["no_tools"]
        match wish.verb:
            case "ask":
                return self._ask(wish)
            case "tell":
                return self._send(wish, wish.content or self._phrases["question"], "told")
            case "argue":
                topic = wish.content or self._phrases["topic"]
                content = self._phrases["argue"].format(me=self._me.capitalize(), topic=topic)
                return self._send(wish, content, "argued")
            case _:
                given = self._command("publish", {"content": wish.content or self._phrases["news"]})
                return self._refused(wish, given) if given.is_error else self._phrases["published"]

    def observe(self) -> str:
        """Watch whom this turn is to watch until they have ended, and nudge once on the way."""
        if self._tools is None:
            return self._phrases["no_tools"]
        until, nudged, seen = "next_milestone", "", Given(is_error=True, result={})
        for _ in range(MOST_WATCHES):
            seen = self._use("watch", {"until": until, "timeoutMs": WAIT_MS})
            if seen.is_error:
                return str(seen.result.get("message", ""))
            if until == "next_milestone" and seen.result["snapshot"]["status"] in ("running", "completed"):
                until = "terminal"
                guidance = {"reason": self._phrases["reason"], "content": self._phrases["nudge"]}
                nudge = self._command("steer", {"action": "nudge", **guidance})
                nudged = "" if nudge.is_error else self._phrases["nudged"]
            elif all(worker["status"] in ENDED for worker in seen.result["workers"]):
                break
        endings = ", ".join(f"{title_of(worker['agent'])} {worker['status']}" for worker in seen.result["workers"])
        return self._phrases["watched"].format(endings=endings, nudged=nudged)

    # ------------------------------------------------------------ the tools
    def _ask(self, wish: Wish) -> str:
        content = wish.content or self._phrases["question"]
        given = self._command("ask", {**addressed(wish.to, content, wish.observers), "timeoutMs": WAIT_MS}, wish.to)
        if given.is_error:
            return self._refused(wish, given)
        if given.result["state"] == "pending":
            again = {"messageEventId": given.result["messageEventId"], "timeoutMs": WAIT_MS}
            later = self._use("collect", again, wish.to)
            given = given if later.is_error else later
        return "\n\n".join(
            [self._phrases["asked"].format(names=names_of(wish.to)), *map(quoted_result, given.result["results"])]
        )

    def _send(self, wish: Wish, content: str, phrase: str) -> str:
        given = self._command("send", addressed(wish.to, content, wish.observers), wish.to)
        return self._refused(wish, given) if given.is_error else self._phrases[phrase].format(names=names_of(wish.to))

    def _refused(self, wish: Wish, given: Given) -> str:
        return self._phrases["refused"].format(names=names_of(wish.to), message=given.result.get("message", ""))

    def _command(self, tool: str, arguments: dict[str, Any], to: tuple[str, ...] = ()) -> Given:
        return self._use(tool, {**arguments, "clientCommandId": secrets.token_hex(8)}, to)

    def _use(self, tool: str, arguments: dict[str, Any], to: tuple[str, ...] = ()) -> Given:
        assert self._tools is not None
        call = {"toolCallId": f"demo-{secrets.token_hex(4)}"}
        title = f"groupx {tool} {names_of(to)}".rstrip()
        told = {"title": title, "kind": "other", "status": "in_progress", "rawInput": arguments}
        self._show({"sessionUpdate": "tool_call", **call, **told})
        given = self._tools.call(tool, arguments)
        text = json.dumps(given.result, indent=2, ensure_ascii=False)
        content = [{"type": "content", "content": {"type": "text", "text": text}}]
        status = "failed" if given.is_error else "completed"
        self._show({"sessionUpdate": "tool_call_update", **call, "status": status, "content": content})
        return given


def addressed(to: tuple[str, ...], content: str, observers: tuple[str, ...]) -> dict[str, Any]:
    arguments: dict[str, Any] = {"to": [f"agent:{name}" for name in to], "content": content}
    if observers:
        observing = [f"agent:{name}" for name in observers]
        arguments["supervision"] = {"observers": observing, "mode": "live_steer"}
    return arguments


def quoted_result(result: dict[str, Any]) -> str:
    words = str(result.get("content") or result.get("note") or result["status"])
    return "\n".join(f"> {line}".rstrip() for line in [f"**{title_of(result['target'])}**", "", *words.splitlines()])


def names_of(personas: tuple[str, ...]) -> str:
    return ", ".join(name.capitalize() for name in personas)


def title_of(actor_id: str) -> str:
    return actor_id.rpartition(":")[2].capitalize()
