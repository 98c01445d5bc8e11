"""When a limit of spending is reached. Pure. Our contract: docs/configuration.md, "A limit of spending"."""

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.kernel.config import SpendLimit
from groupx.kernel.days import LocalDays
from turns.pauses import NO_BUDGET, Budget, Spent, end_of_delay, sound_delay
from turns.state import PauseKind

NOW = datetime(2026, 11, 30, 10, 41, tzinfo=UTC)
SHANGHAI = LocalDays(ZoneInfo("Asia/Shanghai"))


def budget(**limit: float) -> Budget:
    return Budget(limit=SpendLimit.model_validate(limit), days=SHANGHAI)


@pytest.mark.parametrize(
    ("limit", "today", "is_reached"),
    [
        ({"tokens_per_day": 100}, Spent(tokens=99), False),
        ({"tokens_per_day": 100}, Spent(tokens=100), True),
        ({"tokens_per_day": 100}, Spent(cost_usd=1_000.0), False),
        ({"cost_per_day": 0.3}, Spent(cost_usd=0.1 + 0.1), False),
        ({"cost_per_day": 0.3}, Spent(cost_usd=0.1 + 0.1 + 0.1), True),
        ({"cost_per_day": 0.8}, Spent(cost_usd=0.7999999999999999), True),
        ({"tokens_per_day": 100, "cost_per_day": 1}, Spent(tokens=5, cost_usd=1.0), True),
    ],
)
def test_the_limit_is_reached_when_either_sum_is(limit: dict, today: Spent, is_reached: bool):
    pause = budget(**limit).pause_after(today, Spent(), NOW)
    assert (pause is not None) is is_reached


def test_the_pause_ends_with_the_local_day_and_says_how_much_was_used():
    pause = budget(tokens_per_day=1_000).pause_after(Spent(tokens=12_345), Spent(), NOW)
    assert pause is not None and pause.kind is PauseKind.SPEND_LIMIT
    assert pause.until == datetime(2026, 11, 30, 16, tzinfo=UTC)
    assert pause.words == "Its limit of 1,000 tokens a day is reached: 12,345 were used today."


def test_a_limit_of_less_than_a_cent_is_told_as_what_it_is():
    pause = budget(cost_per_day=0.0001).pause_after(Spent(cost_usd=0.00013), Spent(), NOW)
    assert pause is not None
    assert pause.words == "Its limit of $0.0001 a day is reached: $0.00013 was used today."


def test_nobody_who_has_used_nothing_is_at_the_smallest_limit():
    assert budget(cost_per_day=0.0001).pause_after(Spent(), Spent(), NOW) is None


@pytest.mark.parametrize("seconds", [None, 0, -1.0, math.nan, math.inf, 1.7e12, 2.0**53])
def test_a_delay_that_no_service_gives_is_none(seconds: float | None):
    assert sound_delay(seconds) is None and end_of_delay(NOW, seconds) is None


def test_a_delay_of_a_month_is_waited_for():
    assert end_of_delay(NOW, 30 * 86_400.0) == datetime(2026, 12, 30, 10, 41, tzinfo=UTC)


def test_without_a_limit_nothing_is_ever_too_much():
    assert NO_BUDGET.pause_after(Spent(tokens=10**15, cost_usd=1e9), Spent(), NOW) is None


@given(st.integers(1, 10**6), st.integers(0, 10**7), st.integers(0, 10**7))
def test_whoever_is_let_go_on_may_use_exactly_another_limits_worth(limit: int, used: int, more: int):
    went_on_at = Spent(tokens=used)
    pause = budget(tokens_per_day=limit).pause_after(Spent(tokens=used + more), went_on_at, NOW)
    assert (pause is not None) is (more >= limit)
