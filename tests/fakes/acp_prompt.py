"""What the scripted ACP agent says, asks and ends a prompt with."""

import json
from typing import TYPE_CHECKING, Any

from agent_prompt import Prompt  # siblings: the agent runs as a script
from agent_wire import WAIT_SECONDS

if TYPE_CHECKING:
    from agent_cli import AcpAgent


def chunk(text: str) -> dict[str, Any]:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


class AcpPrompt(Prompt):
    even_when_cancelled = ("stop", "error", "reply", "frame")

    def __init__(self, agent: "AcpAgent", request_id: object, session_id: str, text: str) -> None:
        super().__init__(agent, text)
        self._acp = agent
        self._request_id, self._session_id = request_id, session_id

    def ask_first(self) -> None:
        """A person has to allow what comes."""
        self._steps = [{"ask": {"method": "session/request_permission", "params": {"options": []}}}, *self._steps]

    def _filled_in(self) -> dict[str, str]:
        return {'"$id"': json.dumps(self._request_id), "$session": self._session_id}

    # ------------------------------------------------------------ what is said
    def _text(self, value: str) -> None:
        self._update(chunk(value))

    def _thought(self, value: str) -> None:
        self._update({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": value}})

    def _update(self, value: object) -> None:
        self._acp.update(self._session_id, value)

    def _ask(self, value: dict[str, Any]) -> None:
        """Ask the client and wait for its answer, which is logged."""
        request_id = self._acp.new_id()
        answered = self._acp.expect(request_id)
        params = {"sessionId": self._session_id, **value.get("params", {})}
        self._wire.send({"id": request_id, "method": value["method"], "params": params})
        answered.wait(WAIT_SECONDS)

    # ------------------------------------------------------------ how it ends
    def _end_by_itself(self) -> None:
        self._stop("cancelled" if self.is_cancelled else "end_turn")

    def _stop(self, reason: str) -> None:
        self._reply({"stopReason": reason})

    def _reply(self, result: object) -> None:
        self._end()
        self._wire.send({"id": self._request_id, "result": result})

    def _error(self, error: dict[str, Any]) -> None:
        self._end()
        self._wire.send({"id": self._request_id, "error": error})
