"""The scripted model speaks both of OpenAI's formats; real CLIs run against it in tests/live."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes.model_plan import Plan, plan, read_chat, read_responses
from tests.fakes.model_server import ModelServer


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def post(model: ModelServer, path: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(
        model.base_url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=5) as response:
        text: str = response.read().decode()
        return text


def user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@pytest.mark.parametrize(
    ("asked", "tools", "results", "expected"),
    [
        ("SAY:hello you", [], [], Plan(text="hello you")),
        ("REASON:hm\nSAY:yes", [], [], Plan(text="yes", reasoning="hm")),
        ("ERROR:429", [], [], Plan(error_status=429)),
        ('TOOL:read {"p": 1}', ["x_READ"], [], Plan(tool="x_READ", arguments={"p": 1})),
        ("TOOL:read", ["read"], ["text"], Plan(text="RESULT:text")),
        ("TOOL:a\nTOOL:b", ["a", "b"], ["1"], Plan(tool="b")),
        ("TOOL:none", ["a"], [], Plan(text="NO-SUCH-TOOL:none")),
        ("what?", [], [], Plan(text="ECHO:what?")),
    ],
)
def test_a_directive_decides_the_answer(asked: str, tools: list[str], results: list[str], expected: Plan):
    assert plan(asked, tools, results) == expected


def test_the_persons_text_is_found_among_reminders():
    content = [
        {"type": "text", "text": "<user_query>SAY:hi</user_query>"},
        {"type": "text", "text": "<system-reminder>x"},
    ]
    assert read_chat({"messages": [{"role": "user", "content": content}]}).text == "SAY:hi"


def test_tool_results_are_those_since_the_person_spoke():
    items = [*user("SAY:old"), {"type": "function_call_output", "output": "1"}, *user("TOOL:x"),
             {"type": "function_call_output", "output": [{"type": "output_text", "text": "2"}]}]  # fmt: skip
    asked = read_responses({"input": items, "tools": [{"name": "ns", "tools": [{"name": "x"}]}, {"name": "y"}]})
    assert (asked.text, asked.results, asked.tools) == ("TOOL:x", ["2"], ["ns/x", "y"])


@pytest.mark.parametrize(
    ("path", "body"),
    [("/chat/completions", {"messages": user("SAY:hi you")}), ("/responses", {"input": user("SAY:hi you")})],
)
def test_both_formats_answer_streamed_and_whole(model: ModelServer, path: str, body: dict[str, Any]):
    whole = post(model, path, body)
    streamed = post(model, path, {**body, "stream": True})
    assert "hi you" in whole
    assert '"hi "' in streamed and '"you"' in streamed
    assert [request["asked"] for request in model.requests] == ["SAY:hi you"] * 2


def test_a_scripted_error_has_its_status(model: ModelServer):
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(model, "/chat/completions", {"messages": user("ERROR:400")})
    with caught.value as error:
        assert error.code == 400
