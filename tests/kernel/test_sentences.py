"""Sentences in the reader's language: groupx/kernel/sentences.py, and the same in the page (static/js/sentences.js)."""

import pytest

from groupx.kernel.sentences import Sentences, sentences
from tests.console.node import NODE, run_in_node

KNOWN = {
    "No agent is enabled.": "没有已启用的 Agent。",
    "The agent": "Agent",
    "permission": "许可",
    "must not be blank": "不能为空",
    "{title} could not be started. {message}": "{title} 无法启动。{message}",
    "The agent closed its output.": "Agent 关闭了输出。",
    "{message} Nothing was sent to the agent.": "{message}没有发送。",
    "The agent asked for {kind}.": "Agent 请求{kind}。",
    "No agent is called {unknown}. There are: {there}.": "没有 {unknown}。现有：{there}。",
    "Input should be {expected}": "应为 {expected}",
    "Input should be greater than or equal to {ge}": "应大于或等于 {ge}",
    "at least {number} item{plural}": "至少 {number} 项",
    "{number} of {limit} [a+b]": "{limit} 中的 {number}",
}
CASES = [
    ("No agent is enabled.", "没有已启用的 Agent。"),
    ("The agent could not be started. The agent closed its output.", "Agent 无法启动。Agent 关闭了输出。"),
    ("Kimi could not be started. exit 3", "Kimi 无法启动。exit 3"),
    ("The agent asked for permission.", "Agent 请求许可。"),
    ("No agent is called a, b. There are: c.", "没有 a, b。现有：c。"),
    ("Input should be greater than or equal to 5", "应大于或等于 5"),  # the template that says most
    ("Input should be 'a' or 'b'", "应为 'a' or 'b'"),
    ("at least 1 item", "至少 1 项"),
    ("at least 2 items", "至少 2 项"),
    ("two\nlines Nothing was sent to the agent.", "two\nlines没有发送。"),
    ("3 of 5 [a+b]", "5 中的 3"),
    ("“content”: must not be blank", "“content”: 不能为空"),
    ("/x/groupx.json: a.b: must not be blank; c: Input should be 3.", "/x/groupx.json: a.b: 不能为空; c: 应为 3."),
    ("must not be blank.", "不能为空"),
    ("Ada: No agent is enabled; Ben: The agent closed its output.", "Ada: 没有已启用的 Agent; Ben: Agent 关闭了输出。"),
    ("I ran out of credits: try tomorrow.", "I ran out of credits: try tomorrow."),
    ("", ""),
    ("a: b; c: d. " * 2_000, "a: b; c: d. " * 2_000),  # an agent's words may be any
]


@pytest.mark.parametrize(("said", "shown"), CASES)
def test_a_sentence_of_ours_is_translated_and_any_other_text_stays(said: str, shown: str):
    assert Sentences(KNOWN)(said) == shown


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_page_translates_as_the_server_does():
    said = [said for said, _ in CASES]
    assert run_in_node("sentences.mjs", "sentences.js", {"known": KNOWN, "said": said}) == [shown for _, shown in CASES]


def test_a_language_without_a_catalogue_says_it_in_english():
    assert sentences("en")("No agent is enabled.") == "No agent is enabled."
    assert sentences("xx-yyyy")("No agent is enabled.") == "No agent is enabled."
