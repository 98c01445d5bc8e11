"""A Claude Code session on its process: its prompts, and what the CLI says at any time.

A turn's end is told without saying whose it is. No prompt is sent before the last one has ended natively, so it is that
of the only one which is owed, or of a turn of the agent's own.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from adapters import jsonrpc
from adapters.claude import messages, wire
from adapters.claude.frames import Frame, Init, Message, PromptTold, Result, TextPiece, ToolsTold, Unknown, read_frame
from adapters.claude.mcp_file import remove
from adapters.claude.program import CLAUDE, UNRESTRICTED
from adapters.claude.results import Costs, answer_of, ending_of
from adapters.claude.turn import ClaudeTurn
from adapters.claude.whose import Whose
from adapters.cli_session import CliSession, Question
from adapters.connection import ConnectionLost, OnAnswer
from adapters.contract import MCP_SERVER, AgentSpec, Failed, ProgressReported, StopRecord
from adapters.endings import BrokenOff, Ending, PromptReply
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
        self._whose = Whose()
        self._cancel_at_start = False
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
        frame = read_frame(notification.method, notification.params)
        match frame:
            case PromptTold():
                self._follow(frame)
            case Init():
                self._check(frame)
                if self._whose.begins() and self._is_open:
                    self._counts["own_turn"] += 1
                self._take(frame)
            case Result(fields):
                self._end_turn(fields)
            case _:
                self._take(frame)

    def _take(self, frame: Frame) -> None:
        turn = self._turn
        if turn is not None and self._whose.is_prompts:
            turn.take(frame)
        elif turn is not None and turn.ending is None and isinstance(frame, Init | Message | ToolsTold):
            turn.report(ProgressReported("earlier_work"))  # the prompt waits for what the agent does by itself
        elif isinstance(frame, TextPiece) or (isinstance(frame, Message) and frame.texts):
            self._counts["late_text"] += 1
        elif isinstance(frame, Unknown):
            self._counts["unknown_update"] += 1

    def _follow(self, told: PromptTold) -> None:
        """What becomes of our prompt."""
        turn = self._unfinished
        is_ours = turn is not None and told.prompt_id == self._whose.prompt_id
        match told.state:
            case "queued":
                self._whose.queued()
            case "started":
                self._whose.started(told.prompt_id)
                if is_ours and self._cancel_at_start:
                    self._say_cancel()
            case "completed" | "cancelled" if is_ours:  # its result is missing
                self._whose.ends()
                self._end(PromptReply(stop_reason="end_turn" if told.state == "completed" else "cancelled"))
                return
            case _:
                pass
        if is_ours and self._turn is not None:
            self._turn.begin()

    def _end_turn(self, result: dict[str, Any]) -> None:
        is_prompts = self._whose.ends()
        turn = self._unfinished
        if turn is None or not is_prompts:
            self._end_another(result)
            return
        turn.answer(answer_of(result))
        turn.use_up(self._costs.usage_of(result, turn.context_used))
        self._end(ending_of(result, self._seconds_until(turn.resets_at)))

    def _end_another(self, result: dict[str, Any]) -> None:
        """The end of a turn of the agent's own, or a word against the start. What it has cost is told with the next."""
        ending = ending_of(result)
        if not self._is_open and isinstance(ending, RpcError):
            self.start_error = ending

    def _end(self, ending: Ending) -> None:
        turn = self._unfinished
        assert turn is not None
        self._cancel_at_start = False
        self.native_end(turn)
        turn.begin()
        turn.end(ending)

    def _check(self, init: Init) -> None:
        """What is known of the session only when its first turn begins."""
        if init.session_id not in (None, self._native_session_id):
            self._counts["other_session"] += 1
            if not self._is_proven:
                self._break_off(BrokenOff(_LOST))
        if init.cwd not in (None, self._cwd):
            self._counts["other_folder"] += 1
        if init.mcp_status.get(MCP_SERVER) not in (None, "connected", "pending"):
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
        prompt_id = str(uuid4())
        line = write_line(messages.prompt(text, self._native_session_id, prompt_id))

        def send(turn: ClaudeTurn) -> None:
            self._whose.prompted(prompt_id)
            self.connection.send(line)

        return send

    def _say_cancel(self) -> None:
        """An interrupt reaches only what has begun: a prompt that waits is interrupted when it starts."""

        def answered(response: jsonrpc.Response) -> None:
            self._cancel_at_start = self._whose.prompt_id in messages.still_queued(response.result)

        self._ask("interrupt", {}, answered)

    def _ask(self, subtype: str, params: dict[str, Any], on_answer: OnAnswer) -> None:
        with suppress(ConnectionLost):  # the loss ends the turn
            self.connection.ask(self.connection.prepare(subtype, params), on_answer)

    def _seconds_until(self, moment: float | None) -> float | None:
        return None if moment is None else max(0.0, moment - self._clock.now().timestamp())


def _blocked(error: RpcError | None) -> Failed:
    blocked = policy_blocked(CLAUDE, readable(error) if error else "it took another permission mode.")
    return Failed(code=blocked.code, message=blocked.message, hint=blocked.hint)
