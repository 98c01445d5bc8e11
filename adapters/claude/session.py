"""A Claude Code session on its process: its prompts, and what the CLI says at any time.

A turn's end is told without saying whose it is; since no prompt is sent before the last one has ended natively, it is
always that of the only one that is owed.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from adapters import jsonrpc
from adapters.claude import messages, wire
from adapters.claude.frames import Init, Message, Result, TextPiece, Unknown, read_frame
from adapters.claude.mcp_file import remove
from adapters.claude.program import CLAUDE, UNRESTRICTED
from adapters.claude.results import Costs, answer_of, ending_of
from adapters.claude.turn import ClaudeTurn
from adapters.cli_session import CliSession, Question
from adapters.connection import ConnectionLost, OnAnswer
from adapters.contract import AgentSpec, Failed, StopRecord
from adapters.endings import BrokenOff
from adapters.failures import readable
from adapters.framing import write_line
from adapters.jsonrpc import RpcError
from adapters.process import CliProcess
from adapters.start_failures import policy_blocked
from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode

_LOST = Failed(
    code=ErrorCode.NATIVE_SESSION_LOST,
    message="The agent began another session instead of resuming its own.",
    hint="The next message starts a fresh session.",
    session_lost=True,
)


class ClaudeSession(CliSession[ClaudeTurn]):
    def __init__(
        self,
        process: CliProcess,
        native_session_id: str,
        spec: AgentSpec,
        mcp_file: Path | None,
        clock: Clock,
    ) -> None:
        self._native_session_id = native_session_id
        self._cwd = str(spec.cwd.resolve())  # as a process sees it
        self._mcp_file = mcp_file
        self._costs = Costs()
        self._clock = clock
        self._is_open = False
        self.start_error: RpcError | None = None
        """What the CLI said against the start before it ended."""
        super().__init__(process, wire, request_ms=spec.request_ms, close_ms=spec.close_ms)

    def begin(self, *, resumed: bool) -> None:
        """The session is open: from here on turns end."""
        self._is_open, self._is_proven = True, not resumed

    async def close(self) -> StopRecord:
        try:
            return await super().close()
        finally:
            remove(self._mcp_file)

    # ------------------------------------------------------------ what the CLI says
    def notified(self, notification: jsonrpc.Notification) -> None:
        frame, turn = read_frame(notification.method, notification.params), self._turn
        match frame:
            case Result(fields):
                self._end_turn(fields)
                return
            case Init():
                self._check(frame)
            case _:
                pass
        if turn is not None:
            turn.take(frame)
        elif isinstance(frame, TextPiece) or (isinstance(frame, Message) and frame.texts):
            self._counts["late_text"] += 1
        elif isinstance(frame, Unknown):
            self._counts["unknown_update"] += 1

    def _end_turn(self, result: dict[str, Any]) -> None:
        turn = self._unfinished
        usage = self._costs.usage_of(result, None if turn is None else turn.context_used)
        if turn is None:
            self._end_no_turn(result)
            return
        self.native_end(turn)
        ending = ending_of(result, self._seconds_until(turn.resets_at))
        turn.begin()
        turn.answer(answer_of(result))
        turn.use_up(usage)
        turn.end(ending)

    def _end_no_turn(self, result: dict[str, Any]) -> None:
        ending = ending_of(result)
        if self._is_open:
            self._counts["late_result"] += 1
        elif isinstance(ending, RpcError):
            self.start_error = ending

    def _check(self, init: Init) -> None:
        """What is known of the session only when its first turn begins."""
        if init.session_id not in (None, self._native_session_id):
            self._counts["other_session"] += 1
            if not self._is_proven:
                self._break_off(BrokenOff(_LOST))
        if init.cwd not in (None, self._cwd):
            self._counts["other_folder"] += 1
        if init.mcp_status.get("groupx") not in (None, "connected", "pending"):
            self._counts["mcp_not_connected"] += 1
        if init.mode not in (None, UNRESTRICTED):
            self._set_mode_again()

    def _set_mode_again(self) -> None:
        """The model may have changed the mode itself; a policy that has, does not let us back."""

        def answered(response: jsonrpc.Response) -> None:
            if response.error is not None or messages.was_downgraded(response.result):
                self._break_off(BrokenOff(_blocked(response.error)))

        self._ask("set_permission_mode", messages.UNRESTRICTED_MODE, answered)

    def _question(self, request: jsonrpc.Request) -> Question | None:
        asked = messages.asks_a_person(request.method)
        return Question(*asked) if asked else None

    # ------------------------------------------------------------ what we say
    def _new_turn(self) -> ClaudeTurn:
        return ClaudeTurn(self._counts, session_is_proven=self._is_proven)

    def _prepare_prompt(self, text: str) -> Callable[[ClaudeTurn], None]:
        line = write_line(messages.prompt(text, self._native_session_id))
        return lambda turn: self.connection.send(line)

    def _say_cancel(self) -> None:
        self._ask("interrupt", {}, lambda response: None)

    def _ask(self, subtype: str, params: dict[str, Any], on_answer: OnAnswer) -> None:
        with suppress(ConnectionLost):  # the loss ends the turn
            self.connection.ask(self.connection.prepare(subtype, params), on_answer)

    def _seconds_until(self, moment: float | None) -> float | None:
        return None if moment is None else max(0.0, moment - self._clock.now().timestamp())


def _blocked(error: RpcError | None) -> Failed:
    blocked = policy_blocked(CLAUDE, readable(error) if error else "it took another permission mode.")
    return Failed(code=blocked.code, message=blocked.message, hint=blocked.hint)
