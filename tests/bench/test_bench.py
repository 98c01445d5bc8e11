"""The bench in its smallest form on real rooms: every family measures, no promise is broken (docs/performance.md)."""

import json
from pathlib import Path

import pytest

from tests.bench.figures import Row
from tests.bench.run import FAMILIES, run
from tests.bench.sizes import SMALLEST
from tests.bench.table import line

IN_ONE_ROOM = ("accept", "visible", "prompt", "deltas", "all")
BESIDE_ROOMS = ("aig",)


async def measured(folder: Path, *families: str) -> dict[str, Row]:
    told: list[str] = []
    rows = await run(folder, SMALLEST, families, lambda row: told.append(line(row)), fast_agents=2)
    assert [(row.name, row.faults) for row in rows if row.faults] == []
    assert [row.name for row in rows if row.p50 is None] == []
    assert len({row.name for row in rows}) == len(rows) == len(told)
    json.dumps([row.wire() for row in rows])
    return {row.name: row for row in rows}


async def test_what_is_measured_in_one_room_is_measured_and_nothing_is_lost(tmp_path):
    rows = await measured(tmp_path, *IN_ONE_ROOM)
    assert {"accept, busy lane, 2 connections", "visible on 2 streams", "whole turns, 2 agents"} <= set(rows)


async def test_calls_of_aig_are_measured_and_nothing_is_lost(tmp_path):
    assert {"aig rooms", "aig send", "aig read, 10 unread of 100"} == set(await measured(tmp_path, *BESIDE_ROOMS))


@pytest.mark.bench
async def test_tools_long_logs_memory_search_compaction_and_starts_are_measured_and_nothing_is_lost(tmp_path):
    rows = await measured(tmp_path, *(name for name in FAMILIES if name not in IN_ONE_ROOM + BESIDE_ROOMS))
    assert {"packet, 50 messages missed", "search, CJK, two characters", "POST to prompt, 60 summed up before"} <= set(
        rows
    )
    assert {"ask, round trip to an idle agent", "accept, 4 asks waiting"} <= set(rows)
    assert {"bootstrap, 100 events", "server memory, 100 events", "start to healthy, 100 events"} <= set(rows)
