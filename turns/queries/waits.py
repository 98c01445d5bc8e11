"""Which open turns of the room wait for which."""

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import F

from rooms.vocabulary import MAIN_ROOM
from turns.models import PairedTurn, Turn
from turns.state import CommandType, SupervisionRole
from turns.waits import OpenTurn, waits_for


def turn_waits_for(turn_id: str, awaited_turn_id: str) -> bool:
    """Whether the first turn comes no further before the second has ended. Reads the open turns of the room alone."""
    rows = (
        Turn.objects.filter(room_id=MAIN_ROOM, ended_at=None)
        .order_by("enqueue_seq")
        .values_list("turn_id", "target_id", "command_type", "parent_turn_id")
    )
    turns = [
        OpenTurn(turn_id=turn, target=target, asked_by=parent if command == CommandType.ASK else None)
        for turn, target, command, parent in rows
    ]
    return waits_for(turn_id, awaited_turn_id, turns, _open_watches())


def open_observers_of(turn_ids: Iterable[str]) -> dict[str, str]:
    """Agent with an open watch turn, also one that still waits in its queue -> the turn of these that it watches."""
    return dict(
        PairedTurn.objects.filter(
            turn_id__in=list(turn_ids),
            role=SupervisionRole.WORKER.value,
            pair__paired_turns__role=SupervisionRole.OBSERVER.value,
            pair__paired_turns__turn__ended_at=None,
        )
        .order_by("turn__enqueue_seq")
        .values_list("pair__paired_turns__turn__target_id", "turn_id")
    )


def _open_watches() -> dict[str, list[str]]:
    """Open watch turn -> the open turns that it watches."""
    watches: dict[str, list[str]] = defaultdict(list)
    for watcher, worker in (
        PairedTurn.objects.filter(
            turn__ended_at=None,
            role=SupervisionRole.OBSERVER.value,
            pair__paired_turns__role=SupervisionRole.WORKER.value,
            pair__paired_turns__turn__ended_at=None,
        )
        .annotate(worker=F("pair__paired_turns__turn_id"))
        .values_list("turn_id", "worker")
    ):
        watches[watcher].append(worker)
    return watches
