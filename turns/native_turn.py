"""One prompt through one native session, to exactly one outcome: limits, cancel, stop, live events.

Knows no database but for the two writes it is handed (`started`, `save_partial`). Whatever the agent does or
fails to do, `run` returns an outcome; it never sends the prompt a second time.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, assert_never

from adapters.contract import (
    Cancelled,
    Completed,
    Diagnostic,
    Failed,
    Interrupted,
    NativeEvent,
    ProgressReported,
    ReasoningDelta,
    Session,
    Started,
    Terminal,
    TextDelta,
    ToolEvent,
    UsageReported,
)
from groupx.kernel.clock import Clock
from groupx.kernel.config import Timeouts
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger
from turns.cancel_steps import step, steps_of_close
from turns.control import LaneControl, Stop
from turns.deadlines import TurnTimes, explain, next_deadline
from turns.evidence import seen_in_turn
from turns.heartbeat import Heartbeat
from turns.partial_saves import PartialSaves
from turns.pauses import end_of_delay
from turns.recording import Recording
from turns.settlement import TurnOutcome
from turns.state import TurnStatus

log = get_logger()

FREEZE_SECONDS = 2.0
STOP_PATIENCE_SECONDS = 4.0
"""On a stop an agent gets closeMs, but not more than this: the whole room ends within 15 s."""


@dataclass(frozen=True, kw_only=True)
class TurnHooks:
    """What a running turn tells its lane. The awaitables are database writes; `tell` is for live readers."""

    started: Callable[[str | None], Awaitable[None]]
    save_partial: Callable[[str], Awaitable[bool]]
    """Given the text since the last save; False when it could not be kept and should come again."""
    tell: Callable[[NativeEvent], None]
    heartbeat: Callable[[int], None]


class NativeTurn:
    def __init__(
        self,
        turn_id: str,
        session: Session,
        hooks: TurnHooks,
        control: LaneControl,
        timeouts: Timeouts,
        clock: Clock,
    ) -> None:
        self._turn_id, self._session, self._hooks = turn_id, session, hooks
        self._control, self._timeouts, self._clock = control, timeouts, clock
        self.recording = Recording()
        self._times = TurnTimes(prompted_at=clock.monotonic())
        self._has_started = False
        self._cancel_sent_at: float | None = None
        self._heeded_cancel = False
        self._stop: Stop | None = None
        self._steps: list[dict[str, Any]] = []
        self._saves = PartialSaves(turn_id, self.recording, hooks.save_partial, clock)
        self._heartbeat = Heartbeat(hooks.heartbeat, clock)

    async def run(self, prompt: str) -> TurnOutcome:
        if (unwanted := self._unwanted()) is not None:
            return unwanted
        stream = self._session.prompt(prompt)
        next_event = asyncio.create_task(_next(stream), name="native-event")
        changed = asyncio.create_task(self._control.changed(), name="lane-control")
        try:
            while True:
                alarm_seconds, asleep_at = self._seconds_to_next_alarm(), self._clock.monotonic()
                done = await self._clock.wait({next_event, changed}, alarm_seconds)
                self._notice_a_freeze(self._clock.monotonic() - asleep_at - alarm_seconds)
                if changed in done:
                    changed = asyncio.create_task(self._control.changed(), name="lane-control")
                if next_event in done:
                    if (outcome := await self._take(next_event.result())) is not None:
                        return outcome
                    next_event = asyncio.create_task(_next(stream), name="native-event")
                # Every round, also while events pour in: a flood starves neither a cancel nor a limit.
                await self._notice_calls()
                await self._obey()
                if (outcome := await self._alarms()) is not None:
                    return outcome
        finally:
            changed.cancel()
            next_event.cancel()
            await asyncio.gather(changed, next_event, return_exceptions=True)
            await self._saves.end()
            await stream.aclose()  # type: ignore[attr-defined]

    def _notice_a_freeze(self, late_seconds: float) -> None:
        """Woken much later than asked for: what the agent said meanwhile waits in the pipe and is read first."""
        if late_seconds > FREEZE_SECONDS:
            log.warning("lane_was_frozen", turn_id=self._turn_id, seconds=round(late_seconds, 1))
            self._times.leave_out(late_seconds)
            if self._cancel_sent_at is not None:
                self._cancel_sent_at += late_seconds

    # ------------------------------------------------------------ what others want
    def _unwanted(self) -> TurnOutcome | None:
        """Cancelled or stopped before the first byte: then nothing is sent."""
        if self._cancelled_by_request:
            return self._cancelled()
        if self._control.stop is not None:
            self._stop = self._control.stop
            return self._stopped()
        return None

    async def _obey(self) -> None:
        """Pass a cancel on to the agent, once; remember why."""
        if self._control.stop is not None and self._stop is None:
            self._stop = self._control.stop
        elif not self._cancelled_by_request:
            return
        if self._cancel_sent_at is None:
            self._cancel_sent_at = self._clock.monotonic()
            self._step("native_cancel")
            await self._session.cancel()

    @property
    def _cancelled_by_request(self) -> bool:
        return self._turn_id in self._control.cancelled_turn_ids

    async def _alarms(self) -> TurnOutcome | None:
        now = self._clock.monotonic()
        if self._cancel_sent_at is not None:
            if now >= self._cancel_sent_at + self._patience_seconds:
                return await self._give_up_waiting()
        elif (deadline := next_deadline(self._times, self._timeouts)).at <= now:
            self._step("limit_reached")
            await self._session.cancel()
            message, hint = explain(deadline.code, self._timeouts)
            return self._ended(TurnStatus.FAILED, deadline.code, message, hint)
        silent_since = self._times.last_sign_at or self._times.prompted_at
        self._heartbeat.beat_if_due(silent_since, is_in_call=self._times.call_is_open)
        self._saves.save_if_due()
        return None

    async def _give_up_waiting(self) -> TurnOutcome:
        if self._stop is not None:
            # The turn's end is committed first; the lane ends the process right after it.
            self._step("stopped_waiting")
            return self._stopped()
        asked_ms = self._since_cancel_ms()
        self._steps += steps_of_close(await self._session.close(), asked_ms)
        return self._ended(
            TurnStatus.INTERRUPTED,
            ErrorCode.TURN_CANCEL_TIMEOUT,
            f"The agent did not stop within {self._timeouts.cancel_ms / 1000:g} s; its process was ended.",
            "What it did until then stays done. Look before you retry.",
        )

    @property
    def _patience_seconds(self) -> float:
        if self._stop is None:
            return self._timeouts.cancel_ms / 1000
        return min(self._timeouts.close_ms / 1000, STOP_PATIENCE_SECONDS)

    def _seconds_to_next_alarm(self) -> float:
        now = self._clock.monotonic()
        alarms = [self._heartbeat.next_at]
        if self._cancel_sent_at is not None:
            alarms.append(self._cancel_sent_at + self._patience_seconds)
        else:
            alarms.append(next_deadline(self._times, self._timeouts).at)
        if (save_at := self._saves.next_at) is not None:
            alarms.append(save_at)
        return max(0.0, min(alarms) - now)

    # ------------------------------------------------------------ what the agent says
    async def _take(self, event: NativeEvent) -> TurnOutcome | None:
        if not isinstance(event, Diagnostic):
            self._times.last_sign_at = self._clock.monotonic()
            self._heartbeat.noticed_event()
        if not isinstance(event, Diagnostic | Failed | Interrupted):
            await self._start(event.native_turn_id if isinstance(event, Started) else None)
        match event:
            case Completed() | Failed() | Cancelled() | Interrupted():
                return self._terminal(event)
            case TextDelta() | ReasoningDelta() | ToolEvent() | UsageReported() | ProgressReported():
                self.recording.take(event)
                self._times.tool_is_open = bool(self.recording.open_tools)
                self._hooks.tell(event)
            case Diagnostic(kind, count):
                log.info("native_oddity", turn_id=self._turn_id, kind=kind, count=count)
            case Started():
                pass
            case _:
                assert_never(event)
        return None

    async def _notice_calls(self) -> None:
        """Who calls the room's tools lives and has its prompt, also where its CLI says nothing of the call."""
        open_calls = self._control.news_of_calls(self._turn_id)
        if open_calls is None:
            return
        self._times.call_is_open = open_calls > 0
        self._times.last_sign_at = self._clock.monotonic()
        self._heartbeat.noticed_call()
        await self._start(None)

    async def _start(self, native_turn_id: str | None) -> None:
        """The agent has the prompt; written once."""
        if not self._has_started:
            self._has_started = True
            began = self._clock.monotonic()
            await self._hooks.started(native_turn_id)
            self._times.leave_out(self._clock.monotonic() - began)  # waiting for our own database is no silence

    def _terminal(self, event: Terminal) -> TurnOutcome:
        # an ordinary end, or an error, may have come without our asking
        self._heeded_cancel = isinstance(event, Cancelled) and event.is_certain and self._cancel_sent_at is not None
        match event:
            case Completed(text, stop_reason):
                return self._outcome(TurnStatus.COMPLETED, text=text, stop_reason=stop_reason)
            case Cancelled() if self._cancelled_by_request:
                return self._cancelled()
            case _ if self._stop is not None:
                return self._stopped()
            case Cancelled():
                return self._cancelled()
            case Failed(code=ErrorCode.NATIVE_ERROR) if self._cancel_sent_at is not None:
                return self._cancelled()  # some agents answer a cancelled prompt with an error
            case Failed(code=code, message=message, hint=hint, retry_after_seconds=seconds):
                until = end_of_delay(self._clock.now(), seconds)
                return self._ended(TurnStatus.FAILED, code, message, hint, paused_until=until)
            case Interrupted(code=code, message=message):
                return self._ended(TurnStatus.INTERRUPTED, code, message, None)
            case _:
                assert_never(event)

    # ------------------------------------------------------------ outcomes
    def _cancelled(self) -> TurnOutcome:
        return self._ended(TurnStatus.CANCELLED, ErrorCode.TURN_CANCELLED, "The turn was cancelled.", None)

    def _stopped(self) -> TurnOutcome:
        if self._stop is Stop.RESTARTING:
            code, message = ErrorCode.AGENT_RESTARTED, "The agent was restarted while this turn was running."
        else:
            code, message = ErrorCode.TURN_INTERRUPTED, "GroupX was stopped while this turn was running."
        return self._ended(TurnStatus.INTERRUPTED, code, message, "Look at what was done, then retry.")

    def _ended(self, status: TurnStatus, code: ErrorCode, message: str, hint: str | None, **more: Any) -> TurnOutcome:
        return self._outcome(status, text=self.recording.text, error_code=code, message=message, hint=hint, **more)

    def _outcome(self, status: TurnStatus, *, error_code: ErrorCode | None = None, **facts: Any) -> TurnOutcome:
        seen = seen_in_turn(
            self.recording,
            status=status,
            error_code=error_code,
            is_resumed=self._session.info.resumed,
            heeded_cancel=self._heeded_cancel,
        )
        return TurnOutcome(
            status=status,
            error_code=error_code,
            seen=seen,
            reasoning=self.recording.reasoning,
            tools=tuple(self.recording.tools),
            usage=self.recording.usage,
            cancel_steps=tuple(self._steps),
            **facts,
        )

    def _step(self, name: str) -> None:
        self._steps.append(step(name, self._since_cancel_ms()))

    def _since_cancel_ms(self) -> int:
        since = self._cancel_sent_at if self._cancel_sent_at is not None else self._clock.monotonic()
        return round((self._clock.monotonic() - since) * 1000)


async def _next(stream: AsyncIterator[NativeEvent]) -> NativeEvent:
    """The next event as a coroutine of its own, so that it can wait in a task."""
    return await anext(stream)
