"""What the doctor found, as values (docs/operations.md, "The doctor"). Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

SCHEMA = "groupx.doctor/1"


class Level(StrEnum):
    OK = "ok"
    NOTE = "note"
    """Good to know; nothing needs to be done."""
    WARNING = "warning"
    PROBLEM = "problem"
    """Something does not work or is damaged: exit code 1."""


class Part(StrEnum):
    MACHINE = "machine"
    CONFIGURATION = "configuration"
    FILES = "files"
    PROCESSES = "processes"
    DATABASE = "database"
    AGENTS = "agents"


class Repair(StrEnum):
    """What `--repair` can do, in the order in which it is done."""

    MODES = "modes"
    PROCESSES = "processes"
    MIGRATIONS = "migrations"
    LAST_SEQ = "last_seq"
    """Before anything that writes events."""
    TURNS = "turns"
    ATTEMPTS = "attempts"
    SAFEGUARDS = "safeguards"
    """After what breaks a unique index has been settled."""
    WAL = "wal"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """`code` is stable, `message` and `hint` are for people."""

    part: Part
    level: Level
    code: str
    message: str
    hint: str | None = None
    repair: Repair | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def wire(self) -> dict[str, Any]:
        shown = {"part": self.part.value, "level": self.level.value, "code": self.code, "message": self.message}
        optional = {"hint": self.hint, "repair": self.repair, "details": dict(self.details)}
        return shown | {name: value for name, value in optional.items() if value}


@dataclass(frozen=True, kw_only=True)
class Report:
    version: str
    config_path: str
    findings: Sequence[Finding]
    took_ms: int

    @property
    def is_ok(self) -> bool:
        return self.count(Level.PROBLEM) == 0

    def count(self, level: Level) -> int:
        return sum(1 for finding in self.findings if finding.level is level)

    @property
    def repairs(self) -> list[Repair]:
        """What can be mended, in the order of doing it."""
        wanted = {finding.repair for finding in self.findings}
        return [repair for repair in Repair if repair in wanted]

    def wire(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "version": self.version,
            "ok": self.is_ok,
            "configPath": self.config_path,
            "tookMs": self.took_ms,
            "findings": [finding.wire() for finding in self.findings],
            "repairs": [repair.value for repair in self.repairs],
        }


class Findings:
    """What one check has found so far, about one part."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.all: list[Finding] = []

    def ok(self, code: str, message: str, **details: Any) -> None:
        self._add(Level.OK, code, message, None, None, details)

    def note(self, code: str, message: str, hint: str | None = None, repair: Repair | None = None, **more: Any) -> None:
        self._add(Level.NOTE, code, message, hint, repair, more)

    def warning(self, code: str, message: str, hint: str | None = None, repair: Repair | None = None, **m: Any) -> None:
        self._add(Level.WARNING, code, message, hint, repair, m)

    def problem(self, code: str, message: str, hint: str | None = None, repair: Repair | None = None, **m: Any) -> None:
        self._add(Level.PROBLEM, code, message, hint, repair, m)

    def _add(
        self, level: Level, code: str, message: str, hint: str | None, repair: Repair | None, details: dict[str, Any]
    ) -> None:
        self.all.append(
            Finding(part=self.part, level=level, code=code, message=message, hint=hint, repair=repair, details=details)
        )
