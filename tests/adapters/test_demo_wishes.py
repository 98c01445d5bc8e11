"""Words that make a demo agent use the room's tools (adapters/demo/wishes.py)."""

import json
from pathlib import Path

import pytest

from adapters.demo import wishes
from adapters.demo.wishes import PERSONAS, Wish, wish_of

BOTH = ("reviewer", "scribe")


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("Ask Reviewer", Wish(verb="ask", to=("reviewer",))),
        ("ask @reviewer whether it works", Wish(verb="ask", to=("reviewer",), content="Whether it works")),
        ("ask Reviewer, Scribe: is it true?", Wish(verb="ask", to=BOTH, content="Is it true?")),
        ("tell Reviewer and Scribe to be slow", Wish(verb="tell", to=BOTH, content="Be slow")),
        ("Announce that we are done", Wish(verb="publish", content="We are done")),
        ("argue with Scribe about tabs", Wish(verb="argue", to=("scribe",), content="About tabs")),
        ("问 Reviewer：有问题吗？", Wish(verb="ask", to=("reviewer",), content="有问题吗？")),
        ("告诉 Reviewer 和 Scribe，慢一点", Wish(verb="tell", to=BOTH, content="慢一点")),
        ("发布：完成了", Wish(verb="publish", content="完成了")),
        ("和 Scribe 争论：缩进", Wish(verb="argue", to=("scribe",), content="缩进")),
    ],
)
def test_a_command_names_the_tool_the_others_and_what_they_are_told(text: str, wish: Wish):
    assert wish_of(text) == wish


def test_what_follows_a_command_is_for_whom_it_names():
    wish = wish_of("Make a plan, then ask Reviewer to ask Scribe to fail")
    assert wish is not None
    assert (wish.own_words, wish.content) == ("Make a plan, then ", "Ask Scribe to fail")
    assert wish_of(wish.content) == Wish(verb="ask", to=("scribe",), content="Fail")


@pytest.mark.parametrize(
    ("text", "content"),
    [("tell Scribe to be slow, watched by Reviewer", "Be slow"), ("告诉 Scribe 慢一点，由 Reviewer 观察", "慢一点")],
)
def test_others_may_watch(text: str, content: str):
    assert wish_of(text) == Wish(verb="tell", to=("scribe",), content=content, observers=("reviewer",))


@pytest.mark.parametrize(
    "text", ["ask for permission", "请求许可", "tell me more", "a task for Reviewer", "argue with me", "Reviewer?", ""]
)
def test_words_that_name_nobody_are_no_command(text: str):
    assert wish_of(text) is None


def test_a_command_that_was_passed_on_is_the_same_command():
    """Two that argue pass it on again and again."""
    assert wish_of("Argue with Builder: About tabs") == Wish(verb="argue", to=("builder",), content="About tabs")


def test_all_personas_can_be_named():
    personas = json.loads(Path(wishes.__file__).with_name("personas.json").read_text(encoding="utf-8"))
    assert tuple(personas) == (*PERSONAS, "assistant"), "who is in no roster is named by nobody"


def test_an_agent_may_have_an_article():
    assert wish_of("Ask the builder and the reviewer to look") == Wish(
        verb="ask", to=("builder", "reviewer"), content="Look"
    )
