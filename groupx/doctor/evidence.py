"""What the room's database knows of its agents' CLIs: read only, and nothing where there is none."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from adapters.contract import Capability, Evidence
from groupx import store_files
from groupx.terminal_words import gettext as _
from turns.capability_words import CAPABILITY_WORDS


@dataclass(kw_only=True)
class SeenCli:
    """One version of a CLI, with what is known of it: evidence, and the day since when."""

    version: str
    known: dict[Capability, tuple[Evidence, str]] = field(default_factory=dict)

    def wire(self) -> dict[str, object]:
        known = {what.value: {"evidence": e.value, "seenAt": day} for what, (e, day) in self.known.items()}
        return {"version": self.version, "capabilities": known}

    @property
    def verified(self) -> dict[Capability, str]:
        """With the day."""
        return {what: day for what, (evidence, day) in self.known.items() if evidence is Evidence.VERIFIED}

    def in_words(self) -> str:
        """`answer (2026-11-30), …`: what was seen in turns."""
        return _(", ").join(f"{_(CAPABILITY_WORDS[what])} ({day})" for what, day in self.verified.items())


@dataclass(frozen=True, kw_only=True)
class RoomEvidence:
    of_agents: Mapping[str, SeenCli] = field(default_factory=dict)
    """By the agent's id in the configuration."""
    of_drivers: Mapping[str, SeenCli] = field(default_factory=dict)
    """The newest version of each."""


def read_evidence(path: Path) -> RoomEvidence:
    """Nothing where the database is missing, older or cannot be read: that is for other checks to tell."""
    if not path.is_file():
        return RoomEvidence()
    try:
        with store_files.reading(path) as database:
            agents = database.execute(
                """SELECT lane.actor_id, cli.version, known.capability, known.evidence, known.seen_at
                   FROM turns_lane AS lane JOIN rooms_actor AS actor USING (actor_id)
                   JOIN turns_cliversion AS cli ON cli.id = lane.cli_id AND cli.driver = actor.driver
                   LEFT JOIN turns_capabilityevidence AS known ON known.cli_id = cli.id"""
            ).fetchall()
            newest_of_drivers = database.execute(
                """SELECT cli.driver, cli.version, known.capability, known.evidence, known.seen_at
                   FROM turns_cliversion AS cli LEFT JOIN turns_capabilityevidence AS known ON known.cli_id = cli.id
                   WHERE cli.id IN (SELECT max(id) FROM turns_cliversion GROUP BY driver)"""
            ).fetchall()
    except sqlite3.Error:
        return RoomEvidence()
    of_agents = {actor_id.partition(":")[2]: cli for actor_id, cli in _seen(agents).items()}
    return RoomEvidence(of_agents=of_agents, of_drivers=_seen(newest_of_drivers))


def _seen(rows: Iterable[tuple[str, str, str | None, str, str]]) -> dict[str, SeenCli]:
    found: dict[str, SeenCli] = {}
    for key, version, capability, evidence, seen_at in rows:
        cli = found.setdefault(key, SeenCli(version=version))
        if capability is not None:
            cli.known[Capability(capability)] = Evidence(evidence), str(seen_at)[:10]
    for cli in found.values():
        cli.known = {what: cli.known[what] for what in Capability if what in cli.known}
    return found
