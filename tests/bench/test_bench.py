"""The bench in its smallest form on real rooms: every family measures, no promise is broken (docs/performance.md)."""

import json

from tests.bench.run import FAMILIES, run
from tests.bench.sizes import SMALLEST
from tests.bench.table import line


async def test_every_family_measures_its_rows_and_finds_no_promise_broken(tmp_path):
    told: list[str] = []
    rows = await run(tmp_path, SMALLEST, list(FAMILIES), lambda row: told.append(line(row)), fast_agents=2)

    assert [(row.name, row.faults) for row in rows if row.faults] == []
    assert [row.name for row in rows if row.p50 is None] == []
    assert len({row.name for row in rows}) == len(rows) == len(told)
    assert {"accept, busy lane, 2 connections", "visible on 2 streams", "deltas to the stream, 100 a second"} <= {
        row.name for row in rows
    }
    json.dumps([row.wire() for row in rows])
