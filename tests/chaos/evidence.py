"""What is left of a room to judge it by: the rows of its database, what the scripted agents noted, what readers saw."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class LoggedEvent:
    seq: int
    event_id: str
    type: str
    actor: str
    body: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class TurnRow:
    turn_id: str
    target: str
    status: str
    source_event_id: str
    enqueue_seq: int
    times_invoked: int
    """Attempts whose prompt may have left the room."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    log: Sequence[LoggedEvent]
    turns: Sequence[TurnRow]
    accepted: Mapping[str, Mapping[str, Any]]
    """The answers 202 to messages, by nonce."""
    retried: Mapping[str, Mapping[str, Any]]
    """The answers 202 to retries, by command."""
    prompts: Counter[tuple[str, str]]
    """(agent, nonce): how often the agent was prompted with it."""
    readers: Sequence[Sequence[int]]
    """The seqs each reader of the stream has seen, in order."""
    broken_answers: int = 0
    """Answers 5xx that are no plain refusal (503)."""
    late_deltas: int = 0
    resyncs: int = 0
    orphans: Sequence[str] = field(default=())
    rests_at: int | None
    """The last seq of a room that has come to rest: everything must have its end, and readers have everything."""


def read_database(path: Path) -> tuple[list[LoggedEvent], list[TurnRow]]:
    """One moment of the database, whoever else uses it."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)) as database:
        database.execute("BEGIN")
        events = database.execute("SELECT seq, event_id, type, actor_id, body FROM rooms_event ORDER BY seq")
        log = [LoggedEvent(seq=s, event_id=e, type=t, actor=a, body=json.loads(b)) for s, e, t, a, b in events]
        turns = database.execute(
            "SELECT turn_id, target_id, status, source_event_id, enqueue_seq,"
            " (SELECT count(invoked_at) FROM turns_turnattempt AS a WHERE a.turn_id = t.turn_id)"
            " FROM turns_turn AS t ORDER BY enqueue_seq"
        )
        return log, [
            TurnRow(turn_id=i, target=t, status=s, source_event_id=e, enqueue_seq=q, times_invoked=n)
            for i, t, s, e, q, n in turns
        ]


def read_prompts(folders: Iterable[Path]) -> Counter[tuple[str, str]]:
    """From the notes of scripted agents, one folder each; a line that a kill has cut is no whole note."""
    seen: Counter[tuple[str, str]] = Counter()
    for folder in folders:
        notes = folder / "agent.jsonl"
        for line in notes.read_text(errors="replace").splitlines() if notes.exists() else ():
            try:
                note = json.loads(line)
            except ValueError:
                continue
            if note["ev"] == "prompt" and note.get("n"):
                seen[f"agent:{folder.name}", note["n"]] += 1
    return seen
