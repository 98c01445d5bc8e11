"""A cancel, a stop or a restart meets a running turn (docs/turns.md). Scripted session, fake clock."""

from adapters.contract import (
    Cancelled,
    Completed,
    Failed,
    Started,
    TextDelta,
)
from groupx.kernel.errors import ErrorCode
from tests.fakes.clock import settle
from tests.turns.native_turn_stage import Flood, NativeTurnStage
from turns.state import TurnStatus


async def test_a_cancel_is_passed_on_once_and_ends_as_cancelled(stage):
    stage.session.answers_cancel_with = Cancelled()
    stage.session.say(Started(), TextDelta("half"))
    await settle()
    stage.control.cancel("turn_1")
    stage.control.cancel("turn_1")

    outcome = await stage.outcome()

    assert (outcome.status, outcome.text, stage.session.cancels) == (TurnStatus.CANCELLED, "half", 1)


async def test_a_cancel_of_another_turn_does_nothing(stage):
    stage.session.say(Started())
    stage.control.cancel("turn_0")
    await settle()

    assert stage.session.cancels == 0


async def test_an_agent_that_ignores_the_cancel_loses_its_process(stage, clock):
    stage.session.say(Started())
    await settle()
    stage.control.cancel("turn_1")
    await settle()
    await clock.advance(10)

    outcome = await stage.outcome()

    assert (outcome.status, outcome.error_code) == (TurnStatus.INTERRUPTED, ErrorCode.TURN_CANCEL_TIMEOUT)
    assert stage.session.closed
    assert [step["step"] for step in outcome.cancel_steps] == [
        "native_cancel",
        "end_of_input",
        "terminated",
        "killed",
        "process_ended",
    ]
    assert [step["ms"] for step in outcome.cancel_steps] == [0, 10_000, 10_200, 10_400, 10_410]


async def test_a_flood_of_events_starves_no_cancel(clock):
    stage = NativeTurnStage(clock, Flood(clock))
    await settle()
    stage.control.cancel("turn_1")

    outcome = await stage.outcome()

    assert (outcome.error_code, stage.session.cancels) == (ErrorCode.TURN_CANCEL_TIMEOUT, 1)
    assert len(outcome.text) < 5 * 200


async def test_a_turn_cancelled_before_its_prompt_sends_nothing(clock):
    stage = NativeTurnStage(clock, cancelled=True)

    outcome = await stage.outcome()

    assert (outcome.status, stage.session.prompts) == (TurnStatus.CANCELLED, [])


async def test_a_stop_before_the_prompt_sends_nothing(clock):
    stage = NativeTurnStage(clock, stopped=True)

    outcome = await stage.outcome()

    assert (outcome.error_code, stage.session.prompts) == (ErrorCode.TURN_INTERRUPTED, [])


async def test_a_completion_that_comes_before_the_cancel_was_obeyed_wins(stage):
    stage.session.answers_cancel_with = Completed("done anyway")
    stage.session.say(Started())
    await settle()
    stage.control.cancel("turn_1")

    assert (await stage.outcome()).status is TurnStatus.COMPLETED


async def test_an_error_in_answer_to_our_cancel_counts_as_cancelled(stage):
    stage.session.answers_cancel_with = Failed(code=ErrorCode.NATIVE_ERROR, message="aborted")
    stage.session.say(Started())
    await settle()
    stage.control.cancel("turn_1")

    assert (await stage.outcome()).status is TurnStatus.CANCELLED


async def test_a_stop_interrupts_the_turn_after_four_seconds_at_most(stage, clock):
    stage.session.say(Started(), TextDelta("half"))
    await settle()
    stage.control.close()
    await settle()
    await clock.advance(4)

    outcome = await stage.outcome()

    assert not stage.session.closed, "the end is committed before the process is ended"
    assert (outcome.status, outcome.error_code, outcome.text) == (
        TurnStatus.INTERRUPTED,
        ErrorCode.TURN_INTERRUPTED,
        "half",
    )
    assert "stopped" in outcome.message


async def test_a_restart_says_that_the_agent_was_restarted(stage):
    stage.session.answers_cancel_with = Cancelled()
    stage.session.say(Started())
    await settle()
    stage.control.restart()

    outcome = await stage.outcome()
    assert (outcome.status, outcome.error_code) == (TurnStatus.INTERRUPTED, ErrorCode.AGENT_RESTARTED)
