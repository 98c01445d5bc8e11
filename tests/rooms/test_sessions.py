"""Which session of an agent is its last one (docs/turns.md, "Lanes"). Our contract."""

import pytest

from rooms.actions.bind_session import NewSession, bind_session
from rooms.queries import newest_native_session
from tests import given
from tests.fakes.clock import FakeClock

HOUR_SECONDS = 3_600.0


def a_session(native_session_id: str) -> NewSession:
    return NewSession(
        handle=f"handle of {native_session_id}",
        pid=1,
        process_started_at=1.0,
        native_session_id=native_session_id,
        cwd="/tmp",
        resumed=False,
        context_lost=False,
        agent_name=None,
        agent_version=None,
    )


@pytest.mark.parametrize("hours", [-30.0, -1.0, 0.0, 5.0])
def test_the_session_that_was_opened_last_is_resumed_whatever_the_clock_has_done(room, hours: float):
    before, after = FakeClock(), FakeClock()
    after.tick(hours * HOUR_SECONDS)

    bind_session(given.agent("builder"), a_session("first"), clock=before)
    bind_session(given.agent("builder"), a_session("second"), clock=after)

    newest = newest_native_session("agent:builder")
    assert newest is not None and newest.native_session_id == "second"
