"""The crash table as a pure decision (docs/turns.md, "Recovery"). Our contract."""

import pytest

from turns.recovery import Verdict, decide
from turns.state import TERMINAL, DeliveryCertainty, DispatchPhase, Transport, TurnStatus

PREPARED = (DispatchPhase.PREPARED, DeliveryCertainty.NOT_DELIVERED)
INVOKED = (DispatchPhase.PROMPT_INVOKED, DeliveryCertainty.UNKNOWN)
STARTED = (DispatchPhase.NATIVE_STARTED, DeliveryCertainty.DELIVERED)


@pytest.mark.parametrize(
    ("status", "attempt", "verdict"),
    [
        (TurnStatus.QUEUED, (None, None), Verdict.LEAVE),
        (TurnStatus.DISPATCHING, PREPARED, Verdict.REQUEUE),
        (TurnStatus.DISPATCHING, (None, None), Verdict.REQUEUE),
        (TurnStatus.RUNNING, (None, None), Verdict.INTERRUPT),
        (TurnStatus.CANCELLING, (None, None), Verdict.INTERRUPT),
        (TurnStatus.CANCELLING, PREPARED, Verdict.CANCEL),
        (TurnStatus.DISPATCHING, INVOKED, Verdict.INTERRUPT),
        (TurnStatus.CANCELLING, INVOKED, Verdict.INTERRUPT),
        (TurnStatus.RUNNING, STARTED, Verdict.INTERRUPT),
        (TurnStatus.CANCELLING, STARTED, Verdict.INTERRUPT),
    ],
)
def test_a_prompt_is_sent_again_only_if_it_never_left_the_lane(status, attempt, verdict):
    assert decide(status, *attempt, Transport.STRUCTURED) is verdict


def test_a_turn_of_another_transport_fails_instead_of_being_sent_by_this_one():
    assert decide(TurnStatus.DISPATCHING, *PREPARED, Transport.DIRECT) is Verdict.FAIL_TRANSPORT


@pytest.mark.parametrize("status", sorted(TERMINAL))
def test_an_ended_turn_is_left_alone(status):
    assert decide(status, None, None, Transport.STRUCTURED) is Verdict.LEAVE
