"""Which rows become context (docs/context.md): only messages, after the cursor, up to the frozen seq."""

from memory.gather import gather_packet_inputs
from memory.packet import build_packet
from rooms.queries import last_seq
from tests import given
from turns.recording import ToolRecord
from turns.settlement import TurnOutcome
from turns.state import TurnStatus


def gather(source_event_id: str, **changes):
    facts = {
        "target_id": "agent:builder",
        "source": source_event_id,
        "root_correlation_id": "corr_1",
        "given_through_seq": None,
        "through_seq": last_seq(),
        "max_chars": 100_000,
    }
    return gather_packet_inputs(**(facts | changes))


def contents(inputs) -> list[str]:
    return [message.content for message in inputs.delta]


def test_reasoning_and_tools_of_a_turn_are_never_context(room, clock):
    turn = given.running_turn("reviewer", clock=clock, content="a question")
    tool = ToolRecord(
        native_type="tool.completed", tool_call_id="1", name="MARK", status="completed", details={"output": "MARK"}
    )
    given.finished(
        turn,
        "reviewer",
        TurnOutcome(status=TurnStatus.COMPLETED, text="the answer", reasoning="MARK", tools=[tool]),
        clock=clock,
    )
    source = given.sent(given.a_message("builder", content="now you"), clock=clock).result["messageEventId"]

    inputs = gather(source)

    assert contents(inputs) == ["a question", "the answer"]
    assert inputs.current.content == "now you"


def test_only_what_came_after_the_cursor_and_before_the_frozen_seq_is_given(room, clock):
    seqs = []
    for n in range(3):
        given.sent(given.a_message("reviewer", content=f"m{n}"), clock=clock)
        seqs.append(last_seq())
    source = given.sent(given.a_message("builder", content="now"), clock=clock).result["messageEventId"]

    assert contents(gather(source, given_through_seq=seqs[0], through_seq=seqs[1])) == ["m1"]


def test_a_session_is_not_told_what_it_wrote_itself(room, clock):
    given.completed_turn("builder", clock=clock, text="mine")
    source = given.sent(given.a_message("builder", content="next"), clock=clock).result["messageEventId"]

    assert "mine" not in contents(gather(source, given_through_seq=0))
    assert "mine" in contents(gather(source, given_through_seq=None))


def test_a_message_that_still_waits_in_the_queue_is_given_as_context_already(room, clock):
    """Should it be cancelled later, the agent has seen it all the same: nothing of the room is lost."""
    source = given.sent(given.a_message("builder", content="first"), clock=clock).result["messageEventId"]
    given.sent(given.a_message("builder", content="second"), clock=clock)

    assert contents(gather(source)) == ["second"]


def test_a_reply_brings_the_chain_it_answers_oldest_first(room, clock):
    first = given.sent(given.a_message("reviewer", content="one"), clock=clock).result["messageEventId"]
    second = given.sent(given.a_message("reviewer", content="two", replyToEventId=first), clock=clock).result[
        "messageEventId"
    ]
    source = given.sent(given.a_message("builder", content="three", replyToEventId=second), clock=clock).result[
        "messageEventId"
    ]

    assert [message.content for message in gather(source, given_through_seq=last_seq()).reply_chain] == ["one", "two"]


def test_a_long_history_is_read_only_as_far_as_it_can_fit(room, clock, django_assert_max_num_queries):
    for n in range(30):
        given.sent(given.a_message("reviewer", content=f"{n:04}" * 250), clock=clock)
    source = given.sent(given.a_message("builder", content="now"), clock=clock).result["messageEventId"]

    with django_assert_max_num_queries(9):
        inputs = gather(source, max_chars=5_000)

    assert len(inputs.delta) + inputs.older_in_room == 30


def test_an_answer_of_megabytes_is_left_out_of_a_packet_and_counted(room, clock):
    given.completed_turn("reviewer", clock=clock, text="x" * 3_000_000)
    sent = given.sent(given.a_message("builder", content="now you"), clock=clock)

    packet = build_packet(gather(sent.result["messageEventId"]))

    assert len(packet.text) <= 100_000
    assert packet.omissions["roomDelta"] >= 1
    assert "now you" in packet.text
