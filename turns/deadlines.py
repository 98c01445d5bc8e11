"""When a running turn has been quiet or long enough: the next deadline and what it means. Pure."""

from dataclasses import dataclass

from groupx.kernel.config import Timeouts
from groupx.kernel.errors import ErrorCode


@dataclass(frozen=True)
class Deadline:
    """`at` in seconds of the monotonic clock."""

    at: float
    code: ErrorCode


@dataclass(kw_only=True)
class TurnTimes:
    """What a turn's limits are measured from: events of the turn itself, and its calls to the room's tools."""

    prompted_at: float
    last_sign_at: float | None = None
    """Of life: none before the agent has shown that it has the prompt."""
    tool_is_open: bool = False
    call_is_open: bool = False
    """To one of the room's tools, whatever the agent's CLI says of it."""

    def leave_out(self, seconds: float) -> None:
        """Time in which this process itself did not run (stopped, frozen, its machine asleep) is nobody's silence."""
        self.prompted_at += seconds
        if self.last_sign_at is not None:
            self.last_sign_at += seconds


def next_deadline(times: TurnTimes, timeouts: Timeouts) -> Deadline:
    """The nearest of: no first event, silence, total length. While a tool is open silence has no limit of its own."""
    total = Deadline(times.prompted_at + timeouts.turn_ms / 1000, ErrorCode.TURN_TIME_LIMIT)
    if times.last_sign_at is None:
        quiet = Deadline(times.prompted_at + timeouts.first_event_ms / 1000, ErrorCode.TURN_FIRST_EVENT_TIMEOUT)
    elif times.tool_is_open or times.call_is_open:
        return total
    else:
        quiet = Deadline(times.last_sign_at + timeouts.idle_ms / 1000, ErrorCode.TURN_IDLE_TIMEOUT)
    return min(quiet, total, key=lambda deadline: deadline.at)


def explain(code: ErrorCode, timeouts: Timeouts) -> tuple[str, str]:
    """The sentence and the hint of a turn that ended by one of these limits."""
    match code:
        case ErrorCode.TURN_FIRST_EVENT_TIMEOUT:
            what = f"The agent gave no sign of life for {timeouts.first_event_ms / 1000:g} s after the prompt."
            return what, "Look at its card, restart the agent, then retry."
        case ErrorCode.TURN_IDLE_TIMEOUT:
            what = f"The agent was silent for {timeouts.idle_ms / 1000:g} s in the middle of the turn."
            return what, "What it had said is kept. Retry, or restart the agent first."
        case _:
            what = f"The turn ran longer than the limit of {timeouts.turn_ms / 1000:g} s."
            return what, "Raise timeouts.turnMs for longer work, then retry."
