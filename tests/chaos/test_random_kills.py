"""Twenty SIGKILLs of server, lanes and agents at random moments under load; then every invariant is counted.

Seeded: a failure is replayed with GROUPX_CHAOS_SEED. Sources: docs/turns.md, docs/architecture.md.
"""

import http.client
import os
import random
import threading
import uuid
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from tests.running_room import TERMINAL, RunningRoom, StreamReader, do, kill_one, running_room

pytestmark = pytest.mark.chaos

KILLS = 20
AGENTS = ("builder", "reviewer", "scribe")
SEED = int(os.environ.get("GROUPX_CHAOS_SEED", "20261130"))
SETTLE_SECONDS = 120


@dataclass
class Load:
    """Clients that send until told to stop; a send that got no answer is repeated under the same command id."""

    room: RunningRoom
    seed: int
    accepted: dict[str, dict] = field(default_factory=dict)
    repeated: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        rng = random.Random(self.seed)
        while not self._stop.is_set():
            nonce = uuid.uuid4().hex[:12]
            steps = [{"text": f"answer {nonce} "}, {"pause_ms": rng.randint(5, 600)}, {"text": "done"}]
            targets = rng.sample(AGENTS, rng.randint(1, 2))
            body = {"to": [f"agent:{name}" for name in targets], "content": do(n=nonce, steps=steps)}
            while nonce not in self.accepted and not self._stop.is_set():
                with suppress(OSError, http.client.HTTPException, ValueError):
                    status, answer = self.room.command("/api/messages", command_id=nonce, **body)
                    if status == 202:
                        self.accepted[nonce] = answer
                        break
                    if status == 429:
                        break
                self.repeated += 1
            self._stop.wait(rng.random() * 0.15)

    def stop(self) -> None:
        self._stop.set()


def test_twenty_random_kills_lose_nothing_and_send_nothing_twice(tmp_path):
    rng = random.Random(SEED)
    with running_room(tmp_path, *AGENTS) as room:
        for name in AGENTS:
            room.until_agent(name, "ready", "working")
        reader = StreamReader(room)
        loads = [Load(room, seed=SEED + n) for n in range(3)]
        threads = [threading.Thread(target=load.run) for load in loads]
        for thread in threads:
            thread.start()
        killed = Counter()
        pause = threading.Event()
        while killed.total() < KILLS:
            pause.wait(0.3 + rng.random() * 2.2)
            kind = rng.choice(["groupx_serve", "groupx_lane", "agent_cli.py"])
            victims = sorted(room.processes(kind), key=lambda process: process.pid)
            if victims:  # a part that is being started again is no victim; then another moment is taken
                kill_one(rng.choice(victims))
                killed[kind] += 1
        for load in loads:
            load.stop()
        for thread in threads:
            thread.join(60)

        accepted = {nonce: answer for load in loads for nonce, answer in load.accepted.items()}
        turns = {turn["turnId"]: turn for answer in accepted.values() for turn in answer["turns"]}
        ends = Counter(room.until_turn(turn_id, seconds=SETTLE_SECONDS)["status"] for turn_id in turns)
        log = room.events()
        reader.until(log[-1]["seq"])
        reader.close()

    messages = Counter(e["eventId"] for e in log if e["type"] == "message.created")
    terminals = Counter(e["body"]["turnId"] for e in log if e["type"] in TERMINAL)
    prompts = Counter((name, p["n"]) for name in AGENTS for p in room.prompts(name) if p.get("n"))
    print(
        f"seed {SEED}: killed {dict(killed)}, accepted {len(accepted)}, turns {dict(ends)}, "
        f"repeated sends {sum(load.repeated for load in loads)}, stream connections {reader.connections}"
    )

    assert len(accepted) >= KILLS
    assert all(messages[answer["messageEventId"]] == 1 for answer in accepted.values())
    assert all(terminals[turn_id] == 1 for turn_id in turns)
    assert set(terminals.values()) <= {1}
    assert [key for key, times in prompts.items() if times > 1] == []
    assert [e["seq"] for e in log] == list(range(1, len(log) + 1))
    assert reader.seqs[: len(log)] == list(range(1, len(log) + 1))
    assert ends["completed"] > 0
