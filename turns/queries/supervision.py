"""What a watch turn watches."""

from collections.abc import Sequence

from django.db.models import F

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.prepared import PreparedSelect
from turns.member import CallersTurn
from turns.models import PairedTurn
from turns.state import CommandType, SupervisionRole, TurnStatus
from turns.supervision import WorkerTurn

_WATCHED = PreparedSelect(
    lambda watch_turn_id: (
        PairedTurn.objects.filter(
            pair__paired_turns__turn_id=watch_turn_id,
            pair__paired_turns__role=SupervisionRole.OBSERVER.value,
            role=SupervisionRole.WORKER.value,
        )
        .annotate(place=F("turn__enqueue_seq"))
        .order_by("place")
        .values_list(
            "turn_id",
            "turn__target_id",
            "turn__status",
            "turn__source_event_id",
            "turn__correlation_id",
            "turn__error_code",
            "place",
            "steers",
            "was_interrupted",
        )
    )
)


def watched_by(watch_turn_id: str) -> list[WorkerTurn]:
    """The workers' turns of this watch turn's pairing, in the order of their lanes; none for any other turn."""
    return [
        WorkerTurn(
            turn_id=turn_id,
            target=target,
            status=TurnStatus(status),
            source_event_id=source_event_id,
            correlation_id=correlation_id,
            error_code=error_code,
            enqueue_seq=place,
            steers=steers,
            was_interrupted=was_interrupted,
        )
        for (
            turn_id, target, status, source_event_id, correlation_id, error_code, place, steers, was_interrupted,
        ) in _WATCHED.fetch_all(watch_turn_id)
    ]  # fmt: skip


def watched_from(turn: CallersTurn) -> list[WorkerTurn]:
    """The same, for an agent that calls a tool of observers.

    Raises:
        GroupXError: SUPERVISION_WATCH_REQUIRED in any but a watch turn.
    """
    found = watched_by(turn.turn_id) if turn.command_type is CommandType.WATCH else []
    if not found:
        raise GroupXError(
            ErrorCode.SUPERVISION_WATCH_REQUIRED,
            "watch and steer work only in a turn that you were given as an observer. This turn is none.",
        )
    return found


def check_not_watched(targets: Sequence[str], turn: CallersTurn | None) -> None:
    """
    Raises:
        GroupXError: SUPERVISION_STEER_REQUIRED when an observer in its watch turn would give an agent that it watches
            another turn.
    """
    if turn is None or turn.command_type is not CommandType.WATCH:
        return
    workers = {worker.target for worker in watched_by(turn.turn_id)}
    if watched := [target for target in targets if target in workers]:
        raise GroupXError(
            ErrorCode.SUPERVISION_STEER_REQUIRED,
            f"You are watching {', '.join(watched)}; use steer to redirect it.",
            watchedTargets=watched,
        )
