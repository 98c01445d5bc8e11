"""Keeps one live session for a lane: opens it, buries what died, replaces what is lost, and knows when to stop trying.

Says on the agent's card what it does. Whether there is anything to do is the lane's business.
"""

from adapters.contract import AdapterError
from groupx.kernel.clock import Clock
from turns.control import LaneControl, Stop
from turns.lane_link import LaneLink
from turns.lane_store import LaneStore
from turns.pauses import LanePause, end_of_delay, look_again_in, pause_after
from turns.sessions import AgentSessions, LiveSession, error_card
from turns.settlement import TurnOutcome
from turns.start_patience import StartPatience
from turns.state import LaneStatus, PauseKind, TurnStatus

CLOSED_BY = {Stop.CLOSING: "GroupX was stopped", Stop.RESTARTING: "restart"}


class SessionKeeper:
    def __init__(
        self,
        sessions: AgentSessions,
        link: LaneLink,
        store: LaneStore,
        control: LaneControl,
        clock: Clock,
    ) -> None:
        self._sessions, self._link, self._store = sessions, link, store
        self._control, self._clock = control, clock
        self._patience = StartPatience()
        self._opened_at = 0.0
        self._pause: LanePause | None = None
        self._pause_ends_at: float | None = None
        """In seconds of the monotonic clock, which nobody sets back; a day ends by the wall clock alone."""
        self.live: LiveSession | None = None

    @property
    def is_usable(self) -> bool:
        return self.live is not None and self.live.session.usable

    # ------------------------------------------------------------ opening
    def may_open(self, *, woken: bool, has_waiting: bool) -> bool:
        return self._patience.may_try(self._clock.monotonic(), woken=woken, has_waiting=has_waiting)

    async def open(self) -> bool:
        try:
            self.live = await self._sessions.open()
        except AdapterError as error:
            await self._pause_start(error)
            return False
        if self.live is not None:
            self._opened_at = self._clock.monotonic()
            self._patience.opened()
            self._link.hello(self.live.bound.instance_id)
        elif self._control.stop is None:
            self._patience.failed(self._clock.monotonic())
        return self.live is not None

    # ------------------------------------------------------------ ending
    async def bury_the_dead(self) -> None:
        """A session that ended by itself, or whose process we ended with a turn: its card says so."""
        if self.live is None or self.live.session.usable:
            return
        live, self.live = self.live, None
        loss, last_words = live.session.loss, live.session.last_words
        await self._sessions.close(live, loss.message if loss else "the process was ended with its turn")
        if loss is None:
            return
        error = AdapterError(loss.code, loss.message, exit_code=loss.exit_code, output=last_words)
        if self._is_hopeless():
            if live.info.resumed:  # perhaps it is what was resumed that kills it
                self._sessions.forget_native_session()
            await self._give_up(error)
        elif self._pause is not None:
            await self._show_idle(last_error=error_card(error))
        else:
            text = f"{loss.message} Starting it again."
            await self._store.show(LaneStatus.STARTING, text, last_error=error_card(error))

    async def replace(self, reason: str) -> None:
        live, self.live = self.live, None
        if live is not None:
            await self._sessions.close(live, reason)

    async def replace_lost(self, outcome: TurnOutcome) -> None:
        """The next one starts fresh; when those are lost as well, starting another only burns the queue."""
        assert outcome.error_code is not None
        self._sessions.forget_native_session()
        await self.replace("session lost")
        if self._is_hopeless():
            await self._give_up(AdapterError(outcome.error_code, outcome.message, hint=outcome.hint))

    async def restart(self) -> None:
        """A rate limit is over with it; a spend limit is not."""
        await self.replace(CLOSED_BY[Stop.RESTARTING])
        self._patience.reset()
        if self._pause is not None and self._pause.kind is PauseKind.RATE_LIMIT:
            self._pause = None

    async def resume(self) -> None:
        """A person has ended the pause, or wants another try of what failed."""
        self._patience.reset()
        self._pause = None
        if self.live is not None:
            await self._show_idle()

    async def begin_afresh(self) -> None:
        """A person wants a session without what the present one has gathered."""
        self._sessions.forget_native_session(was_asked=True)
        self._patience.reset()
        await self.replace("a fresh session was asked for")
        if self._pause is None:
            await self._store.show(LaneStatus.STARTING, last_error=None, instance_id=None)
        else:
            await self._show_idle(last_error=None, instance_id=None)

    async def end(self) -> None:
        if self._control.lost:
            if self.live is not None:
                await self.live.session.close()
            return
        await self.replace(CLOSED_BY[Stop.CLOSING])
        await self._store.show(LaneStatus.STOPPED, instance_id=None)

    def _is_hopeless(self) -> bool:
        return self._patience.is_hopeless_after(self._clock.monotonic() - self._opened_at)

    async def _give_up(self, error: AdapterError) -> None:
        self._patience.failed(self._clock.monotonic())
        await self._sessions.give_up(error)

    # ------------------------------------------------------------ after a turn
    async def turn_ended(self, outcome: TurnOutcome) -> None:
        """What a turn's end means for the card, for the next tries and for a pause."""
        if outcome.status is TurnStatus.COMPLETED:
            self._patience.worked()
        if (pause := pause_after(outcome)) is not None:
            self.take_pause(pause)
        if self.is_usable:
            await self._show_idle(last_error=_error_after(outcome))

    # ------------------------------------------------------------ pauses
    def take_pause(self, pause: LanePause) -> None:
        """Its row and its card say so already."""
        self._pause = pause
        left = (pause.until - self._clock.now()).total_seconds()
        self._pause_ends_at = self._clock.monotonic() + left if pause.kind is PauseKind.RATE_LIMIT else None

    @property
    def pause_seconds(self) -> float | None:
        """When a pause is to be looked at again, None when there is none."""
        return None if self._pause is None else look_again_in(self._pause, self._clock.now())

    async def is_paused(self) -> bool:
        if self._pause is None:
            return False
        has_waited = self._pause_ends_at is not None and self._clock.monotonic() >= self._pause_ends_at
        if not (has_waited or self._pause.is_over(self._clock.now())):
            return True
        self._pause = None
        await self._store.end_pause()
        if self.live is not None:
            await self._show_idle()
        return False

    async def _pause_start(self, error: AdapterError) -> None:
        """The model's service does not even let the agent start for a while."""
        until = end_of_delay(self._clock.now(), error.retry_after_seconds)
        assert until is not None, "what is raised has a delay"
        pause = LanePause(kind=PauseKind.RATE_LIMIT, until=until, words=error.message[:300])
        await self._store.pause_start(pause, self._sessions.start_failure(error, until))
        self.take_pause(pause)
        await self._show_idle(last_error=error_card(error), instance_id=None)

    async def _show_idle(self, **more: object) -> None:
        if self._pause is None:
            await self._store.show(LaneStatus.READY, **more)
        else:
            await self._store.show(LaneStatus.PAUSED, self._pause.words, **more)


def _error_after(outcome: TurnOutcome) -> dict[str, object] | None:
    """A turn that failed leaves its reason on the card; one that did not clears it."""
    if outcome.status is not TurnStatus.FAILED or outcome.error_code is None:
        return None
    card: dict[str, object] = {"code": outcome.error_code.value, "message": outcome.message, "output": ""}
    return card | {"hint": outcome.hint} if outcome.hint else card
