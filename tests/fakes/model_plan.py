"""What the scripted model makes of a request: the last text of a person in it, and what that asks for. Pure."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.model_calls import Call, NoSuchTool, filled, next_call, read_calls

TICK_SECONDS = 0.25
INPUT_TOKENS, CACHED_TOKENS, OUTPUT_TOKENS = 11, 3, 7
"""The usage of every answer; INPUT_TOKENS is all of the input, the cached part too."""
CONTEXT_TOKENS = 200_000
_DIRECTIVE = re.compile(r"(?:SAY|REASON|SLOW|TOOL|ROOM|ERROR):")
_NOTES_OF_THE_ROOM = re.compile(r"^\[groupx_(?:summary|dated_memory)\]$", re.MULTILINE)
"""Where a summary or the memory of a day is to be written: of all that was said, what stands behind NOTES is kept."""
_PACKET = "[current_message]\n"
"""What stands before it in a packet of the room is background; other people's directives may be quoted there."""
_TAGS = re.compile(r"</?(?:user_query|user_message|query)>")
_NOT_A_PERSON = ("<system-reminder>", "<environment_context>", "<user_instructions>", "# AGENTS.md", "<permissions")


# ---------------------------------------------------------------- what to answer
@dataclass(frozen=True, kw_only=True)
class ScriptedError:
    """Each API says it in its own shape. `context_full` is that of a conversation that has become too long."""

    status: int
    context_full: bool = False
    retry_after_seconds: int | None = None

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.retry_after_seconds is None else {"Retry-After": str(self.retry_after_seconds)}


@dataclass(frozen=True, kw_only=True)
class Plan:
    text: str = ""
    reasoning: str = ""
    tool: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    pause_seconds: float = 0.0
    error: ScriptedError | None = None

    def pause(self) -> None:
        """Between two words."""
        time.sleep(self.pause_seconds)

    def words(self) -> list[str]:
        return re.findall(r"\S+\s*|\s+", self.text)

    def thoughts(self) -> list[str]:
        return re.findall(r"\S+\s*", self.reasoning)


def plan(asked: str, tools: list[str], results: list[str]) -> Plan:
    """`results` are those of the tools called since `asked` was said."""
    if _NOTES_OF_THE_ROOM.search(asked):  # directives in what others said are none
        kept = [note.strip() for notes in re.findall(r"NOTES:([^\n]*)", asked) for note in notes.split(";")]
        return Plan(text=f"NOTES:{'; '.join(dict.fromkeys(kept)) or 'nothing'}")
    calls, own = read_calls(asked)
    error = re.search(r"ERROR:(\d+|context)(?:[ \t]+retry-after=(\d+))?", own)
    if error and not _DIRECTIVE.search(own, error.end()):  # some CLIs put what failed before what is said next
        return Plan(error=_error(error[1], error[2]))
    found = re.search(r"REASON:([^\n]*)", own)
    reasoning = found[1].strip() if found else ""
    say = re.search(r"SAY:([^\n]*)", own)
    if calls:
        return _tool_plan(calls, say[1].strip() if say else None, tools, results, reasoning)
    if slow := re.search(r"SLOW:([\d.]+)", own):
        ticks = max(1, round(float(slow[1]) / TICK_SECONDS))
        text = "".join(f"tick {number} " for number in range(1, ticks + 1))
        return Plan(text=text, reasoning=reasoning, pause_seconds=TICK_SECONDS / 2)
    if say:
        return Plan(text=say[1].strip().strip("\"'"), reasoning=reasoning)
    return Plan(text="done" if reasoning else f"ECHO:{asked[-200:]}", reasoning=reasoning)


def _error(kind: str, retry_after: str | None) -> ScriptedError:
    seconds = int(retry_after) if retry_after else None
    if kind == "context":
        return ScriptedError(status=400, context_full=True, retry_after_seconds=seconds)
    return ScriptedError(status=int(kind), retry_after_seconds=seconds)


def _tool_plan(calls: list[Call], say: str | None, tools: list[str], results: list[str], reasoning: str) -> Plan:
    if not tools and not results:
        return Plan(text="a side request")  # titles and summaries come without tools
    try:
        call = next_call(calls, tools, results)
    except NoSuchTool as missing:
        return Plan(text=f"NO-SUCH-TOOL:{missing}")
    if call is not None:
        return Plan(tool=call.tool, arguments=call.arguments, reasoning=reasoning)
    if say is not None:
        return Plan(text=filled(say, results), reasoning=reasoning)
    return Plan(text="RESULT:" + " | ".join(result[:300] for result in results), reasoning=reasoning)


# ---------------------------------------------------------------- reading requests
@dataclass
class Asked:
    """The same of all request formats, gathered message by message."""

    tools: list[str]
    text: str = ""
    """What the person said last."""
    results: list[str] = field(default_factory=list)
    """Of the tools called since."""
    said: list[str] = field(default_factory=list)
    """All that the person said in this conversation, the last too."""

    def person(self, content: object, *, only_directives: bool = False) -> None:
        """CLIs add reminders and context to a person's message; the last text with a directive is the person's."""
        texts = [_TAGS.sub("", text) for text in texts_of(content)]
        own = [text for text in texts if text.strip() and not text.lstrip().startswith(_NOT_A_PERSON)]
        spoken = next((text for text in reversed(own) if _DIRECTIVE.search(text)), None)
        if spoken is None and own and not only_directives:
            spoken = own[-1]
        if spoken:
            self.text, self.results = spoken.rpartition(_PACKET)[2], []
            self.said.append(spoken)

    def result(self, output: object) -> None:
        self.results.append("".join(texts_of(output)) or json.dumps(output))


def texts_of(content: object) -> Iterator[str]:
    match content:
        case str():
            yield content
        case list():
            for part in content:
                yield from texts_of(part)
        case {"text": str() as text}:
            yield text
        case {"content": inner}:
            yield from texts_of(inner)
