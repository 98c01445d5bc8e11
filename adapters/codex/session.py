"""A Codex thread on its process: its turns by their ids, and what the app server says at any time.

The reply to a prompt only names the turn; its end is a notification. What comes of a turn that is over is counted. A
second `turn/start` while a turn runs would steer that turn, so none is sent before its end.
"""

import contextlib
from collections import deque
from collections.abc import Callable
from typing import Any

from adapters import jsonrpc
from adapters.cli_session import CliSession, Question
from adapters.codex import messages, wire
from adapters.codex.turn import CodexTurn
from adapters.codex.updates import MessageDelta, ThoughtDelta, TurnBegun, TurnEnded, Update, UsageTold, read_update
from adapters.codex.usage import ThreadUsage, seconds_to_reset
from adapters.connection import ConnectionLost
from adapters.contract import MCP_SERVER
from adapters.process import CliProcess
from adapters.questions import asks_a_person
from adapters.reading import maybe_object
from groupx.kernel.clock import Clock, SystemClock

ENDED_TURNS = 32
"""Whose late notifications are told apart from those of a turn whose id is not known yet."""


class CodexSession(CliSession[CodexTurn]):
    def __init__(self, process: CliProcess, *, request_ms: int, close_ms: int, clock: Clock | None = None) -> None:
        """Nothing belongs to us before `begin`."""
        self._clock = clock or SystemClock()
        self._thread_id: str | None = None
        self._usage = ThreadUsage(is_fresh=False)
        self._ended: deque[str] = deque(maxlen=ENDED_TURNS)
        self._rate_limits: dict[str, Any] = {}
        super().__init__(process, wire, request_ms=request_ms, close_ms=close_ms)

    def begin(self, thread_id: str, *, resumed: bool) -> None:
        """The thread is open: from here on what is said of it belongs to us."""
        self._thread_id, self._is_proven = thread_id, not resumed
        self._usage = ThreadUsage(is_fresh=not resumed)

    # ------------------------------------------------------------ what Codex says
    def notified(self, notification: jsonrpc.Notification) -> None:
        update = read_update(notification)
        if update is None:
            self._note(notification)
        elif self._thread_id is None:
            pass  # of nobody yet
        elif update.thread_id not in (None, self._thread_id):
            self._counts["other_session"] += 1
        else:
            self._take(update)

    def _note(self, notification: jsonrpc.Notification) -> None:
        """What is about no turn."""
        params = notification.params
        match notification.method:
            case "account/rateLimits/updated":
                self._rate_limits |= maybe_object(params.get("rateLimits"))
            case "mcpServer/startupStatus/updated":
                if params.get("name") == MCP_SERVER:
                    self._note_room_tools(params.get("status"))

    def _note_room_tools(self, status: object) -> None:
        match status:
            case "ready":
                self._counts.pop("mcp_not_connected", None)
                self.room_tools.told(are_seen=True)
            case "failed":
                self._counts["mcp_not_connected"] += 1
                self.room_tools.told(are_seen=False)

    def _take(self, update: Update) -> None:
        turn = self._turn_of(update)
        if turn is None and isinstance(update.what, UsageTold):
            return  # told again after a resume, of the last turn before it
        if turn is None:
            late = isinstance(update.what, MessageDelta | ThoughtDelta) and update.what.text
            self._counts["late_text" if late else "other_turn"] += 1
            return
        if self._turn is turn:
            usage = self._usage.told(update.what.tokens) if isinstance(update.what, UsageTold) else None
            turn.told(update.what, usage, self._seconds_to_reset())
        if isinstance(update.what, TurnEnded):
            self._ended.append(update.turn_id or "")
            self.native_end(turn)
        elif turn.is_to_interrupt:
            self._interrupt(turn)

    def _turn_of(self, update: Update) -> CodexTurn | None:
        """Ours that is meant; its first words may come before the reply that names it."""
        turn = self._unfinished
        if turn is None or update.turn_id in self._ended:
            return None
        if turn.native_id is not None:
            return turn if update.turn_id in (None, turn.native_id) else None
        if isinstance(update.what, UsageTold):
            return None
        if isinstance(update.what, TurnBegun) and update.turn_id is not None:
            self._name(turn, update.turn_id)
        return turn

    def _seconds_to_reset(self) -> float | None:
        return seconds_to_reset(self._rate_limits, self._clock.now().timestamp()) if self._rate_limits else None

    def _question(self, request: jsonrpc.Request) -> Question | None:
        kind = asks_a_person(request.method)
        return Question(kind, messages.CANCELLED.get(request.method)) if kind else None

    # ------------------------------------------------------------ what we say
    def _new_turn(self) -> CodexTurn:
        self._usage.begin_turn()
        return CodexTurn(self._counts, session_is_proven=self._is_proven)

    def _prepare_prompt(self, text: str) -> Callable[[CodexTurn], None]:
        assert self._thread_id is not None
        prepared = self.connection.prepare("turn/start", messages.turn_params(self._thread_id, text))

        def send(turn: CodexTurn) -> None:
            def answered(response: jsonrpc.Response) -> None:
                if response.error is not None:
                    self.native_end(turn)
                    turn.begin()
                    turn.end(response.error)
                elif (turn_id := messages.read_turn_id(response.result)) is not None:
                    self._name(turn, turn_id)
                turn.begin(turn.native_id)

            self.connection.ask(prepared, answered)

        return send

    def _name(self, turn: CodexTurn, turn_id: str) -> None:
        turn.native_id = turn_id
        if turn.is_to_interrupt:
            self._interrupt(turn)

    def _say_cancel(self) -> None:
        turn = self._unfinished
        if turn is not None:
            turn.is_to_interrupt = True
            self._interrupt(turn)

    def _interrupt(self, turn: CodexTurn) -> None:
        """Codex refuses it as long as the turn that it has named is not running yet: then again with its next word.

        Before the turn has a name nothing is sent.
        """
        assert self._thread_id is not None
        if turn.native_id is None or turn.interrupts_left == 0:
            return
        turn.interrupts_left -= 1
        turn.is_to_interrupt = False

        def answered(response: jsonrpc.Response) -> None:
            turn.is_to_interrupt = response.error is not None

        params = messages.interrupt_params(self._thread_id, turn.native_id)
        with contextlib.suppress(ConnectionLost):  # whose end ends the turn
            self.connection.ask(self.connection.prepare("turn/interrupt", params), answered)
