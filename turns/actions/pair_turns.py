"""The rows of a pairing: which turns watch which."""

from collections.abc import Sequence

from groupx.kernel.clock import Clock
from rooms.transactions import joins
from turns.models import PairedTurn, SupervisionPair
from turns.new_turn import NewTurn
from turns.pairing import Pairing
from turns.state import SupervisionRole


def pair_turns(pairing: Pairing, workers: Sequence[NewTurn], *, clock: Clock) -> None:
    """After its events and turns; joins the caller's transaction."""
    joins()
    pair_id = pairing.paired.event_id
    SupervisionPair.objects.create(
        pair_id=pair_id,
        task_id=workers[0].source.event_id,
        brief_id=pairing.brief.event_id,
        mode=pairing.mode.value,
        created_at=clock.now(),
    )
    roles = [(turn, SupervisionRole.WORKER) for turn in workers]
    roles += [(turn, SupervisionRole.OBSERVER) for turn in pairing.watchers]
    PairedTurn.objects.bulk_create(
        [PairedTurn(turn_id=turn.turn_id, pair_id=pair_id, role=role.value) for turn, role in roles]
    )


def join_pairing(new_turn_id: str, old_turn_id: str) -> None:
    """A turn that is tried again, or that a steer has queued, takes the part that the turn before it had, if it had
    one. Joins the caller's transaction."""
    joins()
    old = PairedTurn.objects.filter(turn_id=old_turn_id).values_list("pair_id", "role").first()
    if old is not None:
        pair_id, role = old
        PairedTurn.objects.create(turn_id=new_turn_id, pair_id=pair_id, role=role)
