"""One prompt to one outcome: limits, cancel, stop, partial text (docs/turns.md). Scripted session, fake clock."""

import asyncio

import pytest

from adapters.contract import (
    Cancelled,
    Completed,
    Failed,
    Interrupted,
    ReasoningDelta,
    Started,
    TextDelta,
    ToolEvent,
    ToolPhase,
    ToolStatus,
)
from groupx.kernel.config import Timeouts
from groupx.kernel.errors import ErrorCode
from tests.fakes.adapter import ScriptedSession
from tests.fakes.clock import settle
from turns.control import LaneControl
from turns.native_turn import NativeTurn, TurnHooks
from turns.state import TurnStatus

TIMEOUTS = Timeouts(first_event_ms=60_000, idle_ms=100_000, turn_ms=1_000_000, cancel_ms=10_000, close_ms=5_000)


class Stage:
    """A running native turn with everything it touches in reach."""

    def __init__(self, clock, session=None, *, cancelled=False, stopped=False):
        self.clock, self.session, self.control = clock, session or ScriptedSession(), LaneControl()
        if cancelled:
            self.control.cancel("turn_1")
        if stopped:
            self.control.close()
        self.starts, self.saves, self.told, self.beats = [], [], [], []
        turn = NativeTurn(
            "turn_1",
            self.session,
            TurnHooks(
                started=self._append(self.starts),
                save_partial=self._append(self.saves),
                tell=self.told.append,
                heartbeat=self.beats.append,
            ),
            self.control,
            TIMEOUTS,
            clock,
        )
        self.task = asyncio.create_task(turn.run("the prompt"))

    def _append(self, where):
        async def append(value):
            where.append(value)

        return append

    async def outcome(self):
        async with asyncio.timeout(5):
            return await self.task


@pytest.fixture
async def stage(clock):
    stage = Stage(clock)
    await settle()
    yield stage
    stage.task.cancel()
    await asyncio.gather(stage.task, return_exceptions=True)


def tool(phase, status=ToolStatus.RUNNING):
    return ToolEvent(phase=phase, tool_call_id="1", name="build", status=status)


async def test_an_answer_completes_the_turn_and_is_told_while_it_grows(stage):
    stage.session.say(Started("n1"), ReasoningDelta("hm"), TextDelta("he"), TextDelta("llo"), Completed("hello"))

    outcome = await stage.outcome()

    assert (outcome.status, outcome.text, outcome.reasoning) == (TurnStatus.COMPLETED, "hello", "hm")
    assert stage.starts == ["n1"]
    assert [type(event) for event in stage.told] == [ReasoningDelta, TextDelta, TextDelta]


async def test_a_prompt_without_a_sign_of_life_fails_after_the_first_event_limit(stage, clock):
    await clock.advance(59)
    assert not stage.task.done()
    await clock.advance(1)

    outcome = await stage.outcome()

    assert (outcome.status, outcome.error_code) == (TurnStatus.FAILED, ErrorCode.TURN_FIRST_EVENT_TIMEOUT)
    assert stage.session.cancels == 1


async def test_silence_in_mid_turn_fails_after_the_idle_limit_and_keeps_the_text(stage, clock):
    stage.session.say(Started(), TextDelta("half"))
    await clock.advance(100)

    outcome = await stage.outcome()

    assert (outcome.error_code, outcome.text) == (ErrorCode.TURN_IDLE_TIMEOUT, "half")


async def test_each_event_of_the_turn_begins_the_silence_anew(stage, clock):
    stage.session.say(Started())
    for _ in range(5):
        await clock.advance(90)
        stage.session.say(TextDelta("."))
    await clock.advance(90)

    assert not stage.task.done()


async def test_while_a_tool_is_open_silence_has_no_limit_of_its_own(stage, clock):
    stage.session.say(Started(), tool(ToolPhase.STARTED))
    await clock.advance(900)
    assert not stage.task.done()

    stage.session.say(tool(ToolPhase.COMPLETED, ToolStatus.COMPLETED))
    await clock.advance(101)
    assert (await stage.outcome()).error_code == ErrorCode.TURN_IDLE_TIMEOUT


async def test_no_turn_runs_longer_than_the_total_limit(stage, clock):
    stage.session.say(Started(), tool(ToolPhase.STARTED))
    await clock.advance(1_000)

    assert (await stage.outcome()).error_code == ErrorCode.TURN_TIME_LIMIT


async def test_a_quiet_turn_sends_a_heartbeat_every_15_seconds(stage, clock):
    stage.session.say(Started())
    await clock.advance(46)

    assert stage.beats == [15, 30, 45]


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
    assert [step["step"] for step in outcome.cancel_steps] == ["native_cancel", "process_ended"]


class Flood(ScriptedSession):
    """An agent that always has another word ready; a tenth of a second passes with each."""

    def __init__(self, clock):
        super().__init__()
        self._clock = clock

    async def prompt(self, text):
        self._is_open = True
        yield Started()
        while not self.closed:
            self._clock.tick(0.1)
            yield TextDelta("blah ")


async def test_a_flood_of_events_starves_no_cancel(clock):
    stage = Stage(clock, Flood(clock))
    await settle()
    stage.control.cancel("turn_1")

    outcome = await stage.outcome()

    assert (outcome.error_code, stage.session.cancels) == (ErrorCode.TURN_CANCEL_TIMEOUT, 1)
    assert len(outcome.text) < 5 * 200


async def test_a_flood_of_events_starves_no_limit(clock):
    stage = Stage(clock, Flood(clock))

    assert (await stage.outcome()).error_code is ErrorCode.TURN_TIME_LIMIT


async def test_a_turn_cancelled_before_its_prompt_sends_nothing(clock):
    stage = Stage(clock, cancelled=True)

    outcome = await stage.outcome()

    assert (outcome.status, stage.session.prompts) == (TurnStatus.CANCELLED, [])


async def test_a_stop_before_the_prompt_sends_nothing(clock):
    stage = Stage(clock, stopped=True)

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


async def test_time_in_which_the_lane_itself_was_frozen_is_nobodys_silence(stage, clock):
    stage.session.say(Started())
    await settle()
    clock.tick(500)  # SIGSTOP, a suspended machine: nothing of ours ran
    await clock.advance(10)
    assert not stage.task.done()

    await clock.advance(100)
    assert (await stage.outcome()).error_code is ErrorCode.TURN_IDLE_TIMEOUT
