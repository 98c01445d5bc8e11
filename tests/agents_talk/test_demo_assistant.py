"""The demo's assistant acts in a real room by its tools (adapters/demo/assistant.py)."""

from collections.abc import Iterator
from typing import Any

import pytest

from groupx.demo_room import DEMO_ASSISTANT, DEMO_PERSONAS, demo_configuration
from tests.agents_talk.talking_room import TalkingRoom
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TalkingRoom]:
    folder = tmp_path_factory.mktemp("assistant")
    for name in (*DEMO_PERSONAS, DEMO_ASSISTANT):
        (folder / name).mkdir()
    room = TalkingRoom(folder, **demo_configuration())
    try:
        room.start()
        yield room
    finally:
        room.stop()


def reply(demo: TalkingRoom, content: str) -> str:
    status, answer = demo.command("/api/assistant/messages", content=content)
    assert status == 200, answer
    return str(answer["reply"]["content"])


def dispatches(demo: TalkingRoom) -> list[dict[str, Any]]:
    return [event for event in demo.events() if event["type"] == "operator.dispatch"]


def test_it_says_who_is_there(demo: TalkingRoom):
    assert "**Builder**" in reply(demo, "Who is here?")


def test_it_gives_an_agent_work_that_stands_in_the_log_and_is_no_message(demo: TalkingRoom):
    assert "Builder" in reply(demo, "Have Builder look at the parser")
    [given] = dispatches(demo)
    assert (given["actor"]["actorId"], given["to"]) == ("user:assistant", ["agent:builder"])
    assert given["body"]["content"] == "Look at the parser"
    answered = wait_until(
        lambda: [e for e in demo.events() if e["type"] == "message.created" and e["actor"]["actorId"] != "user:web"],
        timeout_seconds=30,
        what="the builder's answer",
    )
    assert [event["actor"]["actorId"] for event in answered] == ["agent:builder"]


def test_it_asks_and_passes_on_what_was_answered(demo: TalkingRoom):
    assert "> **Reviewer**" in reply(demo, "Ask Reviewer whether the parser is safe")


def test_what_it_says_in_public_is_a_message_of_its_own(demo: TalkingRoom):
    reply(demo, "Announce that we are done")
    said = [e for e in demo.events() if e["type"] == "message.created" and e["body"]["content"] == "We are done"]
    assert [event["actor"]["actorId"] for event in said] == ["user:assistant"]


def test_nothing_of_the_conversation_itself_is_in_the_log(demo: TalkingRoom):
    assert "**Builder**" in reply(demo, "What was said so far? marker")
    assert "marker" not in str(demo.events())


def test_a_chinese_question_is_answered_in_chinese(demo: TalkingRoom):
    assert "房间里有这些" in reply(demo, "房间里有谁？")
