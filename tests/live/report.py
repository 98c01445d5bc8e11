"""`uv run python -m tests.live.report`: run the live tests of every CLI found here and record what they show.

Written are tests/live/verified.json and, between its markers, the table of docs/drivers.md. Arguments go to pytest:
`--live=kimi` runs one. `--render` only writes the table anew.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.live.capabilities import TITLES, Capability
from tests.live.results import Result, recorded

DOCS = Path(__file__).parents[2] / "docs" / "drivers.md"
BEGIN, END = "<!-- live results: begin, written by python -m tests.live.report -->", "<!-- live results: end -->"


def table(known: Mapping[str, Any]) -> str:
    """One row per capability, one column per CLI; the reasons below."""
    drivers = sorted(known)
    heads = [f"{driver} {known[driver]['version']}" for driver in drivers]
    lines = [f"| | {' | '.join(heads)} |", f"|---|{'---|' * len(drivers)}"]
    reasons: list[str] = []
    for capability in Capability:
        cells = [_cell(known[driver], capability, reasons) for driver in drivers]
        lines.append(f"| {TITLES[capability]} | {' | '.join(cells)} |")
    lines.append(f"| seen on | {' | '.join(known[driver]['date'] for driver in drivers)} |")
    notes = [f"{number}. {reason}" for number, reason in enumerate(reasons, 1)]
    return "\n".join(lines + (["", *notes] if notes else []))


def _cell(of_driver: Mapping[str, Any], capability: Capability, reasons: list[str]) -> str:
    shown = of_driver["capabilities"].get(capability.value, {"result": Result.UNTRIED})
    word = {Result.VERIFIED: "verified", Result.FAILED: "failed", Result.LACKING: "no", Result.UNTRIED: "not tried"}
    cell = word[Result(shown["result"])]
    reason = shown.get("reason")
    if reason is None:
        return cell
    if reason not in reasons:
        reasons.append(reason)
    return f"{cell} ({reasons.index(reason) + 1})"


def rendered(text: str, known: Mapping[str, Any]) -> str:
    """The document with the table between its markers renewed."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(known)}\n{END}{after}"


def render() -> None:
    DOCS.write_text(rendered(DOCS.read_text(), recorded()))


def main(argv: list[str]) -> int:
    if argv == ["--render"]:
        render()
        return 0
    chosen = argv if any(arg.startswith("--live=") for arg in argv) else ["--live=all", *argv]
    return int(pytest.main(["-n0", "-m", "live", "--live-report", "tests/live", *chosen]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
