"""Recorded conversations with real CLIs: tests/fixtures/<driver>/<version>_<behaviour>.jsonl.

The first line is a head, each further one {"->": frame} (to the CLI) or {"<-": frame}, in the order in which they
passed. They are made by `python -m tests.live.record` and replayed by `replayed_cli.py`. Folders, ports and the
session's id stand there under the names below; the same id has the same name everywhere.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.contract import NativeEvent, Session, TextDelta

FIXTURES = Path(__file__).parents[1] / "fixtures"
PROJECT, HOME, PROGRAMS = "/project", "/home/person", "/opt/clis"
SESSION = "5e551010-0000-4000-8000-000000000000"
"""Has the form of a UUID, since some CLIs are told the id of their session."""


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """What is said, prompt by prompt. `{shell}` calls the CLI's own shell, `{ask}` the room's `ask`."""

    name: str
    prompts: tuple[str, ...]
    resumes: bool = False
    """The conversation is that of the second process."""
    has_room: bool = False
    """The session is given the room's MCP server."""


BEHAVIOURS = (
    Behaviour(name="thinks_and_uses_a_tool", prompts=("REASON:one moment\n{shell}",)),
    Behaviour(name="is_cancelled_and_used_again", prompts=("SLOW:60", "SAY:still here")),
    Behaviour(name="passes_on_a_models_error", prompts=("ERROR:400", "SAY:usable again")),
    Behaviour(name="is_resumed_in_a_new_process", prompts=("SAY:resumed",), resumes=True),
    Behaviour(name="asks_another_agent", prompts=("{ask}\nSAY:They say {content}.",), has_room=True),
)


@dataclass(frozen=True, kw_only=True)
class Recording:
    file: Path
    cli: str
    version: str
    behaviour: str
    prompts: tuple[str, ...]
    resumes: bool
    has_room: bool
    lines: tuple[dict[str, Any], ...]

    @property
    def name(self) -> str:
        return f"{self.cli}-{self.version}-{self.behaviour}"

    def frames_of_the_agent(self) -> Iterator[Any]:
        yield from (line["<-"] for line in self.lines if "<-" in line)


def read(file: Path) -> Recording:
    head, *lines = [json.loads(line) for line in file.read_text().splitlines()]
    return Recording(
        file=file,
        cli=head["cli"],
        version=head["version"],
        behaviour=head["behaviour"],
        prompts=tuple(head["prompts"]),
        resumes=head["resumes"],
        has_room=head.get("has_room", False),
        lines=tuple(lines),
    )


def recordings() -> list[Recording]:
    names = {behaviour.name for behaviour in BEHAVIOURS}
    found = sorted(FIXTURES.glob("*/*_*.jsonl"))
    return [read(file) for file in found if file.stem.partition("_")[2] in names and file.parent.name != "acp"]


async def spoken(session: Session, prompt: str) -> list[NativeEvent]:
    """All events of a prompt. One that goes on for long (SLOW) is cancelled at its first words."""
    events: list[NativeEvent] = []
    async for event in session.prompt(prompt):
        events.append(event)
        if isinstance(event, TextDelta) and prompt.startswith("SLOW:"):
            await session.cancel()
    return events
