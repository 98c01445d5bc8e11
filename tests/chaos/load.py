"""The people of the room: they send until they are answered, cancel, try again, and read along however often the
stream breaks. Everything they do is repeated under the same clientCommandId until there is an answer."""

import http.client
import random
import threading
import uuid
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.plan import Moment
from tests.running_room import TERMINAL, RunningRoom, StreamReader, do

LAST_WORDS = "done"
MOMENT_SECONDS = 4.0
"""A moment that does not come by then is not waited for: the blow falls all the same."""


class Moments:
    """Tells who waits for it that a moment is now, and whose it is."""

    def __init__(self) -> None:
        self._now = {moment: threading.Event() for moment in Moment}
        self._whose: dict[Moment, str] = {}

    def come(self, moment: Moment, agent_id: str = "") -> None:
        if not self._now[moment].is_set():
            self._whose[moment] = agent_id
            self._now[moment].set()

    def wait_for(self, moment: Moment) -> str:
        """The agent that speaks at that moment; "" where it is nobody's, or has not come."""
        if moment is Moment.ANY:
            return ""
        self._now[moment].clear()
        return self._whose[moment] if self._now[moment].wait(MOMENT_SECONDS) else ""


@dataclass
class Load:
    """One person. `answers` has what the room said to each accepted command, by its id."""

    room: RunningRoom
    agents: tuple[str, ...]
    seed: str
    moments: Moments
    stop: threading.Event
    accepted: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Accepted messages by nonce, which is their command's id as well."""
    retried: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Accepted retries by command id."""
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What was asked, by nonce."""
    statuses: Counter[int] = field(default_factory=Counter)
    unanswered: int = 0

    @property
    def broken_answers(self) -> int:
        """Answers that are a fault of the room; 503 is a plain refusal."""
        return sum(count for status, count in list(self.statuses.items()) if status >= 500 and status != 503)

    def run(self) -> None:
        rng = random.Random(self.seed)
        while not self.stop.is_set():
            answer = self._send(rng)
            if answer is not None and rng.random() < 0.3:
                self.stop.wait(rng.random())
                turn_id = rng.choice(answer["turns"])["turnId"]
                if rng.random() < 0.5:
                    self._command(f"/api/turns/{turn_id}/cancel", uuid.uuid4().hex)
                else:
                    command_id = uuid.uuid4().hex
                    again = self._command(f"/api/turns/{turn_id}/retry", command_id)
                    if again is not None:
                        self.retried[command_id] = again
            self.stop.wait(rng.random() * 0.4)

    def _send(self, rng: random.Random) -> dict[str, Any] | None:
        nonce = uuid.uuid4().hex[:12]
        pieces = [step for _ in range(rng.randint(1, 4)) for step in ({"text": f"{nonce} "}, _pause(rng))]
        targets = rng.sample(self.agents, rng.randint(1, 2))
        content = do(n=nonce, steps=[*pieces, {"text": LAST_WORDS}])
        body = {"to": [f"agent:{name}" for name in targets], "content": content}
        answer = self._command("/api/messages", nonce, **body)
        if answer is not None:
            self.accepted[nonce], self.bodies[nonce] = answer, body
        return answer

    def _command(self, path: str, command_id: str, **body: Any) -> dict[str, Any] | None:
        """Send until there is an answer that is one; None when it is a refusal, or nobody wants to know any more."""
        while not self.stop.is_set():
            self.moments.come(Moment.AFTER_POST)
            try:
                status, answer = self.room.command(path, command_id=command_id, **body)
            except (OSError, http.client.HTTPException, ValueError):
                self.unanswered += 1
                self.stop.wait(0.05)
                continue
            self.statuses[status] += 1
            if status == 202:
                return answer
            if status != 503:
                return None
            self.stop.wait(0.2)
        return None


def _pause(rng: random.Random) -> dict[str, int]:
    return {"pause_ms": rng.randint(5, 250)}


class Reader(StreamReader):
    """Keeps the durable events and forgets the rest, but for what must not be."""

    def __init__(self, room: RunningRoom, moments: Moments) -> None:
        self._moments = moments
        self._ended: set[str] = set()
        self.resyncs = 0
        self.late_deltas = 0
        super().__init__(room)

    def took(self, event: dict[str, Any]) -> None:
        if event.get("seq"):
            self.events.append(event)
            if event["type"] in TERMINAL:
                self._ended.add(event["body"]["turnId"])
        elif event["type"] == "turn.content.delta":
            agent_id = event["actor"]["actorId"].removeprefix("agent:")
            self._moments.come(Moment.MID_DELTA, agent_id)
            if event["body"]["text"].endswith(LAST_WORDS):
                self._moments.come(Moment.MID_FINISH, agent_id)
            self.late_deltas += event["body"]["turnId"] in self._ended
        elif event["type"] == "stream.resync":
            self.resyncs += 1


class Crowd:
    """Everybody at once, from `begin` to `end`."""

    def __init__(self, room: RunningRoom, agents: tuple[str, ...], seed: str, people: int, readers: int) -> None:
        self.room, self.moments = room, Moments()
        self._stop = threading.Event()
        self.loads = [Load(room, agents, f"{seed}-{n}", self.moments, self._stop) for n in range(people)]
        self.readers = [Reader(room, self.moments) for _ in range(readers)]
        self._threads = [threading.Thread(target=load.run, daemon=True) for load in self.loads]

    def begin(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Nobody sends any more; the readers go on."""
        self._stop.set()
        for thread in self._threads:
            thread.join(60)

    def close(self) -> None:
        self._stop.set()
        for reader in self.readers:
            with suppress(OSError):
                reader.close()

    @property
    def accepted(self) -> dict[str, dict[str, Any]]:
        return {nonce: answer for load in self.loads for nonce, answer in list(load.accepted.items())}

    @property
    def retried(self) -> dict[str, dict[str, Any]]:
        return {key: answer for load in self.loads for key, answer in list(load.retried.items())}
