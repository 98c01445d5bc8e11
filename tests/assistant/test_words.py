"""What the brain is told, what is said of what it does, and what its ends mean. Pure."""

import pytest

from adapters.contract import AdapterError
from assistant.activity import OF_THE_ROOM, activity_of
from assistant.ends import end_of, start_failed
from assistant.prompt import QUESTION, prompt_of
from assistant.state import MAX_STORED_CHARACTERS, QuestionState
from groupx.kernel.errors import ErrorCode
from turns.settlement import TurnOutcome
from turns.state import TurnStatus


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("mcp__groupx__worker_dispatch", ""),
        ("groupx__worker_dispatch", ""),
        ("groupx_worker_dispatch", ""),
        ("groupx.worker_dispatch", ""),
        ("other", "worker_dispatch (groupx MCP Server)"),
        ("other", "groupx worker_dispatch Builder"),
    ],
)
def test_a_tool_of_the_room_is_told_in_words_however_a_cli_names_it(name: str, title: str):
    assert activity_of(name, title) == "Gives work to agents"


@pytest.mark.parametrize(("name", "title", "words"), [("Read", "", "Read"), ("execute", "ls -l", "ls -l")])
def test_any_other_tool_is_told_by_its_name(name: str, title: str, words: str):
    assert activity_of(name, title) == f"Uses a tool: {words}"


def test_the_person_may_add_instructions_and_replace_none():
    plain = prompt_of("Who?", name="Ada", extra_instructions=" ")
    more = prompt_of("Who?", name="Ada", extra_instructions="Be brief.")
    assert more.replace("[extra_instructions]\nBe brief.\n\n", "") == plain
    assert plain.endswith(f"{QUESTION}Who?")


def test_the_instructions_name_only_tools_that_are_told_in_words():
    named = set(prompt_of("", name="Ada", extra_instructions="").split("`")[1::2])
    assert named - {"supersede", "retract"} <= OF_THE_ROOM.keys()


@pytest.mark.parametrize("status", [TurnStatus.FAILED, TurnStatus.INTERRUPTED])
def test_an_end_without_an_answer_has_code_sentence_and_what_to_do(status: TurnStatus):
    end = end_of(TurnOutcome(status=status, error_code=ErrorCode.NATIVE_EXITED, message="It ended.", hint="Ask."))
    assert (end.state, end.error_code, end.message, end.hint) == (
        QuestionState.FAILED, "NATIVE_EXITED", "It ended.", "Ask."
    )  # fmt: skip


def test_a_failure_always_has_a_sentence():
    assert end_of(TurnOutcome(status=TurnStatus.FAILED)).message
    assert end_of(None).message
    assert start_failed(AdapterError(ErrorCode.NATIVE_START_FAILED, "")).message


def test_an_empty_answer_is_none_and_a_long_one_is_cut():
    assert end_of(TurnOutcome(status=TurnStatus.COMPLETED, text=" \n")).error_code == "NATIVE_EMPTY_RESPONSE"
    long = end_of(TurnOutcome(status=TurnStatus.COMPLETED, text="x" * 2_000_000, stop_reason="max_tokens"))
    assert len(long.answer) <= MAX_STORED_CHARACTERS and "output limit" in long.answer[-100:]


def test_a_stop_is_told_as_one_of_the_assistant():
    stopped = TurnOutcome(
        status=TurnStatus.INTERRUPTED, error_code=ErrorCode.TURN_INTERRUPTED, message="while this turn was running"
    )
    end = end_of(stopped)
    assert (end.error_code, "turn" in end.message, bool(end.hint)) == ("TURN_INTERRUPTED", False, True)
