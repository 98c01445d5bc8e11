"""Which offered tool the scripted model calls next, and what it reads out of what tools gave. Pure.

A tool of the room's is called by whatever name its CLI shows it under, and where it is hidden, by way of the search.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from adapters.contract import MCP_SERVER

SEARCH_TOOL, USE_TOOL = "search_tool", "use_tool"
"""By these a CLI hides the tools of MCP servers from its model."""
_CALL = re.compile(r"(TOOL|ROOM):(\S+)[ \t]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, kw_only=True)
class Call:
    """One line of a script. `of_the_room`: `wanted` is the name by which the room's MCP server offers it."""

    wanted: str
    of_the_room: bool
    arguments: dict[str, Any] = field(default_factory=dict)

    def offered(self, tools: Sequence[str]) -> str | None:
        if self.of_the_room:
            return next((tool for tool in tools if _shown_as(self.wanted).fullmatch(tool)), None)
        wanted = self.wanted.lower()
        return next((tool for tool in sorted(tools, key=lambda t: t.lower() != wanted) if wanted in tool.lower()), None)


@dataclass(frozen=True, kw_only=True)
class NextCall:
    tool: str
    arguments: dict[str, Any]


class NoSuchTool(Exception):
    """What the script wants is not offered."""


def read_calls(asked: str) -> tuple[list[Call], str]:
    """The calls in a script, and the script without their arguments: directives for somebody else may stand there."""
    calls: list[Call] = []
    rest, at = asked, 0
    while found := _CALL.search(asked, at):
        try:
            arguments, at = _DECODER.raw_decode(asked, found.end())
        except ValueError:
            arguments, at = {}, found.end()
        rest = rest[: found.end()] + " " * (at - found.end()) + rest[at:]
        calls.append(Call(wanted=found[2], of_the_room=found[1] == "ROOM", arguments=arguments))
    return calls, rest


def next_call(calls: Sequence[Call], tools: Sequence[str], results: Sequence[str]) -> NextCall | None:
    """None when each has its result.

    Raises:
        NoSuchTool: with what was wanted.
    """
    given = iter(results)
    for call in calls:
        tool, arguments = call.offered(tools), call.arguments
        if tool is None and call.of_the_room and {SEARCH_TOOL, USE_TOOL} <= set(tools):
            told = next(given, None)
            if told is None:
                return NextCall(tool=SEARCH_TOOL, arguments={"query": f"{MCP_SERVER} {call.wanted}"})
            found = _shown_as(call.wanted).search(told)
            tool, arguments = USE_TOOL, {"tool_name": found[0] if found else "", "tool_input": arguments}
            if found is None:
                raise NoSuchTool(call.wanted)
        if tool is None:
            raise NoSuchTool(call.wanted)
        if next(given, None) is None:
            return NextCall(tool=tool, arguments=arguments)
    return None


def _shown_as(name: str) -> re.Pattern[str]:
    """`mcp__groupx__ask`, `groupx_ask`, `mcp__groupx/ask` …"""
    return re.compile(rf"(?<![A-Za-z0-9])(?:mcp_+)?{MCP_SERVER}[_./]+{re.escape(name)}(?![A-Za-z0-9_])")


def filled(text: str, results: Sequence[str]) -> str:
    """`{content}` in it becomes the strings that stand in the results under that name, each once."""

    def value(found: re.Match[str]) -> str:
        named = (value for result in results for key, value in _strings(result) if key == found[1])
        return ", ".join(dict.fromkeys(named)) or found[0]

    return re.sub(r"\{(\w+)\}", value, text)


def _strings(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of all JSON in a text, also of JSON within its strings: CLIs wrap what a tool gave."""
    at = 0
    while found := re.compile(r"[\[{]").search(text, at):
        try:
            value, at = _DECODER.raw_decode(text, found.start())
        except ValueError:
            at = found.end()
        else:
            yield from _of_value(value)


def _of_value(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield key, value
            yield from _strings(value)
        case dict():
            for name, inner in value.items():
                yield from _of_value(inner, name)
        case list():
            for inner in value:
                yield from _of_value(inner, key)
