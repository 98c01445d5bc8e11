"""The transition table of turns (docs/turns.md, "States"). Our contract."""

import pytest

from turns.state import MOVES, OPEN, TERMINAL, TurnStatus, sources_of


def test_nothing_leaves_a_terminal_status():
    assert all(not MOVES[status] for status in TERMINAL)


def test_every_status_has_its_row():
    assert set(MOVES) == set(TurnStatus)


@pytest.mark.parametrize("status", sorted(OPEN))
def test_every_open_status_can_reach_an_end(status):
    assert MOVES[status] & (TERMINAL | OPEN)


def test_a_waiting_turn_is_only_taken_or_cancelled():
    assert MOVES[TurnStatus.QUEUED] == {TurnStatus.DISPATCHING, TurnStatus.CANCELLED}


def test_a_turn_goes_back_to_its_queue_only_before_anything_was_sent():
    assert sources_of(TurnStatus.QUEUED) == {TurnStatus.DISPATCHING}


def test_a_cancel_never_turns_back_into_running():
    assert sources_of(TurnStatus.RUNNING) == {TurnStatus.DISPATCHING}
