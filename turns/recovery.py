"""What to do with a turn whose worker is gone: the crash table (docs/turns.md, "Recovery"). Pure.

A prompt that may have reached an agent is never sent again.
"""

from enum import StrEnum

from turns.state import DeliveryCertainty, DispatchPhase, Transport, TurnStatus


class Verdict(StrEnum):
    LEAVE = "leave"
    REQUEUE = "requeue"
    CANCEL = "cancel"
    FAIL_TRANSPORT = "fail_transport"
    INTERRUPT = "interrupt"


def decide(
    status: TurnStatus,
    phase: DispatchPhase | None,
    certainty: DeliveryCertainty | None,
    transport: Transport,
    selected: Transport = Transport.STRUCTURED,
) -> Verdict:
    """`phase` and `certainty` are those of the open attempt, None without one."""
    if status.is_terminal or (status is TurnStatus.QUEUED and phase is None):
        return Verdict.LEAVE
    if phase is None and status is not TurnStatus.DISPATCHING:
        return Verdict.INTERRUPT  # no step of ours leaves this behind: nothing is known of it
    untouched = phase in (None, DispatchPhase.PREPARED) and certainty in (None, DeliveryCertainty.NOT_DELIVERED)
    if not untouched:
        return Verdict.INTERRUPT
    if status is TurnStatus.CANCELLING:
        return Verdict.CANCEL
    if transport is not selected:
        return Verdict.FAIL_TRANSPORT
    return Verdict.REQUEUE
