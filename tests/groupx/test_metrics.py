"""GET /metrics (docs/operations.md, "Metrics"): what is measured, under which names. Our contract."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from prometheus_client.parser import text_string_to_metric_families

from groupx.metrics import RoomMetrics
from groupx.request_tally import RequestTally, route_of
from groupx.runtime import ServerRuntime
from memory.models import Summary
from rooms.asgi_json import JsonRequest
from rooms.bodies import UsageTold
from rooms.transactions import in_db
from rooms.vocabulary import MAIN_ROOM
from tests import given
from turns.consumers import LaneSocket
from turns.measures import PAGE_TURNS
from turns.models import AgentJob
from turns.state import JobKind, JobStatus, TurnStatus

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"
NO_REQUEST = JsonRequest({}, None)  # type: ignore[arg-type]


@asynccontextmanager
async def serving(
    clock, page_turns: int = PAGE_TURNS
) -> AsyncIterator[tuple[RoomMetrics, ServerRuntime, RequestTally]]:
    """The parts of a serve process that are measured, on a database whose log the tail reads."""
    runtime, answered = ServerRuntime(settings.RUN, 4310, "secret", clock), RequestTally()
    lanes = LaneSocket(runtime.tail, "secret", clock, card_changed=lambda _: None, store_failed=lambda _: None)
    metrics = RoomMetrics(runtime, answered, lanes, page_turns)
    tail = asyncio.create_task(runtime.tail.run())
    try:
        await runtime.tail.follow(0, None)
        yield metrics, runtime, answered
    finally:
        tail.cancel()
        await asyncio.gather(tail, return_exceptions=True)
        runtime.tail.close_threads()


async def scrape(metrics: RoomMetrics) -> dict[tuple[str, ...], float]:
    """Samples by name and label values."""
    status, text = await metrics.get_metrics(NO_REQUEST)
    assert status == 200
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_ended_turns_are_counted_once_from_where_the_process_began(live_room, clock):
    await in_db(given.completed_turn, "builder", clock=clock)
    async with serving(clock) as (metrics, _, _):
        assert ("groupx_turns_ended_total", "builder", "completed") not in await scrape(metrics)

        await in_db(given.ended_turn, "builder", TurnStatus.FAILED, clock=clock)
        await in_db(given.completed_turn, "builder", clock=clock)
        waiting = await in_db(given.queued_turn, "reviewer", clock=clock)
        await in_db(given.cancelled, waiting, clock=clock)
        await scrape(metrics)
        seen = await scrape(metrics)

    assert seen["groupx_turns_ended_total", "builder", "completed"] == 1
    assert seen["groupx_turns_ended_total", "builder", "failed"] == 1
    assert seen["groupx_turns_ended_total", "reviewer", "cancelled"] == 1
    assert seen["groupx_turn_errors_total", "reviewer", "TURN_CANCELLED"] == 1
    assert seen["groupx_turn_wait_seconds_count", "builder"] == 2
    assert seen["groupx_turn_run_seconds_count", "builder"] == 2
    assert ("groupx_turn_run_seconds_count", "reviewer") not in seen, "nothing was sent, so nothing ran"


async def test_what_agents_told_of_their_use_is_counted_and_what_they_did_not_is_not(live_room, clock):
    async with serving(clock) as (metrics, _, _):
        await scrape(metrics)
        used = UsageTold(input_tokens=1200, output_tokens=310, total_tokens=1510, cost_usd=0.25)
        for usage in (used, used, None):
            await in_db(given.completed_turn, "builder", clock=clock, usage=usage)
        await in_db(given.completed_turn, "reviewer", clock=clock, usage=UsageTold(input_tokens=5))
        seen = await scrape(metrics)
    assert seen["groupx_turn_tokens_total", "builder", "input"] == 2400
    assert seen["groupx_turn_tokens_total", "builder", "output"] == 620
    assert seen["groupx_turn_cost_usd_total", "builder"] == 0.5
    assert ("groupx_turn_cost_usd_total", "reviewer") not in seen


async def test_more_ends_than_a_page_are_all_counted(live_room, clock):
    async with serving(clock, page_turns=1) as (metrics, _, _):
        await scrape(metrics)
        for _n in range(3):
            await in_db(given.completed_turn, "builder", clock=clock)
        assert (await scrape(metrics))["groupx_turns_ended_total", "builder", "completed"] == 3


async def test_open_turns_lanes_and_the_log_are_those_of_the_moment(live_room, clock):
    await in_db(given.running_turn, "builder", clock=clock)
    await in_db(given.queued_turn, "builder", clock=clock)
    async with serving(clock) as (metrics, runtime, _):
        seen = await scrape(metrics)
        assert seen["groupx_log_last_seq",] == runtime.tail.read_seq
    assert seen["groupx_turns", "builder", "running"] == 1
    assert seen["groupx_turns", "builder", "queued"] == 1
    assert seen["groupx_agent_status", "builder", "working"] == 1
    assert seen["groupx_lane_connected", "builder"] == 0
    assert seen["groupx_event_stream_clients",] == 1
    assert seen["groupx_event_stream_lag_events",] > 0
    assert seen["groupx_database_up",] == 1
    assert seen["groupx_process_memory_bytes", "serve"] > 1e6


def take_the_lanes_away() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE turns_lane RENAME TO turns_lane_away")


def bring_the_lanes_back() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE turns_lane_away RENAME TO turns_lane")


async def test_open_jobs_dated_memory_that_waits_and_summaries_are_those_of_the_moment(live_room, clock):
    def write() -> None:
        now = clock.now()
        given.completed_turn("builder", clock=clock)
        told = {
            "room_id": MAIN_ROOM,
            "writer_id": "agent:builder",
            "from_seq": 1,
            "through_seq": 1,
            "content": "so far",
        }
        Summary.objects.create(summary_id="sum_1", created_at=now, **told)
        asked = {"actor_id": "agent:builder", "kind": JobKind.SUMMARY, "asked_by": "agent:builder"}
        for job_id, status, ended_at in (("1", JobStatus.WAITING, None), ("2", JobStatus.FAILED, now)):
            times = {"created_at": now, "expires_at": now, "ended_at": ended_at}
            AgentJob.objects.create(job_id=job_id, status=status, fingerprint=job_id, **asked, **times)

    await in_db(write)
    async with serving(clock) as (metrics, _, _):
        now = await scrape(metrics)
    assert (now["groupx_agent_jobs", "builder", "waiting"], now["groupx_agent_jobs", "builder", "taken"]) == (1, 0)
    assert now["groupx_rollup_sources_pending", "builder"] == 1
    assert now["groupx_summaries_total",] == 1


async def test_a_database_that_cannot_be_read_costs_the_rooms_metrics_only(live_room, clock):
    async with serving(clock) as (metrics, _, answered):
        answered.count("GET", "/api/turns/turn_1", 200)
        await in_db(take_the_lanes_away)
        try:
            seen = await scrape(metrics)
        finally:
            await in_db(bring_the_lanes_back)
    assert seen["groupx_database_up",] == 0
    assert seen["groupx_http_requests_total", "GET", "/api/turns/{turnId}", "200"] == 1
    assert not any(name[0] == "groupx_log_last_seq" for name in seen)


async def test_the_names_are_the_documented_ones(live_room, clock):
    documented = set(re.findall(r"^\| `(groupx_\w+)` \|", OPERATIONS.read_text(), re.M))
    async with serving(clock) as (metrics, _, _):
        _, text = await metrics.get_metrics(NO_REQUEST)
    assert set(re.findall(r"^# TYPE (\w+)", text, re.M)) == documented


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/", "/"),
        ("/api/messages", "/api/messages"),
        ("/api/turns/turn_1", "/api/turns/{turnId}"),
        ("/api/turns/turn_1/packet", "/api/turns/{turnId}/packet"),
        ("/api/events/evt_1", "/api/events/{eventId}"),
        ("/api/turns/a/b/c", "other"),
        ("/static/1/js/room.js", "/static"),
        ("/wp-login.php", "other"),
        ("*", "other"),
    ],
)
def test_routes_have_few_names_whatever_is_asked_for(path, route):
    assert route_of(path) == route


def test_methods_too():
    tally = RequestTally()
    for method in ("GET", "BREW", "get"):
        tally.count(method, "/", 200)
    assert set(tally.answers) == {("GET", "/", 200), ("other", "/", 200)}
