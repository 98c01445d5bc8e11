"""The server's side of the side conversation: asking, stopping, waiting for answers, and telling what has changed.

The brain is another process (assistant/brain.py); what it has done stands in the database, and its connection only
says when to look. Who waits looks every LOOK_SECONDS as well, so a lost word costs a moment and no answer.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from assistant.actions.ask_question import ask_question
from assistant.actions.cancel_question import cancel_question
from assistant.actions.end_question import give_up_waiting
from assistant.answers import Answered, AssistantTold, CancelTold, MessageTold
from assistant.live import LiveTalk
from assistant.queries.brain import BrainView, brain_view
from assistant.queries.conversation import Exchange, exchanges_of, open_questions
from assistant.requests import AskAssistant, CancelAssistant
from assistant.state import BrainStatus, QuestionEnd, QuestionState
from groupx.kernel.clock import Clock
from groupx.kernel.config import GroupXConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from rooms.caller import ASSISTANT_NAME
from rooms.transactions import StoreError, in_db, in_reader, snapshot
from turns.message_checks import check_size

log = get_logger()

LOOK_SECONDS = 2.0
NO_BRAIN_SECONDS = 60.0
"""So long a question waits for a brain's process that is not there; its parent starts it again meanwhile."""
NOT_THERE = QuestionEnd(
    state=QuestionState.FAILED,
    error_code=ErrorCode.SESSION_NOT_AVAILABLE.value,
    message="The assistant's process does not come up.",
    hint="Ask again in a moment; if it stays, the room's log says why.",
)

type TellBrain = Callable[[str | None], Coroutine[Any, Any, None]]
"""Have the brain look for a question, or stop the one with this id. A hint: it may not be connected."""


class AssistantDesk:
    """`run` tells followers what has changed, until it is cancelled. All methods belong to one loop."""

    def __init__(
        self, config: GroupXConfig, live: LiveTalk, is_connected: Callable[[], bool], tell: TellBrain, clock: Clock
    ) -> None:
        self._assistant = config.assistant
        self._limits = config.limits
        self.live = live
        self._is_connected, self._tell, self._clock = is_connected, tell, clock
        self._news = asyncio.Event()
        self._waiting: set[asyncio.Event] = set()
        self._open: dict[str, MessageTold] = {}
        self._is_closed = False

    @property
    def is_configured(self) -> bool:
        return self._assistant is not None and self._assistant.enabled

    # ------------------------------------------------------------ what edges ask
    async def ask(self, command: AskAssistant) -> Answered:
        """The question with its answer, as soon as that is there; the same id joins a run or replays its answer.

        Raises:
            GroupXError: ASSISTANT_NOT_CONFIGURED, MESSAGE_TOO_LARGE, CLIENT_COMMAND_CONFLICT; RUNTIME_CLOSING while it
                waits; otherwise why there is no answer, and then the question may be asked again under its id.
        """
        self._require_assistant()
        check_size(command.content, self._limits)
        await in_db(ask_question, command.client_command_id, command.content, clock=self._clock)
        exchange = await self._over(command.client_command_id)
        if exchange.reply is not None:
            return {"question": exchange.question, "reply": exchange.reply}
        raise _refusal(exchange.question)

    async def cancel(self, command: CancelAssistant) -> CancelTold:
        """
        Raises:
            GroupXError: ASSISTANT_NOT_CONFIGURED.
        """
        self._require_assistant()
        stopped = await in_db(cancel_question, command.client_command_id, clock=self._clock)
        if stopped is None:
            return {"accepted": False}
        await self._tell(stopped)
        self.look()
        return {"accepted": True, "clientCommandId": stopped}

    async def about(self) -> AssistantTold:
        return await in_reader(lambda: self._about(*_now()))

    def look(self) -> None:
        """Something may have changed."""
        self._news.set()
        for waiting in self._waiting:
            waiting.set()

    def close(self) -> None:
        """The room drains: whoever waits for an answer is told so; the question stays."""
        self._is_closed = True
        self.live.close()
        self.look()

    # ------------------------------------------------------------ waiting for an answer
    async def _over(self, client_command_id: str) -> Exchange:
        changed = asyncio.Event()
        self._waiting.add(changed)
        last_seen_at = self._clock.monotonic()
        try:
            await self._tell(None)
            self.look()
            while True:
                changed.clear()
                exchange = (await in_reader(exchanges_of, [client_command_id]))[client_command_id]
                if not exchange.state.is_open:
                    return exchange
                if self._is_closed:
                    raise GroupXError(
                        ErrorCode.RUNTIME_CLOSING, "The room is closing. A question that still waits stays asked."
                    )
                if self._is_connected():
                    last_seen_at = self._clock.monotonic()
                elif self._clock.monotonic() - last_seen_at > NO_BRAIN_SECONDS:
                    await in_db(give_up_waiting, client_command_id, NOT_THERE, clock=self._clock)
                    last_seen_at = self._clock.monotonic()
                    self.look()
                    continue
                await self._until(changed, LOOK_SECONDS)
        finally:
            self._waiting.discard(changed)

    async def _until(self, event: asyncio.Event, seconds: float | None) -> None:
        waiting = asyncio.create_task(event.wait(), name="assistant-news")
        try:
            await self._clock.wait({waiting}, seconds)
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    # ------------------------------------------------------------ telling what has changed
    async def run(self) -> None:
        """Until cancelled: at every word of the brain read what stands in the database, and tell what is new."""
        if not self.is_configured:
            self.live.tell_state(self._about(BrainView(), []))
            await asyncio.Event().wait()
        self._news.set()
        is_first = True
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                state, changed = await in_reader(self._read)
            except StoreError as error:  # whoever connects reads it anew
                log.warning("store_unavailable", during="assistant", reason=str(error))
                continue
            self.live.tell_state(state)
            for item in () if is_first else changed:
                self.live.tell_message(item)
            is_first = False

    def _read(self) -> tuple[AssistantTold, list[MessageTold]]:
        """The state, and the messages that are not as they were told last."""
        with snapshot():
            view, now_open = _now()
            known = {item["clientCommandId"]: item for item in now_open}
            ended = exchanges_of(command_id for command_id in self._open if command_id not in known)
        changed = [item for item in now_open if item != self._open.get(item["clientCommandId"])]
        for exchange in ended.values():
            changed += [item for item in (exchange.question, exchange.reply) if item is not None]
        self._open = known
        return self._about(view, now_open), changed

    def _about(self, view: BrainView, now_open: list[MessageTold]) -> AssistantTold:
        if self._assistant is None or not self._assistant.enabled:
            name = self._assistant.name if self._assistant else ASSISTANT_NAME
            return {"configured": False, "name": name, "status": BrainStatus.STOPPED, "statusText": ""}
        is_known = self._is_connected()
        told: AssistantTold = {
            "configured": True,
            "name": self._assistant.name,
            "driver": self._assistant.brain.driver,
            "status": view.status if is_known else BrainStatus.STARTING,
            "statusText": view.status_text if is_known else "",
        }
        for item in now_open:
            if item["state"] is QuestionState.RUNNING:
                told["activeClientCommandId"] = item["clientCommandId"]
        if view.last_error is not None:
            told["lastError"] = view.last_error
        return told

    def _require_assistant(self) -> None:
        if not self.is_configured:
            raise GroupXError(
                ErrorCode.ASSISTANT_NOT_CONFIGURED,
                "This room has no assistant. Add one under /setup and restart the room.",
            )


def _now() -> tuple[BrainView, list[MessageTold]]:
    return brain_view(), open_questions()


def _refusal(question: MessageTold) -> GroupXError:
    if question["state"] is QuestionState.CANCELLED:
        return GroupXError(ErrorCode.TURN_CANCELLED, "The question was cancelled.", question=question)
    error = question["error"]
    hint = {"hint": error["hint"]} if "hint" in error else {}
    return GroupXError(ErrorCode(error["code"]), error["message"], **hint, question=question)
