"""Turns that wait for each other through queues, watches and asks (docs/turns.md, "Supervision"). Pure."""

import pytest

from turns.waits import OpenTurn, waits_for


def lanes(**queues: str) -> list[OpenTurn]:
    """`d="w1 g1"`: the open turns of an agent, oldest first; `x<y` was asked for by the turn y."""
    turns = []
    for target, names in queues.items():
        for name in names.split():
            turn_id, _, asker = name.partition("<")
            turns.append(OpenTurn(turn_id=turn_id, target=target, asked_by=asker or None))
    return turns


@pytest.mark.parametrize(
    ("turns", "watches"),
    [
        (lanes(d="watch_d guidance", c="watch_c task"), {"watch_d": ["task"], "watch_c": ["guidance"]}),
        (lanes(d="other watch_d guidance", c="watch_c task"), {"watch_d": ["task"], "watch_c": ["guidance"]}),
        (
            lanes(d="watch_d guidance", e="watch_e more", c="watch_c task"),
            {"watch_d": ["more"], "watch_e": ["task"], "watch_c": ["guidance"]},
        ),
        (lanes(d="task guidance", c="watch_c question<task"), {"watch_c": ["task", "guidance"]}),
        (lanes(d="task guidance", e="question<task", c="watch_c other<question"), {"watch_c": ["guidance"]}),
    ],
    ids=["two watch each other", "the watch itself waits", "three in a ring", "an ask", "asks of asks"],
)
def test_a_turn_behind_one_that_waits_for_the_watching_turn_waits_for_it_too(turns, watches):
    assert waits_for("guidance", "watch_c", turns, watches)


@pytest.mark.parametrize(
    ("turns", "watches"),
    [
        (lanes(d="guidance", c="watch_c task"), {"watch_c": ["guidance"]}),
        (lanes(d="other guidance", c="watch_c"), {"watch_c": ["guidance"]}),
        (lanes(d="watch_d guidance", c="watch_c", e="task"), {"watch_d": ["task"], "watch_c": ["guidance"]}),
        (lanes(d="sent guidance", c="watch_c behind"), {"watch_c": ["guidance"]}),
        (lanes(d="watch_d guidance", c="watch_c", e="watch_e task"), {"watch_d": ["task"], "watch_e": ["guidance"]}),
    ],
    ids=["it is first", "busy with something else", "the other watches a third", "a send", "a ring of others"],
)
def test_any_other_turn_begins_while_it_is_watched(turns, watches):
    assert not waits_for("guidance", "watch_c", turns, watches)
