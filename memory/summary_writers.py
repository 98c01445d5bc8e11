"""One block's summary from the first agent that writes a valid one: the next agent after each that does not, then
rounds with pauses, as long as some failure was only for a time."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.kernel.text import clip

from .compaction_plan import answer_fault

log = get_logger()

ROUNDS = 3
FIRST_PAUSE_SECONDS = 5.0
"""Before the second round; it doubles."""
NO_AGENT, ALL_FAILED = "no_agent", "all_failed"
"""`details.reason` of CONTEXT_COMPACTION_FAILED; NO_PROGRESS is the third."""
LONGEST_RETRY_AFTER_SECONDS = 60.0
"""A writer that asks for more is not waited for."""
IN_VAIN = frozenset({ErrorCode.TURN_FIRST_EVENT_TIMEOUT, ErrorCode.TURN_IDLE_TIMEOUT, ErrorCode.TURN_TIME_LIMIT})
WAITS_IN_VAIN = 2
"""So often an agent may be silent until a limit."""
LONGEST_REASON = 300
"""Characters of one agent's, where all have failed."""


class WriterFailed(Exception):
    """An agent could not write. `is_temporary`: it may be able to later, after so many seconds where that is known."""

    def __init__(
        self, code: ErrorCode, message: str, *, is_temporary: bool, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message = code, message
        self.is_temporary, self.retry_after_seconds = is_temporary, retry_after_seconds


@dataclass(frozen=True, kw_only=True)
class Writer:
    """An agent that can be asked now."""

    actor_id: str
    name: str
    write: Callable[[str, int], Awaitable[str]]
    """Gives the answer to a prompt, which may have so many characters; raises `WriterFailed`."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One try that gave no summary, and after which another is made."""

    actor_id: str
    name: str
    code: ErrorCode
    message: str
    round: int
    pause_seconds: float = 0.0
    """Before the next try: none when the next agent of the same round is asked."""


@dataclass(frozen=True, kw_only=True)
class Written:
    actor_id: str
    content: str


@dataclass(kw_only=True)
class SummaryWriters:
    """The writers of one compaction. Who cannot write at all is asked once in it, who keeps it waiting in vain twice;
    who has failed comes after the others in its later blocks."""

    healthy: Callable[[], Awaitable[Sequence[Writer]]]
    """In the order in which they are asked."""
    clock: Clock
    asked: Callable[[str], None]
    """Told whom."""
    retrying: Callable[[Failure], None]
    _out: set[str] = field(default_factory=set)
    _failures: Counter[str] = field(default_factory=Counter)
    _newest: dict[str, Failure] = field(default_factory=dict)
    """The newest failure of each who has written nothing since."""
    _waits_in_vain: Counter[str] = field(default_factory=Counter)

    async def write(self, prompt: str, limit: int) -> Written:
        """
        Raises:
            GroupXError: CONTEXT_COMPACTION_FAILED, with the reason no_agent or all_failed.
        """
        out_of_block: set[str] = set()
        for round_number in range(1, ROUNDS + 1):
            pauses: list[float] = []
            untold: Failure | None = None
            for writer in await self._order(but=self._out | out_of_block):
                if untold is not None:
                    self.retrying(untold)
                tried = await self._ask(writer, prompt, limit, out_of_block, pauses)
                if isinstance(tried, Written):
                    return tried
                untold = replace(tried, round=round_number)
                log.info("summary_not_written", actor_id=untold.actor_id, code=untold.code, round=round_number)
            if untold is None or not pauses or round_number == ROUNDS:
                break
            pause_seconds = max(FIRST_PAUSE_SECONDS * 2 ** (round_number - 1), *pauses)
            self.retrying(replace(untold, pause_seconds=pause_seconds))
            await self.clock.sleep(pause_seconds)
        raise _nobody_wrote(list(self._newest.values()))

    async def _order(self, *, but: set[str]) -> list[Writer]:
        """As they are asked: those of the fewest failures first."""
        found = [writer for writer in await self.healthy() if writer.actor_id not in but]
        return sorted(found, key=lambda writer: self._failures[writer.actor_id])

    async def _ask(
        self, writer: Writer, prompt: str, limit: int, out_of_block: set[str], pauses: list[float]
    ) -> Written | Failure:
        """One try. Notes in `pauses` who may be asked again, and after how long; of the others, how long not."""
        self.asked(writer.actor_id)
        try:
            answer = (await writer.write(prompt, limit)).strip()
        except WriterFailed as error:
            self._waits_in_vain[writer.actor_id] += error.code in IN_VAIN
            seconds = error.retry_after_seconds or 0.0
            is_patient = self._waits_in_vain[writer.actor_id] < WAITS_IN_VAIN
            if error.is_temporary and is_patient and seconds <= LONGEST_RETRY_AFTER_SECONDS:
                pauses.append(seconds)
            else:
                self._out.add(writer.actor_id)
            return self._failed(writer, error.code, error.message)
        if (fault := answer_fault(answer, limit)) is not None:
            out_of_block.add(writer.actor_id)
            return self._failed(writer, ErrorCode.PROTOCOL_INVALID_MESSAGE, fault)
        self._newest.pop(writer.actor_id, None)
        return Written(actor_id=writer.actor_id, content=answer)

    def _failed(self, writer: Writer, code: ErrorCode, message: str) -> Failure:
        self._failures[writer.actor_id] += 1
        self._newest.pop(writer.actor_id, None)  # the newest stands last
        failure = Failure(actor_id=writer.actor_id, name=writer.name, code=code, message=message, round=0)
        self._newest[writer.actor_id] = failure
        return failure


def _nobody_wrote(failures: Sequence[Failure]) -> GroupXError:
    if not failures:
        return GroupXError(
            ErrorCode.CONTEXT_COMPACTION_FAILED, "No agent is ready to sum the room up.", reason=NO_AGENT
        )
    *earlier, newest = failures
    message = "; ".join([*(_reason(failure).removesuffix(".") for failure in earlier), _reason(newest)])
    return GroupXError(
        ErrorCode.CONTEXT_COMPACTION_FAILED,
        f"No agent could sum the room up. {message}",
        reason=ALL_FAILED,
        actorId=newest.actor_id,
        cause=newest.code.value,
    )


def _reason(failure: Failure) -> str:
    """Whose it is, and what: some sentences begin with the agent's name themselves."""
    message = clip(failure.message, LONGEST_REASON)
    return message if message.startswith(f"{failure.name} ") else f"{failure.name}: {message}"
