"""One prompt to one outcome: what is told, recorded and saved (docs/turns.md). Scripted session, fake clock."""

from adapters.contract import (
    Completed,
    Failed,
    Interrupted,
    ReasoningDelta,
    Started,
    TextDelta,
    ToolPhase,
    ToolStatus,
)
from groupx.kernel.errors import ErrorCode, GroupXError
from tests.fakes.clock import settle
from tests.turns.native_turn_stage import tool
from turns.state import TurnStatus


async def test_an_answer_completes_the_turn_and_is_told_while_it_grows(stage):
    stage.session.say(Started("n1"), ReasoningDelta("hm"), TextDelta("he"), TextDelta("llo"), Completed("hello"))

    outcome = await stage.outcome()

    assert (outcome.status, outcome.text, outcome.reasoning) == (TurnStatus.COMPLETED, "hello", "hm")
    assert stage.starts == ["n1"]
    assert [type(event) for event in stage.told] == [ReasoningDelta, TextDelta, TextDelta]


async def test_a_failure_before_any_frame_leaves_the_delivery_unknown(stage):
    stage.session.say(Failed(code=ErrorCode.NATIVE_EXITED, message="The process ended."))

    assert (await stage.outcome()).error_code is ErrorCode.NATIVE_EXITED
    assert stage.starts == []


async def test_the_agent_cancelling_by_itself_is_an_interruption_that_keeps_the_text(stage):
    stage.session.say(
        Started(), TextDelta("half"), Interrupted(code=ErrorCode.NATIVE_CANCELLED, message="It stopped by itself.")
    )

    outcome = await stage.outcome()
    assert (outcome.status, outcome.text) == (TurnStatus.INTERRUPTED, "half")


async def test_partial_text_is_saved_after_two_seconds(stage, clock):
    stage.session.say(Started(), TextDelta("a"))
    await clock.advance(2)

    assert stage.saves == ["a"]


async def test_partial_text_is_saved_after_32_kib_whatever_the_time(stage):
    stage.session.say(Started(), TextDelta("a" * 40_000))
    await settle()

    assert [len(text) for text in stage.saves] == [40_000]


async def test_each_save_writes_only_what_is_new(stage):
    for letter in "abc":
        stage.session.say(TextDelta(letter * 30_000), TextDelta(letter * 10_000))
        await settle()

    assert stage.saves == ["a" * 40_000, "b" * 40_000, "c" * 40_000]


async def test_what_could_not_be_saved_comes_with_the_next_save(stage, clock):
    stage.can_save = False
    stage.session.say(TextDelta("a" * 40_000))
    await settle()
    stage.can_save = True
    stage.session.say(TextDelta("b"))
    await settle()
    assert len(stage.saves) == 1  # a database that cannot write is not asked for every delta

    await clock.advance(2)
    assert stage.saves[1:] == ["a" * 40_000 + "b"]


async def test_a_save_that_is_refused_is_not_tried_again_for_every_delta(stage, clock):
    stage.refusal = GroupXError(ErrorCode.STORE_CONFLICT, "Another worker has taken over this lane.")
    for number in range(3):
        stage.session.say(TextDelta("a" * 40_000 * (number == 0) + "b"))
        await settle()
    assert len(stage.saves) == 1
    await clock.advance(2)
    assert len(stage.saves) == 2
    stage.session.say(Completed(""))
    assert (await stage.outcome()).status is TurnStatus.COMPLETED


async def test_a_save_that_takes_long_delays_neither_the_live_text_nor_a_cancel(stage, clock):
    stage.session.say(Started(), TextDelta("a" * 40_000))
    await settle()
    stage.store_answers.clear()
    stage.session.say(TextDelta("b" * 40_000))
    await settle()

    stage.session.say(TextDelta("c"))
    stage.control.cancel("turn_1")
    await settle()

    assert stage.told[-1] == TextDelta("c")
    assert stage.session.cancels == 1
    stage.store_answers.set()


async def test_only_the_starts_and_ends_of_tools_are_recorded(stage):
    stage.session.say(
        Started(),
        tool(ToolPhase.STARTED),
        tool(ToolPhase.UPDATED),
        tool(ToolPhase.COMPLETED, ToolStatus.COMPLETED),
        Completed("done"),
    )

    outcome = await stage.outcome()
    assert [record.native_type for record in outcome.tools] == ["tool.started", "tool.completed"]
