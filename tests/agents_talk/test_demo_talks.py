"""The demo's agents use the room's tools where words in a message say so (README.md; adapters/demo)."""

from collections.abc import Iterator
from typing import Any

import pytest

from groupx.demo_room import DEMO_HOPS, DEMO_PERSONAS, demo_configuration
from tests.agents_talk.talking_room import TalkingRoom
from tests.agents_talk.test_limits import grant, stops
from tests.running_room import TURN_SECONDS
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TalkingRoom]:
    folder = tmp_path_factory.mktemp("demo")
    for persona in DEMO_PERSONAS:
        (folder / persona).mkdir()
    room = TalkingRoom(folder, **demo_configuration())
    try:
        room.start()
        for persona in DEMO_PERSONAS:
            room.until_agent(persona, "ready")
        yield room
    finally:
        room.stop()


def play(demo: TalkingRoom, name: str, text: str, **more: Any) -> tuple[str, str]:
    """Its root, when all is quiet again, and what the agent has answered."""
    sent = demo.send(name, content=text, **more)
    demo.until_quiet(sent["correlationId"])
    return sent["correlationId"], demo.answer_of(demo.turn(sent)) or ""


def authors(demo: TalkingRoom, root: str) -> list[str]:
    return [event["actor"]["actorId"] for event in demo.of_root(root, "message.created")]


def test_builder_asks_reviewer_and_uses_the_answer(demo: TalkingRoom):
    root, answer = play(demo, "builder", "Ask Reviewer about the parser")

    assert authors(demo, root) == ["user:web", "agent:builder", "agent:reviewer", "agent:builder"]
    assert "> **Reviewer**" in answer and "> I read **the parser** with a reviewer's eye." in answer


def test_what_is_told_and_published_stands_in_the_room(demo: TalkingRoom):
    root, _ = play(demo, "builder", "Tell Scribe to announce that we are done")

    said = [event["body"]["content"] for event in demo.of_root(root, "message.created")]
    assert {"Announce that we are done", "We are done"} <= {*said}


def test_two_that_argue_are_stopped_and_go_on_when_they_are_let(demo: TalkingRoom):
    root, _ = play(demo, "builder", "Argue with Scribe about tabs")

    [stop] = stops(demo, root)
    assert (stop["body"]["limit"], stop["body"]["maximum"]) == ("hopCount", DEMO_HOPS)
    assert len(demo.of_root(root, "turn.queued")) == 1 + DEMO_HOPS
    assert grant(demo, root, "hopCount")[0] == 202
    demo.until_quiet(root)
    assert len(demo.of_root(root, "turn.queued")) == 1 + 2 * DEMO_HOPS
    assert len(stops(demo, root)) == 2


def test_an_observer_watches_and_nudges_once(demo: TalkingRoom):
    busy = demo.turn(demo.send("scribe", content="slow"))
    sent = demo.send("builder", content="Tell Scribe to use a tool, watched by Reviewer")
    root = sent["correlationId"]
    wait_until(
        lambda: demo.of_root(root, "supervision.observed"),
        timeout_seconds=TURN_SECONDS,
        what="an observer that looks on",
    )
    demo.command(f"/api/turns/{busy}/cancel")
    demo.until_quiet(root)

    assert len(demo.of_root(root, "supervision.steered")) == 1
    said = [event for event in demo.of_root(root, "message.created") if event["actor"]["actorId"] == "agent:reviewer"]
    assert [event["body"]["content"] for event in said] == [
        "Name the risks as well, please.",
        "I watched until the end: Scribe completed, Scribe completed. Meanwhile I nudged once.",
    ]
