"""Ten rounds of chaos, as `python -m tests.chaos --rounds 10` runs them: docs/operations.md, "What happens when …"."""

import os

import pytest

from tests.chaos.__main__ import report
from tests.chaos.rounds import Options, run

pytestmark = pytest.mark.chaos

SEED = int(os.environ.get("GROUPX_CHAOS_SEED", "1120"))
"""Its first ten are ten kinds, the store, the disk, the clock and the parent among them, and none that waits half a
minute for a process to count as hung: those are held to by tests/groupx/test_supervisor.py."""


def test_ten_rounds_lose_nothing_send_nothing_twice_and_leave_nothing_behind():
    outcome = run(Options(seed=SEED, count=10), print)

    print("\n".join(report(outcome)))
    assert outcome.faults == ()
    assert outcome.kinds.total() + len(outcome.left_out) >= 10
    assert outcome.counts["completed"] > 0
