"""A brain that fails, dies or is not there: its question ends once, with a sentence, and can be asked again.

Source: docs/assistant.md, "The conversation" and "The process". Our contract.
"""

import asyncio

import pytest

from adapters.contract import AdapterError, Started, TextDelta
from assistant.actions.end_question import end_question
from assistant.actions.settle_assistant import expect_brain, settle_restored_assistant
from assistant.models import AssistantBrain, AssistantMessage
from assistant.queries.brain import check_operator_handle
from assistant.state import QuestionEnd, QuestionState
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.transactions import in_db, in_reader
from tests.assistant.stage import TalkStage, side_conversation, with_assistant
from tests.fakes.adapter import ScriptedSession
from tests.fakes.clock import FakeClock

NOT_FOUND = AdapterError(ErrorCode.COMMAND_NOT_FOUND, "“codex” was not found.", hint="Install it.")


def answering(text: str = "Two.", native_session_id: str = "native-1") -> ScriptedSession:
    session = ScriptedSession(native_session_id)
    session.answer(text)
    return session


async def questions() -> list[tuple[str, int]]:
    return await in_reader(lambda: list(AssistantMessage.objects.filter(role="user").values_list("state", "runs")))


async def failure_of(asking: "asyncio.Task") -> GroupXError:
    with pytest.raises(GroupXError) as failed:
        await asking
    return failed.value


# ---------------------------------------------------------------- its CLI
async def test_a_missing_cli_shows_in_words_and_fails_what_is_asked_with_what_to_do(talk: TalkStage):
    await talk.brain(NOT_FOUND, NOT_FOUND)
    about = await talk.until_state(lambda state: state["status"] == "failed")
    assert about["statusText"] == "“codex” was not found." and about["lastError"]["hint"] == "Install it."

    error = await failure_of(talk.asking())
    assert (error.code, error.details["hint"]) == (ErrorCode.COMMAND_NOT_FOUND, "Install it.")
    assert await questions() == [("failed", 0)]


async def test_who_is_not_signed_in_is_told_and_the_next_brain_answers(talk: TalkStage):
    signed_out = AdapterError(ErrorCode.NATIVE_AUTH_REQUIRED, "Not signed in.", hint="Run codex login.")
    first = await talk.brain(signed_out)
    error = await failure_of(talk.asking())
    assert (error.code, error.details["hint"]) == (ErrorCode.NATIVE_AUTH_REQUIRED, "Run codex login.")
    await first.close()
    await talk.brain(answering())
    assert (await talk.ask())["reply"]["content"] == "Two."
    assert await questions() == [("answered", 1)]


async def test_a_cli_that_dies_fails_its_question_once_and_is_started_again(talk: TalkStage):
    dying = ScriptedSession()
    brain = await talk.brain(dying, answering("Now I know."))
    asking = talk.asking()
    await dying.prompted.wait()
    dying.say(Started(), TextDelta("half"), ConnectionResetError("a driver that breaks its contract"))
    assert (await failure_of(asking)).code is ErrorCode.PROTOCOL_INVALID_MESSAGE

    assert (await talk.ask())["reply"]["content"] == "Now I know."
    assert await questions() == [("answered", 2)]
    assert brain.processes[:3] == ["spawned", "ended", "spawned"]


async def test_a_failed_question_is_not_asked_again_by_itself(talk: TalkStage):
    dying, next_one = ScriptedSession(), answering()
    await talk.brain(dying, next_one)
    asking = talk.asking()
    await dying.prompted.wait()
    dying.say(RuntimeError("broke"))
    await failure_of(asking)
    await talk.until_state(lambda state: state["status"] == "ready")
    assert next_one.prompts == []


# ---------------------------------------------------------------- its process
async def test_a_brain_that_was_replaced_writes_nothing_any_more(talk: TalkStage):
    slow = ScriptedSession()
    old = await talk.brain(slow)
    asking = talk.asking()
    await slow.prompted.wait()
    await talk.brain(answering("From the new one."))
    error = await failure_of(asking)
    assert error.code is ErrorCode.TURN_INTERRUPTED and "ask again" in error.details["hint"]

    slow.answer("From the old one.")
    await old.replaced()
    assert await questions() == [("failed", 1)]
    assert (await talk.ask())["reply"]["content"] == "From the new one."


async def test_the_handle_of_a_brain_opens_the_tools_while_it_is_the_brain(talk: TalkStage):
    first = await talk.brain(answering())
    await talk.until_state(lambda state: state["status"] == "ready")
    await in_reader(check_operator_handle, first.handle)
    await first.close()
    await talk.until_state(lambda state: state["status"] == "starting")
    second = await talk.brain(answering())
    await talk.until_state(lambda state: state["status"] == "ready")
    await in_reader(check_operator_handle, second.handle)
    for shown in (first.handle, "", "unknown"):
        with pytest.raises(GroupXError) as refused:
            await in_reader(check_operator_handle, shown)
        assert refused.value.code is ErrorCode.MCP_BINDING_MISMATCH
    await second.close()
    with pytest.raises(GroupXError):
        await in_reader(check_operator_handle, second.handle)


async def test_what_waits_is_answered_by_the_next_brain(talk: TalkStage):
    asking = await talk.asked("Who is here?", "q1")
    await talk.brain(answering())
    assert (await asking)["reply"]["content"] == "Two."


async def test_a_brain_that_is_closed_in_mid_run_ends_its_question_with_a_sentence(talk: TalkStage):
    session = ScriptedSession()
    session.answers_cancel_with = None
    brain = await talk.brain(session)
    asking = talk.asking()
    await session.prompted.wait()
    session.say(Started())
    closing = asyncio.create_task(brain.close())
    error = await failure_of(asking)
    await closing
    assert error.code is ErrorCode.TURN_INTERRUPTED and session.closed
    assert (await talk.desk.about())["status"] == "starting", "its parent starts another"


@pytest.mark.parametrize(("cwd", "resumes"), [("/tmp", "native-1"), ("/", None)])
async def test_the_next_brain_goes_on_with_the_session_of_the_same_folder(talk: TalkStage, cwd: str, resumes):
    first = await talk.brain(answering("One.", "native-1"))
    await talk.ask("1", "q1")
    await first.close()
    second = await talk.brain(answering("Two.", "native-2"), cwd=cwd)
    await talk.ask("2", "q2")
    assert second.driver.resumes == [resumes]


async def test_a_session_that_kills_its_cli_when_it_is_resumed_is_left_behind(talk: TalkStage):
    first = await talk.brain(answering("One."))
    await talk.ask("1", "q1")
    await first.close()
    dead = AdapterError(ErrorCode.NATIVE_EXITED, "It ended.", temporary=True, while_resuming=True)
    second = await talk.brain(dead, dead, answering("Two."))
    assert (await talk.ask("2", "q2"))["reply"]["content"] == "Two."
    assert second.driver.resumes == ["native-1", "native-1", None]


async def test_a_question_that_no_process_takes_fails_after_a_minute(live_room):
    clock = FakeClock()
    async with side_conversation(with_assistant(live_room), clock) as talk:
        asking = await talk.asked("Who is here?", "q1")
        for _ in range(2):
            await clock.until_asleep()
            await clock.advance(31)
        error = await failure_of(asking)
    assert error.code is ErrorCode.SESSION_NOT_AVAILABLE and error.details["hint"]
    assert await questions() == [("failed", 0)]


# ---------------------------------------------------------------- a run begins
@pytest.fixture
async def left_open(talk: TalkStage) -> None:
    """One question runs and one waits, and the run has ended."""
    session = ScriptedSession()
    brain = await talk.brain(session)
    running = talk.asking("1", "q1")
    await session.prompted.wait()
    waiting = await talk.asked("2", "q2")
    for asking in (running, waiting):
        asking.cancel()
    await brain.lose_connection()
    brain.working.cancel()
    await asyncio.gather(brain.working, running, waiting, return_exceptions=True)


async def test_without_an_assistant_what_was_left_open_has_failed(talk: TalkStage, left_open, clock):
    await in_db(expect_brain, is_enabled=False, clock=clock)
    errors = await in_reader(lambda: list(AssistantMessage.objects.values_list("state", "error_code")))
    assert errors == [("failed", "ASSISTANT_NOT_CONFIGURED")] * 2


async def test_after_a_restore_nothing_is_asked_by_itself_and_the_brain_starts_afresh(
    talk: TalkStage, left_open, clock
):
    await in_db(settle_restored_assistant, clock=clock)
    errors = await in_reader(lambda: list(AssistantMessage.objects.values_list("state", "error_code")))
    assert errors == [("failed", "ROOM_RESTORED")] * 2
    session = ScriptedSession()
    brain = await talk.brain(session)
    await talk.until_state(lambda state: state["status"] == "ready")
    assert brain.driver.resumes == [None] and session.prompts == []


async def test_a_question_is_ended_by_the_brain_that_took_it_alone(talk: TalkStage, clock):
    with pytest.raises(GroupXError) as refused:
        await in_db(end_question, "q1", "nobody", QuestionEnd(state=QuestionState.CANCELLED), clock=clock)
    assert refused.value.code is ErrorCode.STORE_CONFLICT
    assert await in_reader(AssistantBrain.objects.count) == 0
