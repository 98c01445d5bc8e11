"""An ACP session on its process: prompts, cancel, and what the agent sends at any time.

Speaks only through the connection. The caller serialises prompts; a late answer of an earlier prompt is told
by its request id and ends nothing but that prompt.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from adapters import jsonrpc
from adapters.acp import messages
from adapters.acp.endings import Interaction, failure_of_loss
from adapters.acp.messages import PromptReply
from adapters.acp.profiles import Profile
from adapters.acp.tool_calls import ToolUpdate
from adapters.acp.turn import Turn
from adapters.acp.updates import MessageChunk, ThoughtChunk, UnknownUpdate, UsageUpdate, UserChunk, read_update
from adapters.acp.usage import SessionUsage
from adapters.connection import Connection, ConnectionLost, Prepared
from adapters.contract import Failed, NativeEvent, SessionInfo, SessionLoss, StopRecord
from adapters.framing import LineTooLong
from adapters.process import CliProcess
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger

log = get_logger()


class AcpSession:
    """Made by the driver, which opens it; `info` is there from then on."""

    info: SessionInfo

    def __init__(self, process: CliProcess, profile: Profile, *, request_ms: int, close_ms: int) -> None:
        """Nothing belongs to us before `begin`."""
        self._process = process
        self._profile = profile
        self._request_seconds = request_ms / 1000
        self._close_ms = close_ms
        self._session_id: str | None = None
        self.was_told_history = False
        """Something was said before the session began for us."""
        self._is_proven = True
        """False after a resume, until a turn has shown that there is a session."""
        self.loss: SessionLoss | None = None
        self._closing = False
        self._turn: Turn | None = None
        self._unanswered: set[int] = set()
        self._settled = asyncio.Event()
        self._settled.set()
        self._gone = asyncio.Event()
        self._counts: Counter[str] = Counter()
        self._reported: Counter[str] = Counter()
        self._usage = SessionUsage(is_fresh=False)
        self._rest_until = 0.0
        self.heard = asyncio.Event()
        """Set by each update, for those who wait until the agent is quiet."""
        self.connection = Connection(process, self)

    def begin(self, session_id: str, *, resumed: bool) -> None:
        """The session is open: from here on its updates belong to it."""
        self._session_id, self._is_proven = session_id, not resumed
        self._usage = SessionUsage(is_fresh=not resumed)

    # ------------------------------------------------------------ the contract
    async def prompt(self, text: str) -> AsyncIterator[NativeEvent]:
        if self._turn is not None:
            raise RuntimeError("one prompt at a time")
        refused = self._refuse_prompt()
        if refused is not None:
            yield refused
            return
        assert self._session_id is not None
        try:
            prepared = self.connection.prepare("session/prompt", messages.prompt_params(self._session_id, text))
        except LineTooLong:
            yield Failed(
                code=ErrorCode.MESSAGE_TOO_LARGE,
                message="The message with its context is longer than one line of the agent's protocol may be.",
                hint="Shorten the message, or compact this agent's context.",
            )
            return
        turn = self._turn = Turn(self._profile, self._counts, session_is_proven=self._is_proven)
        try:
            self._send_prompt(prepared, turn)
            # beside the reading: an agent may answer while it still reads, and must not have to wait for that
            watching = asyncio.create_task(
                self.connection.watch_taken(self._request_seconds), name=f"prompt-{self._process.opened.pid}"
            )
            try:
                while (event := await turn.next()) is not None:
                    yield event
                self._count_oddities()
                rest, terminal = turn.finish()
                self._is_proven |= turn.has_answer
            finally:
                watching.cancel()
            self._turn = None
            for event in rest:
                yield event
            yield terminal
        finally:
            self._leave(turn, prepared.id)

    async def cancel(self) -> None:
        turn = self._turn
        if turn is not None and turn.ending is None and not turn.cancel_sent:
            self._send_cancel(turn)

    async def settled(self, timeout_seconds: float) -> bool:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._settled.wait()
                await asyncio.sleep(max(0.0, self._rest_until - loop.time()))
        except TimeoutError:
            return False
        return self.usable

    @property
    def usable(self) -> bool:
        return self.connection.loss is None

    @property
    def exit_code(self) -> int | None:
        return self._process.exit_code

    @property
    def last_words(self) -> str:
        return self._process.last_words

    async def gone(self) -> None:
        await self._gone.wait()

    async def close(self) -> StopRecord:
        self._closing = True
        record = await self._process.stop(self._close_ms)
        await self.connection.close()
        return record

    # ------------------------------------------------------------ what the connection tells
    def notified(self, notification: jsonrpc.Notification) -> None:
        if notification.method != "session/update":
            return  # extensions of the agent's own
        session_id, update = read_update(notification.params)
        self.heard.set()
        if self._session_id is None:  # history told again, or somebody else's
            self.was_told_history |= isinstance(update, MessageChunk | ThoughtChunk | UserChunk | ToolUpdate)
            return
        if session_id not in (None, self._session_id):
            self._counts["other_session"] += 1
            return
        usage = self._usage.of_update(update) if isinstance(update, UsageUpdate) else None
        if self._turn is not None:
            self._turn.updated(update, usage)
        elif isinstance(update, MessageChunk | ThoughtChunk) and update.text:
            self._counts["late_text"] += 1
        elif isinstance(update, UnknownUpdate):
            self._counts["unknown_update"] += 1

    def asked(self, request: jsonrpc.Request) -> dict[str, Any] | None:
        kind = messages.asks_a_person(request.method)
        turn = self._turn
        if turn is not None:
            turn.begin()
        if kind is None:
            return None
        log.info("native_interaction", pid=self._process.opened.pid, kind=kind, in_turn=turn is not None)
        # while a cancel of ours is on its way, the protocol wants exactly this answer and nothing else happens
        if turn is not None and turn.ending is None and not turn.cancel_sent:
            turn.end(Interaction(kind))
            asyncio.get_running_loop().call_soon(self._send_cancel, turn)  # after the answer to the request
        return messages.CANCELLED_OUTCOME

    def lost(self, loss: SessionLoss) -> None:
        if not self._closing:
            self.loss = loss
        if self._turn is not None:
            self._turn.end(loss)
        self._unanswered.clear()
        self._settled.set()
        self._gone.set()

    async def has_room(self) -> None:
        if self._turn is not None:
            await self._turn.has_room()

    # ------------------------------------------------------------ inside
    def _refuse_prompt(self) -> Failed | None:
        loss = self.connection.loss
        if loss is not None:
            return Failed(
                code=ErrorCode.NATIVE_SESSION_LOST,
                message=f"The agent's session was over before the message was sent. {loss.message}",
                hint=failure_of_loss(loss).hint,
                session_lost=True,
            )
        if self._unanswered:
            return Failed(
                code=ErrorCode.NATIVE_SESSION_LOST,
                message="The agent has not let go of an earlier turn.",
                hint="The next message starts a fresh process.",
                session_lost=True,
            )
        return None

    def _send_prompt(self, prepared: Prepared, turn: Turn) -> None:
        def answered(response: jsonrpc.Response) -> None:
            self._answered(prepared.id)
            if turn.cancel_sent:
                self._rest_until = asyncio.get_running_loop().time() + self._profile.rest_after_cancel_seconds
            turn.begin()
            turn.end(response.error or self._read_reply(response.result))

        self._unanswered.add(prepared.id)
        self._settled.clear()
        try:
            self.connection.ask(prepared, answered)
        except ConnectionLost as error:
            self._answered(prepared.id)
            turn.end(error.loss)

    def _read_reply(self, result: object) -> PromptReply:
        reply = messages.read_prompt_reply(result, self._profile.error_in_meta)
        return self._usage.of_reply(reply) if self._profile.usage_is_of_session else reply

    def _answered(self, request_id: int) -> None:
        self._unanswered.discard(request_id)
        if not self._unanswered:
            self._settled.set()

    def _send_cancel(self, turn: Turn) -> None:
        assert self._session_id is not None
        if turn.cancel_sent:
            return
        turn.cancel_sent = True
        self.connection.notify("session/cancel", messages.cancel_params(self._session_id))

    def _leave(self, turn: Turn, request_id: int) -> None:
        """After the terminal nothing is left to do; an abandoned prompt is cancelled and its answer awaited."""
        turn.leave()
        if self._turn is turn:
            self._turn = None
        if request_id in self._unanswered and not turn.cancel_sent:
            self._send_cancel(turn)

    def _count_oddities(self) -> None:
        now = Counter(
            noise=self._process.noise,
            invalid_utf8=self._process.invalid_utf8,
            late_answer=self.connection.late_answers,
        )
        self._counts.update(now - self._reported)
        self._reported = now
