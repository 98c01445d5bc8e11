"""What is asked for each turn or each look at the room does not grow with its history (docs/architecture.md).

Read from SQLite's own plan: a search by an index, never a scan of events or turns.
"""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from groupx.kernel.config import Limits, SpendLimit
from groupx.kernel.days import LocalDays
from memory.actions.write_rollup import write_rollup
from memory.gather import gather_packet_inputs
from memory.queries.rollups import day_now, next_rollup
from memory.rollup_prompt import build_batch
from tests import given
from turns.actions.ask_agent_job import ask_agent_job
from turns.actions.cancel_turns import cancel_turns
from turns.actions.claim_turn import claim_turn
from turns.actions.take_agent_job import take_agent_job
from turns.measures import room_now, turns_ended_after
from turns.member_requests import ReadRequest
from turns.models import Turn
from turns.operator_requests import SupervisionStatusRequest
from turns.pauses import Budget
from turns.queries.agents import agent_views
from turns.queries.asked import asked_turns
from turns.queries.lane import lane_orders
from turns.queries.members import member_of
from turns.queries.operator_reading import read_for_operator, supervision_status
from turns.queries.reading import read_room
from turns.queries.room import room_snapshot
from turns.queries.usage import usage_by_day
from turns.requests import UsageQuery
from turns.state import JobKind


def accept(clock):
    given.queued_turn("builder", clock=clock)


def claim(clock):
    claim_turn("agent:builder", "lane", clock=clock)


def claim_within_a_budget(clock):
    budget = Budget(limit=SpendLimit(tokens_per_day=1), days=LocalDays())
    claim_turn("agent:builder", "lane", budget=budget, clock=clock)


def gather(clock):
    given.remembered(clock=clock)
    given.core_memory("builder", "x", clock=clock)
    given.identified("agent:builder", "x", clock=clock)
    source = given.sent(given.a_message("builder"), clock=clock).result["messageEventId"]
    gather_packet_inputs(
        target_id="agent:builder",
        source=source,
        root_correlation_id="corr_1",
        given_through_seq=3,
        through_seq=9,
        max_chars=10_000,
    )


def read_as_an_agent(clock):
    given.running_turn("builder", clock=clock)
    member = member_of(given.last_handle())
    for asked in ({}, {"after_seq": 2}, {"correlation_id": member.turn.correlation_id}):
        read_room(ReadRequest(**asked), member.turn)
    read_room(ReadRequest(after_seq=2, correlation_id=member.turn.correlation_id), member.turn)


def read_as_the_assistant(clock):
    turn = given.running_turn("builder", clock=clock)
    correlation_id = Turn.objects.get(turn_id=turn.turn_id).correlation_id
    for asked in ({}, {"after_seq": 2}, {"correlation_id": correlation_id}):
        read_for_operator(ReadRequest(**asked))
    read_for_operator(ReadRequest(after_seq=2, correlation_id=correlation_id))
    supervision_status(SupervisionStatusRequest())
    cancel_turns(["agent:builder"], correlation_id, clock=clock)


def look_at_what_was_asked(clock):
    claimed = given.running_turn("builder", clock=clock)
    turn = member_of(given.last_handle()).turn
    asked_turns(claimed.source_event_id, turn)
    given.finished(claimed, "builder", clock=clock)
    asked_turns(claimed.source_event_id, turn)


def cancel(clock):
    given.cancelled(given.running_turn("reviewer", clock=clock).turn_id, clock=clock)


def look_for_jobs(clock):
    ask_agent_job("agent:builder", JobKind.SUMMARY, "?", asked_by="test", is_good=bool, clock=clock)
    lane_orders("agent:builder", None)
    take_agent_job("agent:builder", "lane", clock=clock)


def write_a_day(clock):
    given.completed_turn("builder", clock=clock)
    next_rollup("agent:builder", LocalDays())
    batch = build_batch(day_now("agent:builder", clock.now().date()))
    write_rollup(batch, "my day", agent=given.agent("builder"), clock=clock)


GROWING = ("rooms_event", "turns_turn", "turns_agentjob", "memory_rollupsource")
OF_WHAT_IS_OPEN = (
    "open_turns_of_lane", "one_running_turn_per_agent", "open_jobs_of_agent", "pending_rollup_sources",
)  # fmt: skip
"""Partial indexes: a scan of one reads what is open now, whatever has ended."""


@pytest.mark.parametrize(
    "ask",
    [
        accept,
        claim,
        gather,
        read_as_an_agent,
        read_as_the_assistant,
        look_at_what_was_asked,
        cancel,
        lambda clock: agent_views(),
        lambda clock: lane_orders("agent:builder", None),
        lambda clock: room_snapshot(Limits()),
        lambda clock: room_now(),
        lambda clock: turns_ended_after(3),
        claim_within_a_budget,
        look_for_jobs,
        write_a_day,
        lambda clock: usage_by_day(UsageQuery(days=2), LocalDays(), clock.now().date()),
    ],
    ids=[
        "accept",
        "claim",
        "gather",
        "read",
        "assistant",
        "asked",
        "cancel",
        "cards",
        "orders",
        "bootstrap",
        "measures",
        "ended turns",
        "budget",
        "jobs",
        "days",
        "usage",
    ],
)
def test_no_query_scans_the_log_or_the_turns(room, clock, ask):
    given.a_lane("builder", clock=clock)
    given.queued_turn("builder", clock=clock)
    with CaptureQueriesContext(connection) as captured:
        ask(clock)

    for query in captured.captured_queries:
        sql = query["sql"]
        if not sql.lstrip().upper().startswith(("SELECT", "UPDATE")):
            continue
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN QUERY PLAN " + sql.replace("%", "%%"))
            steps = [row[3] for row in cursor.fetchall()]
        scans = [s for s in steps if s.startswith("SCAN") and any(table in s for table in GROWING)]
        assert [s for s in scans if not any(index in s for index in OF_WHAT_IS_OPEN)] == [], sql
