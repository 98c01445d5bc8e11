"""A running room whose scripted agents use its tools: what they are told to call, and what they got."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.running_room import TURN_SECONDS, RunningRoom, do
from tests.waiting import wait_until

DRIVERS = {"ada": "acp", "ben": "acp", "cleo": "codex", "dan": "claude"}
NAMES = tuple(DRIVERS)
LIMITS = {
    "messageCharacters": 20_000,
    "queuePerAgent": 8,
    "rootTurns": 9,
    "hopCount": 4,
    "actorCallsPerRoot": 4,
    "steersPerSubjectTurn": 1,
}
COMMANDS = {"send", "publish", "ask", "steer", "memory_remember", "core_memory_remember", "identity_remember"}
"""Tools that take a clientCommandId."""


def call(tool: str, /, *, era: str = "new", progress: bool = False, **arguments: Any) -> dict[str, Any]:
    """A step: call a tool and wait for it. Commands get a clientCommandId of their own where none is given."""
    return {"call": the_call(tool, era=era, progress=progress, **arguments)}


def the_call(tool: str, /, *, era: str = "new", progress: bool = False, **arguments: Any) -> dict[str, Any]:
    """The same without the step around it: for `start_call`, which does not wait."""
    if tool in COMMANDS:
        arguments.setdefault("clientCommandId", uuid.uuid4().hex)
    return {"tool": tool, "arguments": arguments, "era": era, "progress": progress}


def task(*steps: dict[str, Any], text: str = "please", nonce: str | None = None) -> dict[str, Any]:
    """The content of a message from one scripted agent to another that commands it."""
    return {"text": text, "do": {"n": nonce or uuid.uuid4().hex, "steps": [*steps]}}


def say(words: str) -> dict[str, Any]:
    return {"text": words}


def agents(*names: str) -> list[str]:
    return [f"agent:{name}" for name in names]


TOO_LONG = {"text": "x", "times": 20_001}


class Told:
    """A message to an agent, and the turn that came of it."""

    def __init__(self, room: "TalkingRoom", name: str, nonce: str, answer: dict[str, Any]) -> None:
        self._room, self.name, self.nonce, self.answer = room, name, nonce, answer
        self.turn_id: str = room.turn(answer)
        self.message_id: str = answer["messageEventId"]
        self.root: str = answer["correlationId"]

    def until(self, *statuses: str) -> dict[str, Any]:
        return self._room.until_turn(self.turn_id, *statuses)

    def calls(self) -> list[dict[str, Any]]:
        """What its calls gave, in the order of their start; waits for the end of the turn."""
        self.until()
        return sorted(self._room.noted(self.name, "called", self.nonce), key=lambda row: int(row["index"]))

    def results(self) -> list[dict[str, Any]]:
        """What they gave where all of them went well."""
        calls = self.calls()
        assert calls and all(call.get("isError") is False for call in calls), calls
        return [call["result"] for call in calls]

    def result(self) -> dict[str, Any]:
        """Of its only call."""
        [result] = self.results()
        return result

    def codes(self) -> list[str | None]:
        """The error code of each call, None for one that went well."""
        return [call["result"]["code"] if call["isError"] else None for call in self.calls()]

    def problem(self) -> dict[str, Any]:
        """{code, message, details} of its last call, which was refused."""
        called = self.calls()[-1]
        assert called["isError"], called
        return called["result"]


class TalkingRoom(RunningRoom):
    def tell(self, name: str, *steps: dict[str, Any], text: str = "please", **more: Any) -> Told:
        """A person's message that commands a scripted agent."""
        nonce = uuid.uuid4().hex
        return Told(self, name, nonce, self.send(name, content=do(text, n=nonce, steps=[*steps]), **more))

    def open_gate(self, name: str, gate: str) -> None:
        """Let the agent go on that waits for this file."""
        (self.folder / name / gate).write_text("")

    @contextmanager
    def busy(self, name: str) -> Iterator[Told]:
        """An agent that works as long as this lasts."""
        gate = uuid.uuid4().hex
        told = self.tell(name, say("I am "), {"wait": gate}, say("busy"))
        try:
            told.until("running")
            yield told
        finally:
            self.open_gate(name, gate)
            told.until()

    def until_quiet(self, root: str) -> None:
        """Every turn of this root has ended, those that they start too."""
        ended: set[str] = set()
        while queued := {event["body"]["turnId"] for event in self.of_root(root, "turn.queued")} - ended:
            for turn_id in queued:
                self.until_turn(turn_id)
            ended |= queued

    def prepare(self, name: str, *steps: dict[str, Any]) -> str:
        """What the agent does at its next prompt, whatever that says; gives its nonce."""
        nonce = uuid.uuid4().hex
        (self.folder / name / "next-prompt.json").write_text(json.dumps({"n": nonce, "steps": [*steps]}))
        return nonce

    def until_noted(self, name: str, event: str, nonce: str) -> dict[str, Any]:
        """The first thing of this kind that an agent in mid-turn has written down."""
        found: list[dict[str, Any]] = wait_until(
            lambda: self.noted(name, event, nonce), timeout_seconds=TURN_SECONDS, what=f"{event} of {name}"
        )
        return found[0]

    # ------------------------------------------------------------ what is in the log
    def event(self, event_id: str) -> dict[str, Any]:
        return next(event for event in self.newest_first() if event["eventId"] == event_id)

    def turn_for(self, event_id: str) -> str:
        """The turn that a message has given its last target."""
        caused = (event for event in self.newest_first() if event.get("causationId") == event_id)
        return next(str(event["body"]["turnId"]) for event in caused if event["type"] == "turn.queued")

    def answer_of(self, turn_id: str) -> str | None:
        """What the agent said at the end of the turn."""
        for event in self.newest_first():
            if event["type"] == "message.created" and event["body"].get("turnId") == turn_id:
                return str(event["body"]["content"])
        return None

    def of_root(self, correlation_id: str, *types: str) -> list[dict[str, Any]]:
        """The events of one interaction, in their order; of these types, or all."""
        found: list[dict[str, Any]] = []
        for event in self.newest_first():
            if event["rootCorrelationId"] == correlation_id:
                found.append(event)
                if event["type"] == "message.created" and event["actor"]["kind"] == "user":
                    break  # the person's message that began it
        return [event for event in found[::-1] if not types or event["type"] in types]
