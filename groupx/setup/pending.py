"""What a restart would change: the configuration file against what the room runs with. Pure."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from groupx.kernel.config import Agent, Assistant, GroupXConfig
from groupx.setup.answers import ChangeTold

ASSISTANT = "user:assistant"
SETTINGS = "Settings"
"""Of the room as a whole: port, database, limits …"""


class Change(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    SETTINGS = "settings"


def changes(running: GroupXConfig, now: GroupXConfig) -> list[ChangeTold]:
    """In the order of the roster that runs, then of the file. What is switched off on both sides changes nothing."""
    found = list(_agents(running.enabled_agents, now.enabled_agents))
    found += _assistant(_enabled(running.assistant), _enabled(now.assistant))
    rest = {"agents": {}, "assistant": None}
    if running.model_copy(update=rest) != now.model_copy(update=rest):
        found.append({"displayName": SETTINGS, "change": Change.SETTINGS.value})
    return found


def _agents(running: Mapping[str, Agent], now: Mapping[str, Agent]) -> Iterator[ChangeTold]:
    for agent_id in dict.fromkeys([*running, *now]):
        before, after = running.get(agent_id), now.get(agent_id)
        agent = after or before
        if agent is None or before == after:
            continue
        yield {
            "actorId": f"agent:{agent_id}",
            "displayName": agent.name or agent_id,
            "driver": agent.driver,
            "change": _change(before, after).value,
        }


def _assistant(running: Assistant | None, now: Assistant | None) -> Iterator[ChangeTold]:
    assistant = now or running
    if assistant is not None and running != now:
        yield {
            "actorId": ASSISTANT,
            "displayName": assistant.name,
            "driver": assistant.brain.driver,
            "change": _change(running, now).value,
        }


def _enabled(assistant: Assistant | None) -> Assistant | None:
    return assistant if assistant is not None and assistant.enabled else None


def _change(before: object, after: object) -> Change:
    if before is None:
        return Change.ADDED
    return Change.REMOVED if after is None else Change.CHANGED
