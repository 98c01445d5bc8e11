"""The scripted model speaks the four formats of real services; real CLIs run against it in tests/live."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes import model_anthropic, model_gemini, model_openai
from tests.fakes.model_plan import Plan, ScriptedError, plan
from tests.fakes.model_server import ModelServer

THOUGHTFUL = "REASON:let me think\nSAY:hi you"


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def post(model: ModelServer, path: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(
        model.root_url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=5) as response:
        text: str = response.read().decode()
        return text


def user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def chat(text: str) -> dict[str, Any]:
    return {"messages": user(text)}


def gemini(text: str) -> dict[str, Any]:
    return {"contents": [{"role": "user", "parts": [{"text": text}]}]}


FORMATS = [
    ("/v1/chat/completions", chat),
    ("/v1/responses", lambda text: {"input": user(text)}),
    ("/v1/messages?beta=true", chat),
    ("/v1beta/models/scripted:generateContent", gemini),
]


@pytest.mark.parametrize(
    ("asked", "tools", "results", "expected"),
    [
        ("SAY:hello you", [], [], Plan(text="hello you")),
        ("REASON:hm\nSAY:yes", [], [], Plan(text="yes", reasoning="hm")),
        ("[groupx_summary]\nWrite.\n> SAY:no\n> NOTES:a\n> NOTES:b; a", ["Bash"], [], Plan(text="NOTES:a; b")),
        ("[groupx_dated_memory]\nday=1\n> ERROR:429", [], [], Plan(text="NOTES:nothing")),
        ("ERROR:429", [], [], Plan(error=ScriptedError(status=429))),
        ("ERROR:429 retry-after=7", [], [], Plan(error=ScriptedError(status=429, retry_after_seconds=7))),
        ("ERROR:context", [], [], Plan(error=ScriptedError(status=400, context_full=True))),
        ("ERROR:400\n\nSAY:again", [], [], Plan(text="again")),
        ('TOOL:read {"p": 1}', ["x_READ"], [], Plan(tool="x_READ", arguments={"p": 1})),
        ("TOOL:write", ["todowrite", "write"], [], Plan(tool="write")),
        ("TOOL:read", ["read"], ["text"], Plan(text="RESULT:text")),
        ("TOOL:a\nTOOL:b", ["a", "b"], ["1"], Plan(tool="b")),
        ("TOOL:none", ["a"], [], Plan(text="NO-SUCH-TOOL:none")),
        ('TOOL:a {"p": "SAY:no"}\nSAY:yes', ["a"], [], Plan(tool="a", arguments={"p": "SAY:no"})),
        ('TOOL:a {"p": "ERROR:400"}\nSAY:yes', ["a"], ["1"], Plan(text="yes")),
        ("what?", [], [], Plan(text="ECHO:what?")),
    ],
)
def test_a_directive_decides_the_answer(asked: str, tools: list[str], results: list[str], expected: Plan):
    assert plan(asked, tools, results) == expected


@pytest.mark.parametrize(
    "shown_as", ["ask", "groupx_ask", "groupx__ask", "mcp__groupx__ask", "mcp_groupx_ask", "mcp__groupx/ask"]
)
def test_a_tool_of_the_room_is_called_by_the_name_it_is_shown_under(shown_as: str):
    offered = ["Task", "ask_user", "groupx_ask_more", "other__ask", shown_as]
    expected = Plan(text="NO-SUCH-TOOL:ask") if shown_as == "ask" else Plan(tool=shown_as, arguments={"to": ["b"]})
    assert plan('ROOM:ask {"to": ["b"]}', offered, []) == expected


def test_a_tool_of_the_room_that_is_hidden_is_searched_for_first():
    script, offered = 'ROOM:ask {"to": ["b"]}\nROOM:read', ["search_tool", "use_tool"]
    found = {"groupx__ask": "found: `groupx__ask`: asks", "groupx__read": "found: `groupx__read`: reads"}
    assert plan(script, offered, []).arguments == {"query": "groupx ask"}
    used = plan(script, offered, [found["groupx__ask"]])
    assert (used.tool, used.arguments) == ("use_tool", {"tool_name": "groupx__ask", "tool_input": {"to": ["b"]}})
    assert plan(script, offered, [found["groupx__ask"], "asked"]).arguments == {"query": "groupx read"}
    assert plan(script, offered, ["found nothing"]) == Plan(text="NO-SUCH-TOOL:ask")
    assert plan(script, offered, [found["groupx__ask"], "asked", found["groupx__read"], "read"]).tool is None


@pytest.mark.parametrize(
    "result",
    [
        '{"results": [{"content": "forty-two", "target": "agent:b"}]}',
        '<untrusted>\n{"result": "{\\"results\\": [{\\"content\\": \\"forty-two\\"}]}"}\n</untrusted>',
        'Output:\n[{"type": "text", "text": "{\\"content\\": \\"forty-two\\"}"}, {"content": "forty-two"}]',
    ],
    ids=["plain", "in tags and in a string", "twice"],
)
def test_an_answer_uses_what_a_tool_gave(result: str):
    assert plan("ROOM:ask\nSAY:They say {content}, {nothing}.", ["groupx_ask"], [result]) == Plan(
        text="They say forty-two, {nothing}."
    )


def test_the_persons_text_is_found_among_reminders():
    content = [
        {"type": "text", "text": "<user_query>SAY:hi</user_query>"},
        {"type": "text", "text": "<system-reminder>x"},
    ]
    assert model_openai.read_chat({"messages": [{"role": "user", "content": content}]}).text == "SAY:hi"


def test_tool_results_of_openai_are_those_since_the_person_spoke():
    items = [*user("SAY:old"), {"type": "function_call_output", "output": "1"}, *user("TOOL:x"),
             {"type": "function_call_output", "output": [{"type": "output_text", "text": "2"}]}]  # fmt: skip
    asked = model_openai.read_responses(
        {"input": items, "tools": [{"name": "ns", "tools": [{"name": "x"}]}, {"name": "y"}]}
    )
    assert (asked.text, asked.results, asked.tools) == ("TOOL:x", ["2"], ["ns/x", "y"])
    assert asked.said == ["SAY:old", "TOOL:x"]


def test_tool_results_of_anthropic_stand_in_messages_of_the_person():
    reminder = {"type": "text", "text": "something changed"}
    result = {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "2"}]}
    asked = model_anthropic.read({"messages": [*user("TOOL:x"), {"role": "user", "content": [result, reminder]}]})
    assert (asked.text, asked.results) == ("TOOL:x", ["2"])
    spoken = {"type": "text", "text": "SAY:again"}
    asked = model_anthropic.read({"messages": [*user("TOOL:x"), {"role": "user", "content": [result, spoken]}]})
    assert (asked.text, asked.results) == ("SAY:again", [])


def test_tool_results_of_gemini_are_found_too():
    result = {"functionResponse": {"name": "x", "response": {"output": "2"}}}
    said = gemini("TOOL:x")["contents"]
    tools = [{"functionDeclarations": [{"name": "x"}]}]
    asked = model_gemini.read({"contents": [*said, {"role": "user", "parts": [result]}], "tools": tools})
    assert (asked.text, asked.results, asked.tools) == ("TOOL:x", ["2"], ["x"])


@pytest.mark.parametrize(("path", "body"), FORMATS)
def test_each_format_answers_streamed_and_whole(model: ModelServer, path: str, body: Any):
    whole = post(model, path, body(THOUGHTFUL))
    streamed = post(model, path.replace(":generate", ":streamGenerate"), {**body(THOUGHTFUL), "stream": True})
    assert "hi you" in whole
    assert '"hi "' in streamed and '"you"' in streamed and "think" in streamed
    assert [request["asked"] for request in model.requests] == [THOUGHTFUL] * 2


@pytest.mark.parametrize(("path", "body"), FORMATS)
def test_each_format_calls_a_tool(model: ModelServer, path: str, body: Any):
    tools = [{"name": "bash", "function": {"name": "bash"}, "functionDeclarations": [{"name": "bash"}]}]
    called = post(model, path, {**body('TOOL:bash {"command": "ls"}'), "tools": tools})
    assert '"bash"' in called and "ls" in called


@pytest.mark.parametrize(
    ("path", "field"), [("/v1/messages/count_tokens", "input_tokens"), ("/v1beta/models/x:countTokens", "totalTokens")]
)
def test_tokens_are_counted(model: ModelServer, path: str, field: str):
    assert json.loads(post(model, path, {"contents": [], "messages": []}))[field] > 0


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ("ERROR:400", 400, ["scripted error"] * 4),
        ("ERROR:429 retry-after=7", 429, ["rate_limit_exceeded", "in 7s", "rate_limit_error", '"retryDelay": "7s"']),
        ("ERROR:context", 400, ["context_length_exceeded", "maximum context", "prompt is too long", "token count"]),
    ],
)
@pytest.mark.parametrize("format_", range(len(FORMATS)), ids=["chat", "responses", "messages", "gemini"])
def test_an_error_has_the_shape_of_its_format(
    model: ModelServer, format_: int, asked: str, status: int, words: list[str]
):
    path, body = FORMATS[format_]
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(model, path, body(asked))
    with caught.value as error:
        assert error.code == status
        assert error.headers["Retry-After"] == ("7" if "retry-after" in asked else None)
        assert words[format_] in error.read().decode()
