"""What the scripted model makes of a request: the last text of a person in it, and what that asks for. Pure."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

TICK_SECONDS = 0.25
_DIRECTIVE = re.compile(r"(?:SAY|REASON|SLOW|TOOL|ERROR):")
_TAGS = re.compile(r"</?(?:user_query|user_message|query)>")
_NOT_A_PERSON = ("<system-reminder>", "<environment_context>", "<user_instructions>", "# AGENTS.md", "<permissions")


# ---------------------------------------------------------------- what to answer
@dataclass(frozen=True, kw_only=True)
class Plan:
    text: str = ""
    reasoning: str = ""
    tool: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    pause_seconds: float = 0.0
    error_status: int | None = None

    def words(self) -> list[str]:
        return re.findall(r"\S+\s*|\s+", self.text)


def plan(asked: str, tools: list[str], results: list[str]) -> Plan:
    """`results` are those of the tools called since `asked` was said."""
    if error := re.search(r"ERROR:(\d+)", asked):
        return Plan(error_status=int(error[1]))
    found = re.search(r"REASON:([^\n]*)", asked)
    reasoning = found[1].strip() if found else ""
    if calls := list(re.finditer(r"TOOL:(\S+)[ \t]*", asked)):
        return _tool_plan(asked, calls, tools, results, reasoning)
    if slow := re.search(r"SLOW:([\d.]+)", asked):
        ticks = max(1, round(float(slow[1]) / TICK_SECONDS))
        text = "".join(f"tick {number} " for number in range(1, ticks + 1))
        return Plan(text=text, reasoning=reasoning, pause_seconds=TICK_SECONDS / 2)
    if say := re.search(r"SAY:([^\n]*)", asked):
        return Plan(text=say[1].strip().strip("\"'"), reasoning=reasoning)
    return Plan(text="done" if reasoning else f"ECHO:{asked[-200:]}", reasoning=reasoning)


def _tool_plan(asked: str, calls: list[re.Match[str]], tools: list[str], results: list[str], reasoning: str) -> Plan:
    if len(results) >= len(calls):
        return Plan(text="RESULT:" + " | ".join(result[:300] for result in results), reasoning=reasoning)
    if not tools:
        return Plan(text="a side request")  # titles and summaries come without tools
    call = calls[len(results)]
    name = next((tool for tool in tools if call[1].lower() in tool.lower()), None)
    if name is None:
        return Plan(text=f"NO-SUCH-TOOL:{call[1]}")
    try:
        arguments = json.JSONDecoder().raw_decode(asked[call.end() :].lstrip())[0]
    except ValueError:
        arguments = {}
    return Plan(tool=name, arguments=arguments, reasoning=reasoning)


# ---------------------------------------------------------------- reading requests
@dataclass(frozen=True)
class Asked:
    """The same of both request formats."""

    text: str
    tools: list[str]
    results: list[str]


def read_chat(body: dict[str, Any]) -> Asked:
    tools = [tool.get("function", {}).get("name", "") for tool in body.get("tools") or []]
    text, results = "", []
    for message in body.get("messages", []):
        if message.get("role") == "user" and (said := _said_by_person(message.get("content"))):
            text, results = said, []
        elif message.get("role") == "tool":
            results.append("".join(_texts(message.get("content"))))
    return Asked(text, tools, results)


def read_responses(body: dict[str, Any]) -> Asked:
    tools = [
        f"{tool['name']}/{inner['name']}" if "tools" in tool else tool.get("name") or tool.get("type", "")
        for tool in body.get("tools") or []
        for inner in (tool.get("tools") or [{}])
    ]
    if isinstance(body.get("input"), str):
        return Asked(body["input"], tools, [])
    text, results = "", []
    for item in body.get("input") or []:
        if item.get("role") == "user" and (said := _said_by_person(item.get("content"))):
            text, results = said, []
        elif item.get("type") in ("function_call_output", "custom_tool_call_output"):
            results.append("".join(_texts(item.get("output"))) or json.dumps(item.get("output")))
    return Asked(text, tools, results)


def _texts(content: object) -> Iterator[str]:
    match content:
        case str():
            yield content
        case list():
            for part in content:
                yield from _texts(part)
        case {"text": str() as text}:
            yield text
        case {"content": inner}:
            yield from _texts(inner)


def _said_by_person(content: object) -> str:
    """CLIs add reminders and context to a person's message; the last text with a directive is the person's."""
    texts = [_TAGS.sub("", text) for text in _texts(content)]
    own = [text for text in texts if not text.lstrip().startswith(_NOT_A_PERSON)]
    return next((text for text in reversed(own) if _DIRECTIVE.search(text)), own[-1] if own else "")
