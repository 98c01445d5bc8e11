"""`uv run python -m tests.bench`: measures, prints the table, keeps it if asked (docs/performance.md)."""

import argparse
import asyncio
import json
import os
import platform
import signal
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench.calibration import calibrate, in_words
from tests.bench.figures import Row, exit_code
from tests.bench.run import FAMILIES, run
from tests.bench.sizes import FULL, QUICK, Size
from tests.bench.table import comparison, header, line

INTERRUPTED = 130


def main() -> int:
    """0; 1 when a promise of the room was broken or a family could not be measured, with --strict also for an aim.

    Ctrl-C and SIGTERM end it, and all its rooms before.
    """
    options = _options()
    before = json.loads(options.compare.read_text())["rows"] if options.compare else []
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="groupx-bench-") as folder:
        at_begin = _calibrated(Path(folder), "before")
        print(f"\n{header()}")
        size = QUICK if options.quick else FULL
        try:
            rows = asyncio.run(_measured(Path(folder), size, options.only))
        except (KeyboardInterrupt, asyncio.CancelledError):
            return INTERRUPTED
        print()
        at_end = _calibrated(Path(folder), "after")
    over, broken = sum(bool(row.missed_aims) for row in rows), sum(bool(row.faults) for row in rows)
    seconds = round(time.monotonic() - began)
    print(f"{len(rows)} rows in {seconds} s; over an aim: {over}, broken: {broken}")
    if before:
        print("\n" + "\n".join(comparison(before, rows)))
    if options.json:
        options.json.write_text(json.dumps(_kept(options, rows, at_begin, at_end, seconds), indent=1) + "\n")
    return exit_code(rows, is_strict=options.strict)


async def _measured(folder: Path, size: Size, names: list[str]) -> list[Row]:
    this = asyncio.current_task()
    assert this is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    return await run(folder, size, names, lambda row: print(line(row), flush=True))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure a real room under load.")
    parser.add_argument("--only", type=_families, default=list(FAMILIES), help=f"some of {','.join(FAMILIES)}")
    parser.add_argument("--quick", action="store_true", help="less of everything, in about 45 s")
    parser.add_argument("--strict", action="store_true", help="exit code 1 for a row over its aim")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep all figures there")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="set the figures against those of an earlier run")
    return parser.parse_args()


def _families(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in FAMILIES]:
        raise argparse.ArgumentTypeError(f"there is no “{unknown[0]}”; there are {', '.join(FAMILIES)}")
    return [name for name in FAMILIES if name in names]


def _calibrated(folder: Path, when: str) -> dict[str, float]:
    measured = calibrate(folder)
    print(f"machine {when}: {in_words(measured)}", flush=True)
    return measured


def _kept(
    options: argparse.Namespace,
    rows: list[Row],
    at_begin: dict[str, float],
    at_end: dict[str, float],
    seconds: int,
) -> dict[str, Any]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": options.quick,
        "seconds": seconds,
        "python": platform.python_version(),
        "machine": platform.platform(),
        "cpus": os.cpu_count(),
        "calibration": {"before": at_begin, "after": at_end},
        "rows": [row.wire() for row in rows],
    }


if __name__ == "__main__":
    sys.exit(main())
