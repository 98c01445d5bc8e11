"""The turns of a pairing: which one a worker is on, and what an observer may do to it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from groupx.kernel.errors import ErrorCode, GroupXError, issue
from turns.state import SteerAction, TurnStatus


@dataclass(frozen=True, kw_only=True)
class WorkerTurn:
    """A turn of a pairing that is watched."""

    turn_id: str
    target: str
    status: TurnStatus
    source_event_id: str
    correlation_id: str
    enqueue_seq: int
    error_code: str
    steers: int
    was_interrupted: bool
    """By a steer."""

    @property
    def is_cancelled(self) -> bool:
        """By a person, or together with what it was a part of; also where its agent had to be ended for that."""
        is_ended_by_cancel = self.status is TurnStatus.CANCELLED or self.error_code == ErrorCode.TURN_CANCEL_TIMEOUT
        return is_ended_by_cancel and not self.was_interrupted


def subject_among(turns: Sequence[WorkerTurn], wanted: str | None) -> WorkerTurn:
    """The turn that is meant: the named one, or the one to look at now, which is a turn that runs before one that
    waits before the one that was last queued. `turns` are in the order of their lanes.

    Raises:
        GroupXError: NOT_FOUND for a turn that is not watched here.
    """
    if wanted is not None:
        for turn in turns:
            if turn.turn_id == wanted:
                return turn
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"The turn “{wanted}” is not one that you watch. You watch: {', '.join(turn.turn_id for turn in turns)}.",
            issues=[issue("subjectTurnId", "is not watched in this turn")],
        )
    still_open = [turn for turn in turns if not turn.status.is_terminal]
    running = [turn for turn in still_open if turn.status is not TurnStatus.QUEUED]
    return (running or still_open or turns[-1:])[0]


def current_of(turns: Sequence[WorkerTurn], target: str) -> WorkerTurn:
    """What this worker is on: its first open turn, else its last."""
    own = [turn for turn in turns if turn.target == target]
    return next((turn for turn in own if not turn.status.is_terminal), own[-1])


def check_steerable(subject: WorkerTurn, turns: Sequence[WorkerTurn], action: SteerAction) -> None:
    """A turn that has ended by itself can still be nudged: its worker gets another one. What was cancelled stays so.

    Raises:
        GroupXError: STORE_CONFLICT, saying how the subject stands.
    """
    current = current_of(turns, subject.target)
    if subject.turn_id != current.turn_id:
        raise _conflict(f"{subject.target} is past the turn {subject.turn_id} and on {current.turn_id}.", current)
    if subject.status is TurnStatus.CANCELLING:
        raise _conflict(f"The turn {subject.turn_id} is being cancelled; watch tells how it ends.", current)
    if subject.is_cancelled:
        raise _conflict(f"The turn {subject.turn_id} was cancelled; steering does not bring it back.", current)
    if subject.status.is_terminal and action is SteerAction.INTERRUPT:
        raise _conflict(
            f"The turn {subject.turn_id} has ended ({subject.status}), so nothing was interrupted. "
            f"Nudge gives {subject.target} another turn.",
            current,
        )


def _conflict(message: str, current: WorkerTurn) -> GroupXError:
    return GroupXError(
        ErrorCode.STORE_CONFLICT, message, subjectTurnId=current.turn_id, subjectStatus=current.status.value
    )
