"""Asking the assistant: one answer for one clientCommandId, whoever asks how often (docs/assistant.md)."""

import asyncio

import pytest

from adapters.contract import Cancelled, Completed, Started, TextDelta
from assistant.models import AssistantMessage
from assistant.prompt import QUESTION
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.models import Event
from rooms.transactions import in_reader
from tests.assistant.stage import TalkStage, side_conversation, with_assistant
from tests.fakes.adapter import ScriptedSession
from turns.models import Turn


async def rows() -> list[tuple[str, str, str]]:
    return await in_reader(
        lambda: list(AssistantMessage.objects.order_by("id").values_list("role", "content", "state"))
    )


async def test_a_question_is_answered_and_both_are_kept(talk: TalkStage):
    session = ScriptedSession()
    session.answer("Builder and Reviewer.")
    await talk.brain(session)
    answered = await talk.ask("Who is here?")

    assert (answered["question"]["state"], answered["reply"]["content"]) == ("answered", "Builder and Reviewer.")
    assert await rows() == [("user", "Who is here?", "answered"), ("assistant", "Builder and Reviewer.", "")]


async def test_the_brain_is_told_who_it_is_and_what_the_person_wants_besides_with_every_question(talk: TalkStage):
    session = ScriptedSession()
    session.answer("Aye.")
    session.answer("Aye.")
    await talk.brain(session)
    await talk.ask("Who is here?", "q1")
    await talk.ask("And now?", "q2")

    for prompt, content in zip(session.prompts, ("Who is here?", "And now?"), strict=True):
        ours, _, question = prompt.partition(QUESTION)
        assert question == content
        assert ours.index("You are Ada") < ours.index("Speak like a pirate.")


async def test_nothing_of_it_reaches_the_room(talk: TalkStage):
    session = ScriptedSession()
    session.answer("a secret")
    await talk.brain(session)
    before = await in_reader(Event.objects.count)
    await talk.ask("a question")
    assert await in_reader(Event.objects.count) == before
    assert await in_reader(Turn.objects.count) == 0


async def test_the_same_question_again_gets_the_kept_reply(talk: TalkStage):
    session = ScriptedSession()
    session.answer("Two.")
    await talk.brain(session)
    assert await talk.ask() == await talk.ask()
    assert len(session.prompts) == 1


async def test_who_asks_the_same_at_once_waits_for_one_run(talk: TalkStage):
    session = ScriptedSession()
    await talk.brain(session)
    both = [talk.asking(), talk.asking()]
    await session.prompted.wait()
    both.append(talk.asking())
    session.answer("Two.")
    first, second, third = await asyncio.gather(*both)

    assert first == second == third
    assert len(session.prompts) == 1 and len(await rows()) == 2


async def test_another_question_under_the_same_id_is_refused(talk: TalkStage):
    session = ScriptedSession()
    session.answer("Two.")
    await talk.brain(session)
    await talk.ask("Who is here?")
    with pytest.raises(GroupXError) as refused:
        await talk.ask("Who is there?")
    assert refused.value.code is ErrorCode.CLIENT_COMMAND_CONFLICT


async def test_questions_are_answered_one_by_one_in_their_order(talk: TalkStage):
    session = ScriptedSession()
    await talk.brain(session)
    asked = []
    for number in ("1", "2", "3"):
        asked.append(await talk.asked(number, f"q{number}"))
        if number == "1":
            await session.prompted.wait()
    assert len(session.prompts) == 1
    for answer in ("one", "two", "three"):
        session.answer(answer)
    assert [answered["reply"]["content"] for answered in await asyncio.gather(*asked)] == ["one", "two", "three"]
    assert [prompt[-1] for prompt in session.prompts] == ["1", "2", "3"]


async def test_who_leaves_does_not_take_the_question_along(talk: TalkStage):
    session = ScriptedSession()
    await talk.brain(session)
    asking = talk.asking()
    await session.prompted.wait()
    asking.cancel()
    session.answer("Two.")
    assert (await talk.ask())["reply"]["content"] == "Two."
    assert len(session.prompts) == 1


async def test_an_answer_that_was_cut_off_says_so(talk: TalkStage):
    session = ScriptedSession()
    session.say(Started(), TextDelta("half"), Completed("half", stop_reason="max_tokens"))
    await talk.brain(session)
    assert (await talk.ask())["reply"]["content"].startswith("half\n\nThe agent stopped at its output limit")


# ---------------------------------------------------------------- stopping
async def test_a_question_that_waits_is_cancelled_at_once(talk: TalkStage):
    session = ScriptedSession()
    await talk.brain(session)
    first = talk.asking("1", "q1")
    await session.prompted.wait()
    second = await talk.asked("2", "q2")
    assert await talk.cancel("q2") == {"accepted": True, "clientCommandId": "q2"}
    with pytest.raises(GroupXError) as cancelled:
        await second
    assert cancelled.value.code is ErrorCode.TURN_CANCELLED

    session.answer("one")
    await first
    assert len(session.prompts) == 1


async def test_a_question_that_runs_is_stopped_in_its_cli(talk: TalkStage):
    session = ScriptedSession()
    session.answers_cancel_with = Cancelled()
    session.say(Started(), TextDelta("half"))
    await talk.brain(session)
    asking = talk.asking()
    await session.prompted.wait()
    assert await talk.cancel() == {"accepted": True, "clientCommandId": "q1"}
    with pytest.raises(GroupXError) as cancelled:
        await asking
    assert cancelled.value.code is ErrorCode.TURN_CANCELLED
    assert session.cancels == 1 and await rows() == [("user", "Who is here?", "cancelled")]


async def test_a_cancel_that_the_brain_did_not_hear_stands_in_the_database(talk: TalkStage):
    session = ScriptedSession()
    session.answers_cancel_with = Cancelled()
    brain = await talk.brain(session)
    asking = talk.asking()
    await session.prompted.wait()
    await brain.lose_connection()
    await talk.cancel("q1")
    with pytest.raises(GroupXError) as cancelled:
        await asking
    assert cancelled.value.code is ErrorCode.TURN_CANCELLED


async def test_what_is_over_or_unknown_is_not_cancelled(talk: TalkStage):
    session = ScriptedSession()
    session.answer("Two.")
    await talk.brain(session)
    await talk.ask()
    assert [await talk.cancel("q1"), await talk.cancel("unknown"), await talk.cancel()] == [{"accepted": False}] * 3
    assert (await talk.ask())["reply"]["content"] == "Two."


async def test_a_cancelled_question_can_be_asked_again(talk: TalkStage):
    session = ScriptedSession()
    session.answers_cancel_with = Cancelled()
    await talk.brain(session)
    asking = talk.asking()
    await session.prompted.wait()
    await talk.cancel("q1")
    await asyncio.gather(asking, return_exceptions=True)
    session.answer("Two.")
    assert (await talk.ask())["reply"]["content"] == "Two."
    assert await rows() == [("user", "Who is here?", "answered"), ("assistant", "Two.", "")]


# ---------------------------------------------------------------- a room without
@pytest.mark.parametrize("has_entry", [True, False], ids=["switched off", "none"])
async def test_a_room_without_an_assistant_says_what_to_do(live_room, has_entry: bool):
    off = with_assistant(live_room).assistant.model_copy(update={"enabled": False}) if has_entry else None
    async with side_conversation(with_assistant(live_room, off)) as talk:
        for refused in (talk.ask(), talk.cancel()):
            with pytest.raises(GroupXError, match="/setup") as error:
                await refused
            assert error.value.code is ErrorCode.ASSISTANT_NOT_CONFIGURED
        about = await talk.desk.about()
        assert (about["configured"], about["status"]) == (False, "stopped")
    assert await rows() == []


async def test_a_room_that_drains_lets_nobody_wait_and_keeps_the_question(talk: TalkStage):
    session = ScriptedSession()
    await talk.brain(session)
    asking = talk.asking()
    await session.prompted.wait()
    talk.desk.close()
    with pytest.raises(GroupXError) as closing:
        await asking
    assert closing.value.code is ErrorCode.RUNTIME_CLOSING
    assert await rows() == [("user", "Who is here?", "running")]
