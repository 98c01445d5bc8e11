"""What live runs have shown of each real CLI: tests/live/verified.json, written by a run, never by hand.

    {"grok": {"version": "1.0.41", "date": "2026-11-30", "capabilities": {"stream": {"result": "verified"}, …}}}

A result is `verified`, `failed` (with the reason), `lacking` (its recipe says so, and the test showed it; with the
reason) or `untried` (with the reason).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from tests.live.capabilities import Capability

VERIFIED = Path(__file__).with_name("verified.json")
REASON_CHARS = 160


class Result(StrEnum):
    """Of two tests of one capability the later one in this order counts."""

    UNTRIED = "untried"
    VERIFIED = "verified"
    LACKING = "lacking"
    FAILED = "failed"


_ORDER = list(Result)


@dataclass(frozen=True, kw_only=True)
class Shown:
    result: Result
    reason: str | None = None

    def and_also(self, other: "Shown") -> "Shown":
        return max(self, other, key=lambda shown: _ORDER.index(shown.result))

    def as_json(self) -> dict[str, str]:
        return {"result": self.result.value} | ({"reason": self.reason} if self.reason else {})


@dataclass
class Gathered:
    """Of one CLI in one run."""

    version: str
    date: str
    shown: dict[Capability, Shown] = field(default_factory=dict)

    def add(self, capability: Capability, shown: Shown) -> None:
        before = self.shown.get(capability)
        self.shown[capability] = before.and_also(shown) if before else shown

    def as_json(self) -> dict[str, Any]:
        capabilities = {c.value: self.shown[c].as_json() for c in Capability if c in self.shown}
        return {"version": self.version, "date": self.date, "capabilities": capabilities}


def recorded(file: Path = VERIFIED) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return found


def record(gathered: Mapping[str, Gathered], file: Path = VERIFIED) -> None:
    """Replace what is known of these CLIs. What a run did not try stays, if it was seen with the same version."""
    known = recorded(file)
    for driver, found in gathered.items():
        new, old = found.as_json(), known.get(driver, {})
        if old.get("version") == new["version"]:
            new["capabilities"] = _merged(old["capabilities"], new["capabilities"])
        known[driver] = new
    file.write_text(json.dumps(dict(sorted(known.items())), indent=2, ensure_ascii=False) + "\n")


def _merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    tried = {name: shown for name, shown in new.items() if shown["result"] != Result.UNTRIED}
    all_of = {**new, **old, **tried}
    return {c.value: all_of[c] for c in Capability if c in all_of}
