"""How fast and how quiet the machine was, before and after: figures of two runs compare only if these do."""

import os
import sqlite3
import time
from pathlib import Path

from tests.bench.figures import percentile

LOOPS, LOOP_COUNT = 15, 200_000
SLEEPS, SLEEP_SECONDS = 60, 0.001
COMMITS = 60


def calibrate(folder: Path) -> dict[str, float]:
    """Milliseconds: a fixed loop of Python, a sleep of one, a commit of SQLite; and the machine's load."""
    loops, sleeps, commits = _loops(), _sleeps(), _commits(folder / "calibration.db")
    return {
        "loop_p50_ms": percentile(loops, 50) or 0.0,
        "loop_worst_ms": max(loops),
        "sleep_p95_ms": percentile(sleeps, 95) or 0.0,
        "commit_p50_ms": percentile(commits, 50) or 0.0,
        "load": os.getloadavg()[0],
    }


def in_words(measured: dict[str, float]) -> str:
    return (
        "loop {loop_p50_ms:.1f} ms (worst {loop_worst_ms:.1f}), sleep of 1 ms p95 {sleep_p95_ms:.2f} ms, "
        "commit {commit_p50_ms:.2f} ms, load {load:.1f}"
    ).format(**measured)


def _loops() -> list[float]:
    took = []
    for _ in range(LOOPS):
        began = time.perf_counter()
        total = 0
        for number in range(LOOP_COUNT):
            total += number
        took.append((time.perf_counter() - began) * 1000)
    return took


def _sleeps() -> list[float]:
    took = []
    for _ in range(SLEEPS):
        began = time.perf_counter()
        time.sleep(SLEEP_SECONDS)
        took.append((time.perf_counter() - began) * 1000)
    return took


def _commits(path: Path) -> list[float]:
    took = []
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER)")
        for number in range(COMMITS):
            began = time.perf_counter()
            database.execute("INSERT INTO t VALUES (?)", [number])
            took.append((time.perf_counter() - began) * 1000)
    finally:
        database.close()
    return took
