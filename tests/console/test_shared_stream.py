"""static/js/shared_stream.js: all tabs of a browser hear through one of them. Our contract."""

from typing import Any

from .node import needs_node, run_in_node

pytestmark = needs_node


def seen(scenario: str) -> dict[str, Any]:
    """What happened; every open tab has the whole log, each event once and without a gap."""
    result = run_in_node("shared.mjs", "shared_stream.js", scenario)
    for tab in result["tabs"]:
        assert tab["gaps"] == 0, result
        if not tab["isClosed"]:
            assert tab["seqs"] == result["log"], result
    return result  # type: ignore[no-any-return]


def test_eight_tabs_have_one_connection() -> None:
    result = seen("eight tabs")
    assert (result["connections"], result["opened"]) == (1, 1)
    assert [tab["isLeader"] for tab in result["tabs"]] == [True] + [False] * 7
    assert [tab["state"] for tab in result["tabs"]] == ["open"] * 8


def test_when_the_leading_tab_closes_the_next_goes_on_from_its_own_place() -> None:
    result = seen("the leader closes")
    assert result["connections"] == 1
    assert [tab["isLeader"] for tab in result["tabs"][1:]] == [True, False, False]


def test_a_tab_that_missed_frames_catches_up() -> None:
    assert seen("a tab misses frames")["opened"] == 1


def test_a_leader_that_does_not_answer_loses_its_place_and_follows_when_it_is_back() -> None:
    result = seen("a leader does not answer")
    assert result["connections"] == 1
    assert [tab["isLeader"] for tab in result["tabs"]].count(True) == 1
    assert not result["tabs"][0]["isLeader"]


def test_who_joins_a_leader_that_has_no_place_yet_waits_for_it() -> None:
    result = seen("a leader without a place lets others wait")
    assert result["opened"] == 1
    assert result["tabs"][1]["gave"] == {"seq": 2}


def test_a_leader_that_shows_the_stream_no_more_gives_its_place_to_the_next() -> None:
    result = seen("the leader leaves")
    assert (result["connections"], result["opened"]) == (1, 2)
    assert [tab["isLeader"] for tab in result["tabs"][1:]] == [True, False]


def test_who_leaves_because_of_a_frame_passes_it_on_first() -> None:
    assert seen("the leader leaves at the last frame")["connections"] == 1


def test_who_has_left_before_is_not_given_the_place() -> None:
    result = seen("a follower leaves, then the leader")
    assert (result["connections"], result["opened"]) == (1, 2)
    assert result["tabs"][2]["isLeader"]


def test_when_all_have_left_nobody_reads() -> None:
    assert seen("all leave")["connections"] == 0


def test_without_locks_or_channels_every_tab_has_its_own_connection() -> None:
    assert seen("a browser without locks")["connections"] == 2
