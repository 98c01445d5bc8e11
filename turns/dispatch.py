"""One claimed turn to its one terminal: build the packet, pass the point of no return, run, finish.

Owns the order of the four transactions; `native_turn` owns what happens between the last two.
"""

import asyncio
from dataclasses import dataclass

from adapters.contract import (
    NativeEvent,
    ProgressReported,
    ReasoningDelta,
    TextDelta,
    ToolEvent,
    UsageReported,
)
from groupx.kernel.clock import Clock
from groupx.kernel.config import GroupXConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from memory.packet import ContextPacket
from memory.queries.compaction import summed_up_through
from rooms.bodies import AdapterHeartbeat, ToolProgress, TurnProgress
from turns.actions.claim_turn import ClaimedTurn
from turns.actions.deliver_turn import mark_prompt_invoked, mark_started, save_partial_text
from turns.actions.finish_turn import finish_turn
from turns.actions.recover_turns import cancelled_before_delivery
from turns.actions.release_turn import release_turn
from turns.compaction import TurnCompaction, still_too_long
from turns.control import LaneControl
from turns.lane_link import LaneLink, LiveTurn
from turns.lane_store import UNAVAILABLE, LaneStore
from turns.native_turn import NativeTurn, TurnHooks
from turns.queries.packets import packet_for
from turns.sessions import LiveSession
from turns.settlement import TurnOutcome
from turns.state import TurnStatus
from turns.usage import sound_figures, usage_told

log = get_logger()

FLUSH_SECONDS = 0.25


@dataclass(frozen=True, kw_only=True)
class Dispatcher:
    """What every turn of one lane shares."""

    lane_token: str
    config: GroupXConfig
    link: LaneLink
    store: LaneStore
    control: LaneControl
    clock: Clock

    async def run(self, claimed: ClaimedTurn, live: LiveSession) -> TurnOutcome | None:
        """Run the claimed turn on this session and commit its end.

        Every path ends the turn, but for a stop, or an agent that has died, before anything was sent: then it goes
        back to its queue and None is given.
        """
        try:
            packet = await self._packet(claimed, live)
        except GroupXError as error:
            return await self._finish(claimed, live, _refused(error))
        is_to_wait = (
            self.control.stop is not None or not live.session.usable or await self._is_outdated(claimed, packet)
        )
        if is_to_wait and await self._release(claimed):
            return None
        if packet.needs_compaction:  # nobody is ever given a part of what was said
            is_cancelled = is_to_wait or claimed.turn_id in self.control.cancelled_turn_ids
            outcome = cancelled_before_delivery() if is_cancelled else _refused(still_too_long())
            return await self._finish(claimed, live, outcome)
        try:
            await self.store.write(
                mark_prompt_invoked,
                claimed.attempt_id,
                self.lane_token,
                binding_id=live.bound.binding_id,
                instance_id=live.bound.instance_id,
                packet=packet,
                clock=self.clock,
            )
        except GroupXError as error:
            log.info("turn_not_delivered", turn_id=claimed.turn_id, code=error.code)
            return await self._finish(claimed, live, cancelled_before_delivery())
        outcome = await self._run_native(claimed, live, packet.text)
        await self.link.flush(claimed.turn_id, FLUSH_SECONDS)
        return await self._finish(claimed, live, outcome)

    async def _packet(self, claimed: ClaimedTurn, live: LiveSession) -> ContextPacket:
        """Whole, but for a turn that is not to be sent now, or that others have overtaken."""
        packet = await self.store.read(self._build_packet, claimed, live.info.native_session_id)
        if packet.needs_compaction:
            compaction = TurnCompaction(
                context_chars=self.config.limits.context_characters,
                link=self.link,
                store=self.store,
                control=self.control,
                clock=self.clock,
            )
            await compaction.run(claimed, live)
            packet = await self.store.read(self._build_packet, claimed, live.info.native_session_id)
        return packet

    async def _is_outdated(self, claimed: ClaimedTurn, packet: ContextPacket) -> bool:
        """The room was summed up further than this attempt may see. Taken up anew, the turn sees the summary."""
        return packet.needs_compaction and await self.store.read(summed_up_through) > claimed.context_through_seq

    async def _release(self, claimed: ClaimedTurn) -> bool:
        try:
            await self.store.write(release_turn, claimed.attempt_id, self.lane_token, clock=self.clock)
        except (GroupXError, *UNAVAILABLE) as error:  # being cancelled, or for recovery to settle
            log.info("turn_not_released", turn_id=claimed.turn_id, reason=str(error))
            return False
        log.info("turn_released", turn_id=claimed.turn_id)
        return True

    def _build_packet(self, claimed: ClaimedTurn, native_session_id: str) -> ContextPacket:
        return packet_for(
            claimed.target_id,
            native_session_id,
            source=claimed.source_event_id,
            root_correlation_id=claimed.root_correlation_id,
            through_seq=claimed.context_through_seq,
            max_chars=self.config.limits.context_characters,
        )

    async def _run_native(self, claimed: ClaimedTurn, live: LiveSession, prompt: str) -> TurnOutcome:
        self.link.begin_turn(
            LiveTurn(
                turn_id=claimed.turn_id,
                actor=live.agent,
                correlation_id=claimed.correlation_id,
                root_correlation_id=claimed.root_correlation_id,
            )
        )
        turn = NativeTurn(
            claimed.turn_id, live.session, self._hooks(claimed, live), self.control, self.config.timeouts, self.clock
        )
        try:
            return await turn.run(prompt)
        except Exception:  # the border to a driver, which broke its contract: the turn ends all the same
            log.exception("native_turn_broke", turn_id=claimed.turn_id)
            await live.session.close()
            return TurnOutcome(
                status=TurnStatus.FAILED,
                text=turn.recording.text,
                reasoning=turn.recording.reasoning,
                tools=tuple(turn.recording.tools),
                usage=turn.recording.usage,
                error_code=ErrorCode.PROTOCOL_INVALID_MESSAGE,
                message="The conversation with the agent broke in a way that GroupX did not expect.",
                hint="The agent was restarted. Retry; if it happens again, look at the log.",
            )

    async def _finish(self, claimed: ClaimedTurn, live: LiveSession, outcome: TurnOutcome) -> TurnOutcome:
        """Commit the end, however long the database takes. An error that would come again ends the lane, and
        recovery settles the turn."""
        shows = live.cli.news(outcome.seen)  # most turns show nothing new of their agent
        finishing = self.store.insist(
            finish_turn,
            claimed.attempt_id,
            self.lane_token,
            live.agent,
            outcome,
            shows=shows,
            days=self.config.days,
            clock=self.clock,
        )
        status = await asyncio.shield(asyncio.ensure_future(finishing))
        self.link.end_turn(claimed.turn_id)
        self.control.forget(claimed.turn_id)
        log.info("turn_finished", turn_id=claimed.turn_id, status=status, code=outcome.error_code)
        live.cli.learnt(shows)
        return outcome

    def _hooks(self, claimed: ClaimedTurn, live: LiveSession) -> TurnHooks:
        link, turn_id = self.link, claimed.turn_id

        async def started(native_turn_id: str | None) -> None:
            await self.store.insist(
                mark_started,
                claimed.attempt_id,
                self.lane_token,
                live.agent,
                native_turn_id=native_turn_id,
                clock=self.clock,
            )

        async def save_partial(text: str) -> bool:
            saved = await self.store.attempt(save_partial_text, claimed.attempt_id, self.lane_token, text)
            return saved is not None

        def tell(event: NativeEvent) -> None:
            match event:
                case TextDelta(text):
                    link.content(turn_id, text)
                case ReasoningDelta(text):
                    link.reasoning(turn_id, text)
                case ToolEvent():
                    body = ToolProgress(
                        turn_id=turn_id,
                        native_type=event.phase.value,
                        tool_call_id=event.tool_call_id,
                        name=event.name,
                        status=event.status.value,
                        details=dict(event.details),
                    )
                    link.transient(body, actor=live.agent, correlation_id=claimed.correlation_id)
                case ProgressReported(kind, details):
                    progress = TurnProgress(turn_id=turn_id, kind=kind, details=dict(details))
                    link.transient(progress, actor=live.agent, correlation_id=claimed.correlation_id)
                case UsageReported():
                    if (told := usage_told(sound_figures(event))) is not None:
                        details = told.model_dump(by_alias=True, exclude_none=True)
                        progress = TurnProgress(turn_id=turn_id, kind="usage", details=details)
                        link.transient(progress, actor=live.agent, correlation_id=claimed.correlation_id)
                case _:
                    pass

        def heartbeat(quiet_seconds: int) -> None:
            body = AdapterHeartbeat(turn_id=turn_id, quiet_seconds=quiet_seconds)
            link.transient(body, actor=live.agent, correlation_id=claimed.correlation_id)

        return TurnHooks(started=started, save_partial=save_partial, tell=tell, heartbeat=heartbeat)


def _refused(error: GroupXError) -> TurnOutcome:
    """The packet could not be built: nothing was sent."""
    usual = "Send a shorter message, or reply to fewer messages." if error.code.startswith("CONTEXT") else None
    return TurnOutcome(
        status=TurnStatus.FAILED,
        error_code=error.code,
        message=f"{error.message} Nothing was sent to the agent.",
        hint=str(error.details.get("hint", "")) or usual,
    )
