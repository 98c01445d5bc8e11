"""A running room with a real CLI and another one that it may ask, against a scripted model on loopback."""

import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.model_server import ModelServer
from tests.live.recipes import RECIPES, Recipe, room_call
from tests.running_room import RunningRoom, StreamReader

TURN_SECONDS = 120


@dataclass
class Stage:
    room: RunningRoom
    reader: StreamReader
    recipe: Recipe
    model: ModelServer
    partner: Recipe | None
    """Of the agent `partner`, whom the tested `agent` asks; None where no other CLI is installed."""
    work: Path

    def say(self, text: str) -> dict[str, Any]:
        """One whole turn; gives it with its `answer`."""
        turn_id = self.room.turn(self.room.send("agent", content=text))
        shown = self.room.until_turn(turn_id, seconds=TURN_SECONDS)
        self.reader.until(self.room.get("/api/bootstrap")["cursor"])
        answers = [e for e in self.durable(turn_id) if e["type"] == "message.created"]
        return shown | {"answer": answers[0]["body"]["content"] if answers else None}

    def ask_partner(self, question: str) -> dict[str, Any]:
        """A turn in which the tested agent asks its partner, and answers with what it was told."""
        asking = room_call("ask", to=["agent:partner"], content=question, clientCommandId=uuid.uuid4().hex)
        return self.say(f"{asking}\nSAY:They say {{content}}.")

    def durable(self, turn_id: str) -> list[dict[str, Any]]:
        return [event for event in self.reader.events if event["body"].get("turnId") == turn_id]

    def live(self, turn_id: str, kind: str) -> list[dict[str, Any]]:
        return [e for e in self.reader.transient if e["type"] == kind and e["body"].get("turnId") == turn_id]

    def sessions(self) -> int:
        """How many of the tested agent have opened."""
        return len([e for e in self.room.events() if e["type"] == "session.ready" and _is_agents(e)])

    def known_of(self, path: str) -> dict[str, Any]:
        """The tested agent, as this address tells of it."""
        told = self.room.get(path)
        [agent] = [a for a in told.get("items", told.get("agents")) if a["actorId"] == "agent:agent"]
        return agent

    # ------------------------------------------------------------ what is stored and not told
    def parent_of(self, turn_id: str) -> str | None:
        """The turn out of which this one was asked for."""
        parent: str | None
        (parent,) = self._row("select parent_turn_id from turns_turn where turn_id = ?", turn_id)
        return parent

    def evidence_of_mcp(self) -> tuple[Any, ...]:
        """(driver, version, evidence, source) of the tested CLI."""
        known = "select driver, version, evidence, source from turns_capabilityevidence known"
        return self._row(
            f"{known} join turns_cliversion cli on cli.id = known.cli_id where capability = ? and driver = ?",
            "mcp",
            self.recipe.driver,
        )

    def _row(self, query: str, *values: str) -> tuple[Any, ...]:
        with closing(sqlite3.connect(self.room.folder / ".groupx" / "groupx.db")) as database:
            [row] = database.execute(query, values)
        return tuple(row)


def _is_agents(event: dict[str, Any]) -> bool:
    return bool(event["actor"]["actorId"] == "agent:agent")


@contextmanager
def opened_stage(
    recipe: Recipe, folder: Path, beside: dict[str, dict[str, Any]] | None = None, **config: Any
) -> Iterator[Stage]:
    """`beside`: configured agents instead of a partner. The tested CLI stands first in the roster."""
    partner = _partner_of(recipe) if beside is None else None
    home, work = folder / "home", folder / "work"
    with ModelServer() as model:
        agents, env = {"agent": recipe}, recipe.env(home, model)
        if partner is not None:
            agents["partner"], env = partner, partner.env(home, model) | env
        room = RunningRoom(
            folder,
            {name: _agent(name, cli, work) for name, cli in agents.items()} | (beside or {}),
            env=env,
            timeouts={"handshakeMs": 90_000, "requestMs": 60_000},
            **config,
        )
        try:
            room.start()
            for name in room.config["agents"]:
                room.until_agent(name, "ready", "failed", seconds=TURN_SECONDS)
            reader = StreamReader(room)
            yield Stage(room, reader, recipe, model, partner, work / "agent")
            reader.close()
        finally:
            room.stop()


def _agent(name: str, cli: Recipe, work: Path) -> dict[str, Any]:
    folder = work / name
    folder.mkdir(parents=True)
    return {"driver": cli.driver, "name": name.title(), "command": cli.executable, "cwd": str(folder)}


def _partner_of(recipe: Recipe) -> Recipe | None:
    """The first other CLI: they stand in the order of how soon they are there."""
    return next((other for other in RECIPES if other is not recipe and other.path is not None), None)
