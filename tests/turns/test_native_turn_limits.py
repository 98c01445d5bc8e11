"""The limits of a running turn: no sign of life, silence, length (docs/turns.md). Scripted session, fake clock."""

from adapters.contract import (
    Diagnostic,
    Failed,
    Started,
    TextDelta,
    ToolPhase,
    ToolStatus,
)
from groupx.kernel.errors import ErrorCode
from tests.fakes.clock import settle
from tests.turns.native_turn_stage import Flood, NativeTurnStage, tool
from turns.state import TurnStatus


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


async def test_waiting_for_our_own_database_is_not_the_agents_silence(stage, clock):
    stage.store_answers.clear()
    stage.session.say(Started())
    await settle()
    clock.tick(500)  # locked for longer than the agent may be silent; what it says meanwhile waits in its pipe
    stage.store_answers.set()
    await settle()
    assert not stage.task.done()

    await clock.advance(99)
    assert not stage.task.done()
    await clock.advance(2)
    assert (await stage.outcome()).error_code == ErrorCode.TURN_IDLE_TIMEOUT


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


async def test_a_flood_of_events_starves_no_limit(clock):
    stage = NativeTurnStage(clock, Flood(clock))

    assert (await stage.outcome()).error_code is ErrorCode.TURN_TIME_LIMIT


async def test_time_in_which_the_lane_itself_was_frozen_is_nobodys_silence(stage, clock):
    stage.session.say(Started())
    await settle()
    clock.tick(500)  # SIGSTOP, a suspended machine: nothing of ours ran
    await clock.advance(10)
    assert not stage.task.done()

    await clock.advance(100)
    assert (await stage.outcome()).error_code is ErrorCode.TURN_IDLE_TIMEOUT


async def test_what_does_not_belong_to_the_turn_does_not_count_as_a_sign_of_life(stage, clock):
    stage.session.say(Started())
    await clock.advance(99)
    stage.session.say(Diagnostic("other_session"), Diagnostic("unknown_update"))
    await clock.advance(1)

    assert (await stage.outcome()).error_code is ErrorCode.TURN_IDLE_TIMEOUT


async def test_a_delay_of_thousands_of_years_fails_the_turn_for_its_reason_and_pauses_nothing(stage):
    limited = Failed(code=ErrorCode.NATIVE_RATE_LIMITED, message="429", hint="Wait.", retry_after_seconds=1.7e12)
    stage.session.say(Started(), limited)

    outcome = await stage.outcome()

    assert (outcome.error_code, outcome.message, outcome.paused_until) == (ErrorCode.NATIVE_RATE_LIMITED, "429", None)
