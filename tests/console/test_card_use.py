"""What an agent's card says of its use, its pause and what a person has to do (docs/turns.md, "Pauses")."""

from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.utils.translation import override

from groupx.kernel.config import GroupXConfig, SpendLimit
from rooms import card_use
from rooms.bodies import UsageTold
from rooms.card_use import UseOfToday
from rooms.fragments import card_html, card_of
from tests import given
from tests.fakes.clock import MovedClock
from turns.models import Lane
from turns.queries.agents import agent_view

NOON, MIDNIGHT = datetime(2026, 11, 30, 12, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)


def card(language: str = "en") -> str:
    with override(language):
        return card_html(card_of(agent_view("agent:builder")))


def lane(**columns: object) -> None:
    Lane.objects.update_or_create(actor_id="agent:builder", defaults=columns)


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> MovedClock:
    clock = MovedClock(NOON)
    monkeypatch.setattr(card_use, "_CLOCK", clock)
    return clock


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch, room: GroupXConfig) -> None:
    agents = {**room.agents, "builder": room.agents["builder"].model_copy(update={"spend_limit": LIMIT})}
    run = settings.RUN.model_copy(update={"config": room.model_copy(update={"agents": agents})})
    monkeypatch.setattr(settings, "RUN", run)


LIMIT = SpendLimit(tokens_per_day=100_000, cost_per_day=5)


# ---------------------------------------------------------------- use
def test_a_card_shows_the_use_of_today_and_when_that_is_over(room: GroupXConfig, noon: MovedClock) -> None:
    for _ in range(2):
        given.completed_turn("builder", clock=noon, usage=UsageTold(total_tokens=1234, cost_usd=0.25))
    html = card()
    assert "2,468 tokens, $0.50" in html and "data-day-ends=" in html
    assert "2,468 个 token、$0.50" in card("zh-hans")


def test_without_use_and_without_a_limit_there_is_nothing_to_say(room: GroupXConfig, noon: MovedClock) -> None:
    given.completed_turn("builder", clock=noon)
    assert "Used today" not in card()


def test_a_limit_is_shown_with_what_counts_against_it(limited: None, noon: MovedClock) -> None:
    assert "0 of 100,000 tokens, $0.00 of $5.00" in card()
    given.completed_turn("builder", clock=noon, usage=UsageTold(total_tokens=99))
    assert "99 of 100,000 tokens, $0.00 of $5.00" in card()
    assert "已用 99 个 token，上限 100,000" in card("zh-hans")


def test_what_was_used_yesterday_is_not_todays(room: GroupXConfig, noon: MovedClock) -> None:
    given.completed_turn("builder", clock=noon, usage=UsageTold(total_tokens=7))
    used = UseOfToday(used={}, ends_at=MIDNIGHT)
    assert used.of(agent_view("agent:builder")) is None


# ---------------------------------------------------------------- pauses
def paused(kind: str, words: str, **more: object) -> None:
    lane(status="paused", status_text=words, pause_kind=kind, paused_until=MIDNIGHT, pause_words=words, **more)


def test_a_pause_says_why_and_until_when_and_offers_to_go_on(room: GroupXConfig) -> None:
    paused("spend_limit", "Its limit of 100 tokens a day is reached: 130 were used today.")
    html = card()
    for shown in ("130 were used today.", 'data-until="2026-12-01T00:00:00.000Z"', 'data-action="resume"', "Go on"):
        assert shown in html
    chinese = card("zh-hans")
    assert "已达到每天 100 token 的上限：今天用了 130。" in chinese and "继续" in chinese


def test_a_rate_limit_is_said_once(room: GroupXConfig) -> None:
    error = {"code": "NATIVE_RATE_LIMITED", "message": "429: slow down.", "output": ""}
    paused("rate_limit", "429: slow down.", last_error=error)
    assert "agent-error" not in card() and "agent-pause" in card()


def test_what_ended_during_a_pause_is_said_beside_it(room: GroupXConfig) -> None:
    error = {"code": "NATIVE_EXITED", "message": "It left.", "output": ""}
    paused("rate_limit", "429: slow down.", last_error=error)
    assert "It left." in card() and "agent-pause" in card()


# ---------------------------------------------------------------- what a person has to do
def test_a_full_context_offers_a_fresh_session_although_the_agent_is_idle(room: GroupXConfig) -> None:
    error = {"code": "NATIVE_CONTEXT_FULL", "message": "Too long.", "hint": "Begin a fresh session.", "output": ""}
    lane(status="ready", last_error=error)
    _, _, box = card().partition("agent-error")
    assert "Begin a fresh session." in box and 'data-action="fresh"' in box


def test_who_has_to_sign_in_is_told_how_and_an_agent_that_did_not_start_is_tried_again(room: GroupXConfig) -> None:
    hint = "Run “kimi login” in a terminal."
    lane(status="failed", last_error={"code": "NATIVE_AUTH_REQUIRED", "message": "No.", "hint": hint, "output": ""})
    assert hint in card() and "Try again" in card()
    lane(status="ready")
    assert hint in card() and "Try again" not in card()


def test_any_other_failed_turn_leaves_the_card_quiet(room: GroupXConfig) -> None:
    lane(status="ready", last_error={"code": "NATIVE_ERROR", "message": "Hm.", "output": ""})
    assert "agent-error" not in card()
