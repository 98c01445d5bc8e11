"""An agent that has used up its day pauses, visibly, until the next day or until a person lets it go on
(docs/configuration.md, "A limit of spending"). Real database, scripted agent, a wall clock that the test moves."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.db import DatabaseError, connection

from adapters.contract import Completed, Started, UsageReported
from groupx.kernel.config import SpendLimit
from groupx.kernel.days import LocalDays
from rooms.bodies import UsageTold
from rooms.caller import web_caller
from rooms.models import Event
from rooms.requests import Command
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedSession
from tests.fakes.clock import MovedClock
from tests.turns.stage import LaneStage
from turns import commands
from turns.actions.claim_turn import claim_turn
from turns.models import Lane, Turn
from turns.pauses import Budget, LanePause
from turns.queries.agents import agent_view
from turns.settlement import TurnOutcome
from turns.state import TurnStatus

pytestmark = pytest.mark.django_db(transaction=True)

SHANGHAI = LocalDays(ZoneInfo("Asia/Shanghai"))
HUNDRED = Budget(limit=SpendLimit(tokens_per_day=100), days=SHANGHAI)
EVENING = datetime(2026, 11, 30, 15, 59, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 30, 16, 0, tzinfo=UTC)


def spending(session: ScriptedSession, tokens: int, times: int = 1) -> ScriptedSession:
    for _ in range(times):
        session.say(Started(), UsageReported(total_tokens=tokens), Completed("done"))
    return session


def told() -> list[str]:
    return list(Event.objects.filter(type="system.error").order_by("seq").values_list("body__errorCode", flat=True))


def is_paused() -> bool:
    return Lane.objects.filter(actor_id="agent:builder", status="paused", pause_kind="spend_limit").exists()


def is_ready() -> bool:
    return Lane.objects.filter(actor_id="agent:builder", status="ready").exists()


def go_on(clock: MovedClock, days: LocalDays = SHANGHAI) -> dict:
    command = Command(client_command_id=given.command_id())
    return commands.resume("agent:builder", command, caller=web_caller(), days=days, clock=clock).result


def status_of(turn_id: str) -> str:
    return Turn.objects.get(turn_id=turn_id).status


def spent(tokens: int, clock: MovedClock) -> None:
    """A turn that has ended, by a worker that is gone."""
    claimed = given.running_turn("builder", clock=clock, token="dead")
    outcome = TurnOutcome(status=TurnStatus.COMPLETED, text="done", usage=UsageTold(total_tokens=tokens))
    given.finished(claimed, "builder", outcome, token="dead", clock=clock)


@pytest.fixture
def evening() -> MovedClock:
    return MovedClock(EVENING)


async def test_the_turn_that_reaches_the_limit_is_finished_and_the_next_waits(live_room, evening):
    turns = [await in_db(given.queued_turn, "builder", clock=evening) for _ in range(2)]
    async with LaneStage(
        live_room, "builder", spending(ScriptedSession(), 130, 2), budget=HUNDRED, clock=evening
    ) as lane:
        await lane.status_of(turns[0], "completed")
        await lane.until(is_paused)
        card = (await in_reader(agent_view, "agent:builder")).wire()
        assert (card["pausedFor"], card["pausedUntil"]) == ("spend_limit", "2026-11-30T16:00:00.000Z")
        assert card["statusText"] == "Its limit of 100 tokens a day is reached: 130 were used today."
        assert await in_reader(status_of, turns[1]) == "queued"
        assert await in_reader(told) == ["SPEND_LIMIT_REACHED"]


async def test_a_new_local_day_ends_the_pause_by_itself(live_room, evening):
    turns = [await in_db(given.queued_turn, "builder", clock=evening) for _ in range(2)]
    async with LaneStage(
        live_room, "builder", spending(ScriptedSession(), 130, 2), budget=HUNDRED, clock=evening
    ) as lane:
        await lane.until(is_paused)
        evening.at = MIDNIGHT
        await lane.status_of(turns[1], "completed")


async def test_whoever_lets_it_go_on_allows_another_limits_worth_and_no_more(live_room, evening):
    turns = [await in_db(given.queued_turn, "builder", clock=evening) for _ in range(4)]
    async with LaneStage(
        live_room, "builder", spending(ScriptedSession(), 60, 4), budget=HUNDRED, clock=evening
    ) as lane:
        await lane.status_of(turns[1], "completed")
        await lane.until(is_paused)
        answer = await in_db(go_on, evening)
        assert answer == {"actorId": "agent:builder", "accepted": True, "pausedFor": "spend_limit"}
        await lane.status_of(turns[3], "completed")
        await lane.until(is_paused)
        assert await in_reader(told) == ["SPEND_LIMIT_REACHED"] * 2


async def test_the_pause_outlives_its_worker_is_told_once_and_starts_no_cli(live_room, evening):
    await in_db(spent, 100, evening)
    waiting = await in_db(given.queued_turn, "builder", clock=evening)
    for _ in range(2):
        async with LaneStage(live_room, "builder", budget=HUNDRED, clock=evening) as lane:
            await lane.until(is_paused)
        assert lane.driver.resumes == []
    assert await in_reader(told) == ["SPEND_LIMIT_REACHED"]

    async with LaneStage(live_room, "builder", spending(ScriptedSession(), 1), budget=HUNDRED, clock=evening) as lane:
        await in_db(go_on, evening)
        await lane.status_of(waiting, "completed")


async def test_what_was_allowed_while_no_worker_was_there_counts_when_one_comes(live_room, evening):
    await in_db(spent, 100, evening)
    async with LaneStage(live_room, "builder", budget=HUNDRED, clock=evening) as lane:
        await lane.until(is_paused)
    await in_db(go_on, evening)
    async with LaneStage(live_room, "builder", ScriptedSession(), budget=HUNDRED, clock=evening) as lane:
        await lane.until(is_ready)


async def test_what_was_allowed_yesterday_does_not_count_today(live_room, evening):
    await in_db(spent, 100, evening)
    async with LaneStage(live_room, "builder", budget=HUNDRED, clock=evening) as lane:
        await lane.until(is_paused)
    await in_db(go_on, evening)
    evening.at = MIDNIGHT
    await in_db(spent, 100, evening)
    async with LaneStage(live_room, "builder", budget=HUNDRED, clock=evening) as lane:
        await lane.until(is_paused)
    assert await in_reader(told) == ["SPEND_LIMIT_REACHED"] * 2


@pytest.mark.parametrize("limit", [None, SpendLimit(tokens_per_day=101), SpendLimit(cost_per_day=0.01)])
async def test_a_limit_that_was_raised_or_taken_out_counts_from_the_next_start(live_room, evening, limit):
    await in_db(spent, 100, evening)
    async with LaneStage(live_room, "builder", budget=HUNDRED, clock=evening) as lane:
        await lane.until(is_paused)
    other = Budget(limit=limit, days=SHANGHAI)
    async with LaneStage(live_room, "builder", ScriptedSession(), budget=other, clock=evening) as lane:
        await lane.until(is_ready)
    assert (await in_reader(agent_view, "agent:builder")).paused_for is None


async def test_a_restart_of_the_agent_does_not_lift_its_limit(live_room, evening):
    turns = [await in_db(given.queued_turn, "builder", clock=evening) for _ in range(2)]
    session = spending(ScriptedSession(), 100)
    async with LaneStage(live_room, "builder", session, budget=HUNDRED, clock=evening) as lane:
        await lane.until(is_paused)
        command = Command(client_command_id=given.command_id())
        await in_db(commands.restart, "agent:builder", command, caller=web_caller(), clock=evening)
        await lane.until(lambda: Event.objects.filter(type="session.stopped").exists())
        assert await in_reader(is_paused)
    assert await in_reader(status_of, turns[1]) == "queued"
    assert await in_reader(told) == ["SPEND_LIMIT_REACHED"]


async def test_a_clock_that_was_set_back_over_midnight_pauses_again(live_room, evening):
    await in_db(spent, 100, evening)
    evening.at = MIDNIGHT
    turn_id = await in_db(given.queued_turn, "builder", clock=evening)
    session = spending(ScriptedSession(), 1)
    async with LaneStage(live_room, "builder", session, budget=HUNDRED, clock=evening) as lane:
        await lane.status_of(turn_id, "completed")
        evening.at = EVENING
        await in_db(given.queued_turn, "builder", clock=evening)
        await lane.until(is_paused)
    assert len(session.prompts) == 1


# ---------------------------------------------------------------- one transaction, or none
NO_EVENT = """CREATE TRIGGER no_event BEFORE INSERT ON rooms_event WHEN NEW.type = 'system.error'
    BEGIN SELECT RAISE(ABORT, 'the power is gone'); END"""


def run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def test_a_pause_and_its_event_are_written_together_or_not_at_all(live_room, evening):
    spent(100, evening)
    given.a_lane("builder", clock=evening)
    given.queued_turn("builder", clock=evening)
    run(NO_EVENT)
    with pytest.raises(DatabaseError):
        claim_turn("agent:builder", "lane", budget=HUNDRED, clock=evening)
    run("DROP TRIGGER no_event")
    assert not is_paused() and told() == []

    pause = claim_turn("agent:builder", "lane", budget=HUNDRED, clock=evening)
    assert isinstance(pause, LanePause) and is_paused() and told() == ["SPEND_LIMIT_REACHED"]


def test_the_day_can_change_between_the_last_turn_and_the_claim(live_room, evening):
    spent(100, evening)
    given.a_lane("builder", clock=evening)
    turn_id = given.queued_turn("builder", clock=evening)
    evening.at = MIDNIGHT
    claimed = claim_turn("agent:builder", "lane", budget=HUNDRED, clock=evening)
    assert claimed is not None and not isinstance(claimed, LanePause) and claimed.turn_id == turn_id


BERLIN_HUNDRED = Budget(limit=SpendLimit(tokens_per_day=100), days=LocalDays(ZoneInfo("Europe/Berlin")))


@pytest.mark.parametrize(
    ("spent_at", "asked_at", "is_same_day"),
    [
        (datetime(2026, 3, 28, 23, 0, tzinfo=UTC), datetime(2026, 3, 29, 21, 59, tzinfo=UTC), True),
        (datetime(2026, 3, 28, 23, 0, tzinfo=UTC), datetime(2026, 3, 29, 22, 0, tzinfo=UTC), False),
        (datetime(2026, 10, 24, 22, 0, tzinfo=UTC), datetime(2026, 10, 25, 22, 59, tzinfo=UTC), True),
        (datetime(2026, 10, 24, 22, 0, tzinfo=UTC), datetime(2026, 10, 25, 23, 0, tzinfo=UTC), False),
    ],
    ids=["23 hours, the last minute", "23 hours, over", "25 hours, the last minute", "25 hours, over"],
)
def test_a_day_on_which_the_clock_changes_counts_whole(live_room, spent_at, asked_at, is_same_day):
    clock = MovedClock(spent_at)
    spent(100, clock)
    given.a_lane("builder", clock=clock)
    given.queued_turn("builder", clock=clock)
    clock.at = asked_at
    found = claim_turn("agent:builder", "lane", budget=BERLIN_HUNDRED, clock=clock)
    assert isinstance(found, LanePause) is is_same_day
