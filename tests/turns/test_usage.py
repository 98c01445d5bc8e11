"""What turns use: told, stored, summed by agent and day (our contract: docs/protocol.md, "Use")."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from adapters.contract import UsageReported
from groupx.kernel.config import GroupXConfig
from groupx.kernel.days import LocalDays
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.bodies import UsageTold
from rooms.models import Event
from tests import given
from tests.fakes.clock import FakeClock
from turns.models import TurnUsage
from turns.queries.turns import turn_in_full
from turns.queries.usage import usage_by_day
from turns.recording import Recording
from turns.requests import UsageQuery
from turns.settlement import TurnOutcome
from turns.state import TurnStatus

UNKNOWN = dict.fromkeys(
    ("inputTokens", "cachedTokens", "outputTokens", "reasoningTokens", "totalTokens", "costUsd", "contextUsed",
     "contextSize")
)  # fmt: skip


def ended(name: str, usage: UsageTold | None, clock: FakeClock, status: TurnStatus = TurnStatus.COMPLETED) -> str:
    claimed = given.running_turn(name, clock=clock)
    outcome = TurnOutcome(status=status, text="the answer", usage=usage)
    given.finished(claimed, name, outcome, clock=clock)
    return claimed.turn_id


# ---------------------------------------------------------------- what is told
def recorded(*reports: UsageReported) -> UsageTold | None:
    recording = Recording()
    for report in reports:
        recording.take(report)
    return recording.usage


def test_a_later_report_replaces_what_an_earlier_one_said_of_the_same_figure():
    told = recorded(UsageReported(context_used=5, cost_usd=0.1), UsageReported(context_used=9, input_tokens=4))
    assert told == UsageTold(context_used=9, cost_usd=0.1, input_tokens=4)


def test_the_total_is_the_sum_where_only_its_parts_are_told():
    assert recorded(UsageReported(input_tokens=4, output_tokens=3)) == UsageTold(
        input_tokens=4, output_tokens=3, total_tokens=7
    )
    assert recorded(UsageReported(output_tokens=3)) == UsageTold(output_tokens=3)


@pytest.mark.parametrize("slip", [-1, 10**13, 2**63, float("inf"), float("nan")])
def test_a_figure_that_cannot_be_is_unknown(slip: float):
    assert recorded(UsageReported(cost_usd=slip, input_tokens=3)) == UsageTold(input_tokens=3)  # type: ignore[arg-type]
    assert recorded(UsageReported(total_tokens=slip)) is None  # type: ignore[arg-type]


# ---------------------------------------------------------------- what is stored and shown
def test_a_turn_shows_what_its_agent_told_and_null_for_the_rest(room: GroupXConfig, clock: FakeClock):
    turn_id = ended("builder", UsageTold(input_tokens=10, output_tokens=0, cost_usd=0.25), clock)
    known = {"inputTokens": 10, "outputTokens": 0, "costUsd": 0.25}
    assert turn_in_full(turn_id)["usage"] == UNKNOWN | known
    assert Event.objects.get(type="turn.completed").body["usage"] == known


def test_of_a_turn_that_told_nothing_nothing_is_known(room: GroupXConfig, clock: FakeClock):
    turn_id = ended("builder", None, clock)
    assert turn_in_full(turn_id)["usage"] == UNKNOWN
    assert "usage" not in Event.objects.get(type="turn.completed").body
    assert not TurnUsage.objects.exists()


def test_a_turn_that_ended_badly_was_not_free(room: GroupXConfig, clock: FakeClock):
    ended("builder", UsageTold(total_tokens=7), clock, TurnStatus.FAILED)
    assert Event.objects.get(type="turn.failed").body["usage"] == {"totalTokens": 7}


@pytest.mark.parametrize("wrong", [{"total_tokens": -1}, {"cost_usd": -0.5}, {"context_used": -1}, {}])
def test_the_database_refuses_less_than_nothing_and_a_row_that_tells_nothing(
    room: GroupXConfig, clock: FakeClock, wrong: dict
):
    turn_id = ended("builder", None, clock)
    with pytest.raises(IntegrityError), transaction.atomic():
        TurnUsage.objects.create(turn_id=turn_id, actor_id="agent:builder", ended_at=clock.now(), **wrong)


# ---------------------------------------------------------------- by agent and day
SHANGHAI, BERLIN = LocalDays(ZoneInfo("Asia/Shanghai")), LocalDays(ZoneInfo("Europe/Berlin"))


def at(*moment: int) -> FakeClock:
    return FakeClock(datetime(*moment, tzinfo=UTC))  # type: ignore[arg-type]


def summed(zone: LocalDays, last: date, /, **asked: object) -> list[tuple[str, str, int, int | None]]:
    answer = usage_by_day(UsageQuery(**asked), zone, last)  # type: ignore[arg-type]
    return [(item["day"], item["actorId"], item["turns"], item["totalTokens"]) for item in answer["items"]]


def test_a_turn_belongs_to_the_local_day_on_which_it_ended(room: GroupXConfig):
    ended("builder", UsageTold(total_tokens=1), at(2026, 11, 29, 15, 59))
    ended("builder", UsageTold(total_tokens=2), at(2026, 11, 29, 16, 0))
    ended("reviewer", UsageTold(total_tokens=4), at(2026, 11, 30, 15, 59))
    ended("builder", UsageTold(total_tokens=8), at(2026, 11, 30, 16, 0))

    assert summed(SHANGHAI, date(2026, 11, 30)) == [
        ("2026-11-30", "agent:builder", 1, 2),
        ("2026-11-30", "agent:reviewer", 1, 4),
        ("2026-11-29", "agent:builder", 1, 1),
    ]
    assert summed(LocalDays(ZoneInfo("UTC")), date(2026, 11, 30), days=1) == [
        ("2026-11-30", "agent:builder", 1, 8),
        ("2026-11-30", "agent:reviewer", 1, 4),
    ]


def test_the_long_day_of_berlin_holds_its_twenty_five_hours(room: GroupXConfig):
    for hour in (21, 22):  # 24 October, 23:00 and midnight in summer time
        ended("builder", UsageTold(total_tokens=hour), at(2026, 10, 24, hour, 30))
    for hour in (22, 23):  # 25 October, 23:00 and midnight in winter time
        ended("builder", UsageTold(total_tokens=100 + hour), at(2026, 10, 25, hour, 30))

    assert summed(BERLIN, date(2026, 10, 26), days=3) == [
        ("2026-10-26", "agent:builder", 1, 123),
        ("2026-10-25", "agent:builder", 2, 144),
        ("2026-10-24", "agent:builder", 1, 21),
    ]


def test_sums_count_what_is_known_and_are_null_where_nothing_is(room: GroupXConfig, clock: FakeClock):
    ended("builder", UsageTold(input_tokens=10, cost_usd=0.1), clock)
    ended("builder", UsageTold(input_tokens=5), clock)
    ended("builder", None, clock)
    ended("reviewer", UsageTold(input_tokens=1, cost_usd=0.2), clock)

    answer = usage_by_day(UsageQuery(), SHANGHAI, date(2026, 11, 30))
    builder = answer["items"][0]
    assert (builder["turns"], builder["inputTokens"], builder["costUsd"]) == (2, 15, 0.1)
    assert (builder["outputTokens"], builder["totalTokens"]) == (None, None)
    assert answer["totals"]["turns"] == 3 and answer["totals"]["inputTokens"] == 16
    assert answer["totals"]["costUsd"] == pytest.approx(0.3) and answer["totals"]["outputTokens"] is None
    assert (answer["timeZone"], answer["firstDay"], answer["lastDay"]) == ("Asia/Shanghai", "2026-11-24", "2026-11-30")


def test_one_agent_alone_can_be_asked_for_and_one_that_never_was_is_unknown(room: GroupXConfig, clock: FakeClock):
    ended("builder", UsageTold(total_tokens=1), clock)
    ended("reviewer", UsageTold(total_tokens=2), clock)
    today = date(2026, 11, 30)
    assert [row[1] for row in summed(SHANGHAI, today, agent="agent:reviewer")] == ["agent:reviewer"]
    with pytest.raises(GroupXError) as refused:
        summed(SHANGHAI, today, agent="agent:nobody")
    assert refused.value.code is ErrorCode.UNKNOWN_ACTOR


@pytest.mark.parametrize("last_day", ["0001-01-01", "9999-12-31"])
def test_days_at_the_ends_of_the_calendar_are_empty(room: GroupXConfig, client: Client, last_day: str):
    answer = client.get("/api/usage", {"lastDay": last_day, "days": 366})
    assert (answer.status_code, answer.json()["items"]) == (200, [])


@pytest.mark.parametrize("query", [{"days": 0}, {"days": 367}, {"lastDay": "20261130"}, {"lastDay": "2026-02-30"}])
def test_a_range_that_does_not_fit_is_refused(room: GroupXConfig, client: Client, query: dict):
    answer = client.get("/api/usage", query)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_ENVELOPE")
    assert answer.json()["error"]["details"]["issues"][0]["path"] == next(iter(query))
