"""What a live check says while it runs, and what came of it."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TextIO

from adapters.contract import Capability, Evidence
from groupx.terminal_words import gettext as _
from groupx.terminal_words import harmless

SCHEMA = "groupx.doctor.live/1"


@dataclass(frozen=True, kw_only=True)
class LiveReport:
    agent_id: str
    driver: str
    status: str
    """As of a turn; `failed` when no session came about."""
    took_ms: int
    is_in_room: bool
    """The turn went through the running room and stands in its transcript."""
    cli: str = ""
    """What the program calls itself, with its version."""
    version: str = ""
    answer: str = ""
    error_code: str | None = None
    message: str = ""
    hint: str | None = None
    output: str = ""
    """The last words of a process that did not get ready."""
    usage: dict[str, Any] = field(default_factory=dict)
    seen: Mapping[Capability, Evidence] = field(default_factory=dict)
    """What the turn showed; of a room's turn, what is known of the agent after it."""
    is_kept: bool = False
    not_kept: str = ""
    """Why not, as a sentence."""

    @property
    def is_ok(self) -> bool:
        return self.status == "completed"

    def wire(self) -> dict[str, Any]:
        shown = {
            "schema": SCHEMA,
            "ok": self.is_ok,
            "agent": self.agent_id,
            "driver": self.driver,
            "cli": self.cli,
            "inRoom": self.is_in_room,
            "status": self.status,
            "tookMs": self.took_ms,
            "answer": self.answer,
            "usage": self.usage,
            "seen": {what.value: evidence.value for what, evidence in self.seen.items()},
            "kept": self.is_kept,
        }
        optional = {
            "version": self.version, "errorCode": self.error_code, "message": self.message, "hint": self.hint,
            "output": self.output, "notKept": self.not_kept,
        }  # fmt: skip
        return shown | {name: value for name, value in optional.items() if value}


def question() -> str:
    """What the agent is asked: short, and nothing is to be done."""
    return _(
        "This is a test of the connection. Say hello in two short sentences, and change nothing. "
        "One of them should name the folder that you work in."
    )


class Narrator:
    """Tells what happens, with the seconds since it began; the answer as it comes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._began = stream, time.monotonic()
        self._is_in_line = False

    @property
    def took_ms(self) -> int:
        return round((time.monotonic() - self._began) * 1000)

    def step(self, sentence: str) -> None:
        self.end_line()
        self._write(f"[{self.took_ms / 1000:5.1f} s] {harmless(sentence)}\n")

    def text(self, piece: str) -> None:
        """Of the agent, as it comes."""
        self._write(harmless(piece))
        self._is_in_line = not piece.endswith("\n")

    def end_line(self) -> None:
        if self._is_in_line:
            self._write("\n")
        self._is_in_line = False

    def _write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)
            self._stream.flush()
