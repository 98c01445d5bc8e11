"""What the scripted Codex says, asks and ends a turn with, in the shapes of the real one."""

import json
from typing import TYPE_CHECKING, Any

from agent_prompt import Prompt  # siblings: the agent runs as a script
from agent_wire import WAIT_SECONDS

if TYPE_CHECKING:
    from codex_cli import CodexAgent

USAGE = {"inputTokens": 11, "cachedInputTokens": 4, "outputTokens": 7, "reasoningOutputTokens": 2, "totalTokens": 18}


class CodexPrompt(Prompt):
    even_when_cancelled = ("stop", "error", "turn", "frame")

    def __init__(self, agent: "CodexAgent", request_id: object, thread_id: str, turn_id: str, text: str) -> None:
        super().__init__(agent, text)
        self._codex = agent
        self._request_id, self._thread_id, self.turn_id = request_id, thread_id, turn_id
        self._items = 0
        self._open: tuple[str, str, str] | None = None
        """The item that is being streamed: its type, its id, its words so far."""
        self._is_unnamed = any("unnamed" in step for step in self._steps)

    def ask_first(self) -> None:
        """A person has to allow what comes."""
        self._steps = [{"ask": {"method": "item/commandExecution/requestApproval"}}, *self._steps]

    def play(self) -> None:
        turn = {"id": self.turn_id, "items": [], "status": "inProgress", "error": None}
        self._wire.send({"id": self._request_id, "result": None if self._is_unnamed else {"turn": turn}})
        if not any("quiet" in step for step in self._steps):
            self._notify("turn/started", turn=turn)
            self._whole({"type": "userMessage", "content": []})
        super().play()

    def _filled_in(self) -> dict[str, str]:
        return {'"$id"': json.dumps(self._request_id), "$session": self._thread_id, "$turn": self.turn_id}

    def _notify(self, method: str, **params: Any) -> None:
        known = {"threadId": self._thread_id} | ({} if "turn" in params else {"turnId": self.turn_id})
        self._wire.send({"method": method, "params": {**known, **params}, "emittedAtMs": 1})

    # ------------------------------------------------------------ what is said
    def _text(self, value: str) -> None:
        self._piece("agentMessage", "item/agentMessage/delta", value)

    def _thought(self, value: str) -> None:
        self._piece("reasoning", "item/reasoning/summaryTextDelta", value, summaryIndex=0)

    def _piece(self, kind: str, method: str, value: str, **more: Any) -> None:
        if self._open is None or self._open[0] != kind:
            self._close_item()
            self._open = (kind, self._new_item(), "")
            self._notify("item/started", item=self._item(""))
        _, item_id, words = self._open
        self._open = (kind, item_id, words + value)
        self._notify(method, itemId=item_id, delta=value, **more)

    def _item(self, words: str) -> dict[str, Any]:
        assert self._open is not None
        kind, item_id, _ = self._open
        told = {"text": words} if kind == "agentMessage" else {"summary": [words] if words else [], "content": []}
        return {"type": kind, "id": item_id, **told}

    def _close_item(self) -> None:
        """Then the item comes once more, whole."""
        if self._open is not None:
            item = self._item(self._open[2])
            self._open = None
            self._notify("item/completed", item=item)

    def _new_item(self) -> str:
        self._items += 1
        return f"item-{self._items}"

    def _whole(self, value: dict[str, Any]) -> None:
        """An item that was not streamed."""
        self._close_item()
        item = {"id": self._new_item(), **value}
        self._notify("item/started", item=item)
        self._notify("item/completed", item=item)

    def _tool(self, value: dict[str, Any]) -> None:
        """An item that begins and goes on."""
        self._close_item()
        self._notify("item/started", item=value)

    def _notice(self, value: dict[str, Any]) -> None:
        """{method, params}: a notification of this turn."""
        self._notify(value["method"], **value.get("params", {}))

    def _usage(self, value: dict[str, Any]) -> None:
        """{total, last}: what differs from the usual figures."""
        figures = {name: {**USAGE, **value.get(name, {})} for name in ("total", "last")}
        self._notify("thread/tokenUsage/updated", tokenUsage={**figures, "modelContextWindow": 258_400})

    def _ask(self, value: dict[str, Any]) -> None:
        """Ask the client and wait for its answer, which is logged."""
        request_id = self._codex.new_id()
        answered = self._codex.expect(request_id)
        params = {"threadId": self._thread_id, "turnId": self.turn_id, **value.get("params", {})}
        self._wire.send({"id": request_id, "method": value["method"], "params": params})
        answered.wait(WAIT_SECONDS)

    # ------------------------------------------------------------ how it ends
    def _end_by_itself(self) -> None:
        if self.is_cancelled:
            self._turn({"status": "interrupted"})  # what was being said is not told whole
        else:
            self._stop("completed")

    def _stop(self, status: str) -> None:
        self._close_item()
        self._turn({"status": "completed" if status == "end_turn" else status})

    def _error(self, error: dict[str, Any]) -> None:
        """{message, codexErrorInfo, …}"""
        self._notify("error", error=error, willRetry=False)
        self._turn({"status": "failed", "error": error})

    def _turn(self, value: dict[str, Any]) -> None:
        """turn/completed, as it is."""
        self._end()
        turn = {"id": self.turn_id, "items": [], "itemsView": "summary", "error": None, **value}
        self._notify("turn/completed", turn=turn)

    def _unnamed(self, _: object) -> None:
        """Read before the first step: the reply to the prompt does not name the turn."""

    def _quiet(self, _: object) -> None:
        """Read before the first step: nothing is said of the turn by itself."""
