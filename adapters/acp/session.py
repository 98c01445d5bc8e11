"""An ACP session on its process: its prompts, and what the agent sends at any time.

A late answer of an earlier prompt is told by its request id and ends nothing but that prompt.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from adapters import jsonrpc
from adapters.acp import messages
from adapters.acp.profiles import Profile
from adapters.acp.turn import AcpTurn
from adapters.acp.updates import MessageChunk, ThoughtChunk, UnknownUpdate, UserChunk, read_update
from adapters.acp.usage import SessionUsage
from adapters.cli_session import CliSession, Question
from adapters.contract import MCP_SERVER
from adapters.endings import PromptReply
from adapters.process import CliProcess
from adapters.questions import asks_a_person
from adapters.tools import ToolUpdate


class AcpSession(CliSession[AcpTurn]):
    def __init__(self, process: CliProcess, profile: Profile, *, request_ms: int, close_ms: int) -> None:
        """Nothing belongs to us before `begin`."""
        self._profile = profile
        self._session_id: str | None = None
        self.was_told_history = False
        """Something was said before the session began for us."""
        self._usage = SessionUsage(is_fresh=False)
        self.heard = asyncio.Event()
        """Set by each update, for those who wait until the agent is quiet."""
        super().__init__(process, jsonrpc, request_ms=request_ms, close_ms=close_ms)

    def begin(self, session_id: str, *, resumed: bool) -> None:
        """The session is open: from here on its updates belong to it."""
        self._session_id, self._is_proven = session_id, not resumed
        self._usage = SessionUsage(is_fresh=not resumed, is_of_calls=self._profile.usage_is_of_calls)

    # ------------------------------------------------------------ what the agent says
    def notified(self, notification: jsonrpc.Notification) -> None:
        if notification.method != "session/update":
            if notification.method == self._profile.tells_room_tools_by:
                self._note_room_tools(notification.params)
            return  # else extensions of the agent's own
        session_id, update = read_update(notification.params)
        self.heard.set()
        if self._session_id is None:  # history told again, or somebody else's
            self.was_told_history |= isinstance(update, MessageChunk | ThoughtChunk | UserChunk | ToolUpdate)
            return
        if session_id not in (None, self._session_id):
            self._counts["other_session"] += 1
            return
        if self._turn is not None:
            self._turn.updated(update, self._usage.told_with(update, notification.params))
        elif isinstance(update, MessageChunk | ThoughtChunk) and update.text:
            self._counts["late_text"] += 1
        elif isinstance(update, UnknownUpdate):
            self._counts["unknown_update"] += 1

    def _note_room_tools(self, params: dict[str, Any]) -> None:
        if params.get("name") == MCP_SERVER and params.get("status") in ("ready", "unavailable"):
            self.room_tools.told(are_seen=params["status"] == "ready")

    def _question(self, request: jsonrpc.Request) -> Question | None:
        kind = asks_a_person(request.method)
        return Question(kind, messages.CANCELLED_OUTCOME) if kind else None

    # ------------------------------------------------------------ what we say
    def _new_turn(self) -> AcpTurn:
        self._usage.begin_turn()
        return AcpTurn(self._profile, self._counts, session_is_proven=self._is_proven)

    def _prepare_prompt(self, text: str) -> Callable[[AcpTurn], None]:
        assert self._session_id is not None
        prepared = self.connection.prepare("session/prompt", messages.prompt_params(self._session_id, text))

        def send(turn: AcpTurn) -> None:
            def answered(response: jsonrpc.Response) -> None:
                self.native_end(turn)
                if turn.cancel_sent:
                    self._rest_until = asyncio.get_running_loop().time() + self._profile.rest_after_cancel_seconds
                turn.begin()
                turn.end(response.error or self._read_reply(response.result))

            self.connection.ask(prepared, answered)

        return send

    def _say_cancel(self) -> None:
        assert self._session_id is not None
        self.connection.notify("session/cancel", messages.cancel_params(self._session_id))

    def _read_reply(self, result: object) -> PromptReply:
        reply = messages.read_prompt_reply(result, self._profile.error_in_meta)
        if not self._profile.usage_is_of_session:
            return reply
        return replace(reply, usage=self._usage.of_reply(reply.usage))
