"""A turn in static/js/timeline.js while it runs and when it ends: text, tools, thoughts. Our contract."""

from typing import Any

from rooms.bodies import (
    Body,
    MessageCreated,
    ToolProgress,
    ToolProgressRecorded,
    TurnCancelled,
    TurnCompleted,
    TurnContentDelta,
    TurnDispatched,
    TurnFailed,
    TurnReasoningDelta,
    TurnReasoningRecorded,
)

from .folding import a_running_turn, content, show
from .histories import BUILDER, History, a_day_in_the_room
from .node import needs_node

pytestmark = needs_node


# ---------------------------------------------------------------- streaming text
def test_deltas_are_joined_in_order_and_each_counts_once() -> None:
    room = a_running_turn()
    deltas = [room.tell(content(0, "Hel")), room.tell(content(1, "lo")), room.tell(content(1, "lo"))]
    assert show(room.events, deltas)["turns"]["turn_1"]["text"] == "Hello"


def test_replace_is_the_whole_text_so_far_and_later_deltas_go_on_from_it() -> None:
    room = a_running_turn()
    told = [
        room.tell(content(0, "Hel")),
        room.tell(content(4, "Hello, wor", replace=True)),
        room.tell(content(3, "never")),
        room.tell(content(5, "ld")),
    ]
    assert show(room.events, told)["turns"]["turn_1"]["text"] == "Hello, world"


def test_a_replace_that_is_behind_does_not_take_text_away() -> None:
    room = a_running_turn()
    told = [room.tell(content(3, "Hello", replace=True)), room.tell(content(1, "Hel", replace=True))]
    assert show(room.events, told)["turns"]["turn_1"]["text"] == "Hello"


def test_another_attempt_begins_with_empty_text() -> None:
    room = a_running_turn()
    first = show(room.events, [room.tell(content(5, "lost"))])
    again = room.add(TurnDispatched(turn_id="turn_1", target_actor_id="agent:builder", attempt_id="att_2"))
    second = show(room.events[:-1], [room.tell(content(5, "lost"))], [again], [room.tell(content(0, "new"))])
    assert first["turns"]["turn_1"]["text"] == "lost"
    assert second["turns"]["turn_1"]["text"] == "new"


def test_text_that_arrives_before_its_turn_is_kept() -> None:
    room = History()
    early = room.tell(content(0, "Hel"))
    room.ask("turn_1")
    room.start("turn_1")
    shown = show([early], room.events, [room.tell(content(1, "lo"))])
    assert shown["turns"]["turn_1"]["text"] == "Hello"


def test_of_a_long_text_the_page_knows_the_beginning_and_the_length() -> None:
    room = a_running_turn()
    cut = {"turn_id": "turn_1", "truncated": True}
    deltas = [
        room.tell(content(0, "beginning")),
        room.tell(TurnContentDelta(chunk_index=1, text="", full_length=1_000_000, **cut)),
        room.tell(TurnContentDelta(chunk_index=2, text="", full_length=2_000_000, **cut)),
    ]
    turn = show(room.events, deltas)["turns"]["turn_1"]
    assert (turn["text"], turn["fullLength"]) == ("beginning", 2_000_000)

    late = room.tell(TurnContentDelta(chunk_index=3, text="beginning", replace=True, full_length=2_000_000, **cut))
    assert show(room.events, [late])["turns"]["turn_1"] == turn


# ---------------------------------------------------------------- ends
def test_the_durable_answer_takes_the_place_of_the_streamed_text() -> None:
    room = a_running_turn()
    streamed = room.tell(content(0, "Hel"))
    answer = room.add(MessageCreated(content="Hello.", turn_id="turn_1"), BUILDER)
    end = room.add(TurnCompleted(turn_id="turn_1", target_actor_id="agent:builder"), BUILDER)

    shown = show(room.events[:-2], [streamed], [answer, end])

    assert [row["key"] for row in shown["rows"]] == ["m:evt_1", "t:turn_1"]
    assert shown["turns"]["turn_1"]["text"] == "Hello."
    assert not shown["turns"]["turn_1"]["isOpen"]


def test_text_that_arrives_after_the_end_is_dropped() -> None:
    room = a_running_turn()
    room.add(TurnCancelled(turn_id="turn_1", target_actor_id="agent:builder"), BUILDER)
    assert show(room.events, [room.tell(content(0, "late"))])["turns"]["turn_1"]["text"] == ""


def test_a_turn_that_ended_badly_keeps_what_it_had_written() -> None:
    room = a_running_turn()
    streamed = room.tell(content(0, "Half of"))
    room.add(
        TurnFailed(turn_id="turn_1", target_actor_id="agent:builder", partial_text="Half of it", message="No."), BUILDER
    )
    live = show(room.events[:-1], [streamed], room.events[-1:])
    reloaded = show(snapshot=room.snapshot())
    assert live["turns"]["turn_1"]["text"] == reloaded["turns"]["turn_1"]["text"] == "Half of it"


def test_a_retry_is_known_by_the_turn_that_caused_it() -> None:
    room = a_day_in_the_room()
    assert show(snapshot=room.snapshot())["durable"]["retries"] == {"turn_failed": "turn_again"}


# ---------------------------------------------------------------- tools and reasoning
def tool(native_type: str, status: str, recorded: bool = False, **details: Any) -> Body:
    shape = ToolProgressRecorded if recorded else ToolProgress
    return shape(
        turn_id="turn_1", native_type=native_type, tool_call_id="call_1", name="rg", status=status, details=details
    )


def test_a_tool_call_is_one_row_live_and_after_a_reload() -> None:
    room = a_running_turn()
    live = [
        room.tell(tool("tool.started", "running", title="rg lease")),
        room.tell(tool("tool.updated", "running", output="one")),
        room.tell(tool("tool.completed", "completed", output="one, two")),
    ]
    while_running = show(room.events, live)["turns"]["turn_1"]["tools"]
    room.add(tool("tool.started", "running", recorded=True, title="rg lease"), BUILDER)
    room.add(tool("tool.completed", "completed", recorded=True, output="one, two"), BUILDER)
    watched = show(room.events[:-2], live, room.events[-2:])["turns"]["turn_1"]["tools"]
    reloaded = show(snapshot=room.snapshot())["turns"]["turn_1"]["tools"]

    expected = {
        "toolCallId": "call_1",
        "name": "rg",
        "status": "completed",
        "details": {"title": "rg lease", "output": "one, two"},
    }
    assert while_running == watched == [expected | {"durationMs": 2000}]
    assert reloaded == [expected | {"durationMs": None}]


def test_a_tool_call_told_again_later_lasted_no_longer() -> None:
    room = a_running_turn()
    started = room.tell(tool("tool.started", "running"))
    ended, again = (room.tell(tool("tool.completed", "completed")) for _ in range(2))
    shown = show(room.events, [started, ended], [started, again])["turns"]["turn_1"]["tools"]
    assert [call["durationMs"] for call in shown] == [1000]


def test_who_comes_late_knows_how_long_a_tool_took() -> None:
    room = a_running_turn()
    told = [room.tell(tool("tool.started", "running")), room.tell(tool("tool.completed", "completed"))]
    shown = show(told, snapshot=room.snapshot())["turns"]["turn_1"]["tools"]
    assert [call["durationMs"] for call in shown] == [1000]


def thought(chunk_index: int, text: str, *, replace: bool | None = None) -> Body:
    return TurnReasoningDelta(turn_id="turn_1", chunk_index=chunk_index, text=text, replace=replace)


def test_thinking_is_measured_while_it_goes_on() -> None:
    room = a_running_turn()
    told = [room.tell(thought(index, "m")) for index in range(4)]
    assert show(room.events, told)["turns"]["turn_1"]["thoughtMs"] == 3000


def test_thoughts_told_again_by_another_server_lasted_no_longer() -> None:
    room = a_running_turn()
    told = [room.tell(body) for body in (thought(0, "H"), thought(1, "m"), content(0, "Yes."))]
    again = [room.tell(thought(2, "Hm", replace=True)), room.tell(content(1, "Yes.", replace=True))]
    shown = show(room.events, told, again)["turns"]["turn_1"]
    assert (shown["reasoning"], shown["text"], shown["thoughtMs"]) == ("Hm", "Yes.", 2000)


def test_thinking_lasts_until_the_agent_does_something_else() -> None:
    room = a_running_turn()
    told = [
        room.tell(thought(0, "H")),
        room.tell(thought(1, "m")),
        room.tell(content(0, "Yes.")),
        room.tell(content(1, "!")),
    ]
    shown = show(room.events, told)["turns"]["turn_1"]
    assert (shown["reasoning"], shown["thoughtMs"]) == ("Hm", 2000)


def test_who_comes_late_does_not_know_how_long_it_thought() -> None:
    room = a_running_turn()
    told = [room.tell(thought(4, "Hm", replace=True))]
    shown = show(room.events, told)["turns"]["turn_1"]
    assert (shown["reasoning"], shown["thoughtMs"]) == ("Hm", None)


def test_recorded_reasoning_takes_the_place_of_what_streamed() -> None:
    room = a_running_turn()
    streamed = room.tell(thought(0, "H"))
    room.add(TurnReasoningRecorded(turn_id="turn_1", content="Hm.", terminal_status="completed"), BUILDER)
    shown = show(room.events[:-1], [streamed], room.events[-1:])
    assert shown["turns"]["turn_1"]["reasoning"] == "Hm."
