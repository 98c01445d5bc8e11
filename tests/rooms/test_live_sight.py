"""What observers may see of a running turn, and how they hear of news (docs/mcp.md, "watch"). Our contract."""

import pytest

from rooms.live_sight import MAX_TOOLS, ToolSight
from rooms.turn_news import TurnNews


def report(call: str, status: str = "running", **details: str) -> dict:
    return {"toolCallId": call, "name": "bash", "status": status, "details": details}


def test_only_a_new_name_or_state_of_a_tool_is_news():
    sight = ToolSight()

    assert [sight.see(report("1")), sight.see(report("1", output="MARK")), sight.see(report("1", "completed"))] == [
        True,
        False,
        True,
    ]
    [tool] = sight.tools
    assert (tool.status, tool.number, sight.changes) == ("completed", 2, 2)
    assert "MARK" not in repr(tool)


def test_of_very_many_tools_the_last_are_kept_in_the_order_of_their_changes():
    sight = ToolSight()
    for number in range(MAX_TOOLS + 5):
        sight.see(report(str(number)))
    sight.see(report("10", "completed"))

    assert len(sight.tools) == MAX_TOOLS
    assert [tool.tool_call_id for tool in sight.tools][-2:] == [str(MAX_TOOLS + 4), "10"]
    assert sight.changes == MAX_TOOLS + 6


@pytest.mark.parametrize(("told", "rings"), [("turn_1", True), ("turn_2", False)])
async def test_a_bell_rings_for_its_own_turn_alone(told, rings):
    news = TurnNews()

    with news.listening("turn_1") as bell:
        news.tell(told)
        assert bell.is_set() is rings


async def test_everybody_is_told_to_look_when_news_may_have_been_missed_and_none_who_has_left():
    news = TurnNews()
    with news.listening("turn_1") as first, news.listening("turn_1") as second, news.listening("turn_2") as third:
        news.tell_to_look()
        assert first.is_set() and second.is_set() and third.is_set()
    with news.listening("turn_1") as later:
        assert not later.is_set()
