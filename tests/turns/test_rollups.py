"""An idle lane has its agent write its own days down (our contract: docs/memory.md, "Dated memory")."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from groupx.kernel.errors import ErrorCode
from memory.actions.write_rollup import write_rollup
from memory.models import MemoryRecord, RollupSource, RollupState
from memory.queries.rollups import day_now
from memory.rollup_prompt import NOTHING_TO_KEEP, build_batch
from rooms.models import Event
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.clock import MovedClock
from turns.job_ends import JobFailed
from turns.rollups import Rollups

pytestmark = pytest.mark.django_db(transaction=True)

BUILDER, TODAY = "agent:builder", date(2026, 11, 30)


class Agent:
    """Answers what it is asked; an exception among the answers is raised, a function called first."""

    def __init__(self, *answers: str | Exception | Callable[[], object]) -> None:
        self._answers = list(answers)
        self.prompts: list[str] = []

    async def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            await in_db(answer)
            return "written meanwhile"
        return answer


@pytest.fixture
def evening(live_room) -> MovedClock:
    return MovedClock(datetime(2026, 11, 30, 22, tzinfo=UTC))


@pytest.fixture
def rollups(evening):
    """As a lane that begins has them; `made()` again is another lane's."""
    made: list[Rollups] = []

    def make() -> Rollups:
        made.append(Rollups(given.agent("builder"), given.UTC_DAYS, evening))
        return made[-1]

    yield make
    for one in made:
        one.close()


def turns_done(number: int, clock) -> None:
    for _ in range(number):
        given.completed_turn("builder", clock=clock)


def kept() -> list[tuple[str, str]]:
    return list(MemoryRecord.objects.order_by("pk").values_list("content", "status"))


def waiting() -> int:
    return RollupSource.objects.filter(rolled_at=None).count()


async def test_nothing_is_asked_before_a_day_is_due_and_once_when_it_is(evening, rollups):
    lane, agent = rollups(), Agent("my day")
    await in_db(turns_done, 8, evening)
    assert not await lane.work(agent.ask)
    evening.at += timedelta(minutes=5) - timedelta(microseconds=1)
    assert not await lane.work(agent.ask)
    evening.at += timedelta(microseconds=1)
    assert await lane.work(agent.ask)
    assert not await lane.work(agent.ask)

    assert len(agent.prompts) == 1
    assert await in_reader(kept) == [("my day", "active")]


async def test_a_compaction_that_is_about_to_pass_a_day_has_it_written_at_once(evening, rollups):
    lane, agent = rollups(), Agent("my day")
    await in_db(turns_done, 1, evening)
    assert not await lane.work(agent.ask)
    await in_db(RollupState.objects.create, actor_id=BUILDER, day=TODAY, asked_at=evening.now())
    assert await lane.work(agent.ask)

    assert await in_reader(kept) == [("my day", "active")]
    assert not await in_reader(RollupState.objects.exists)


@pytest.mark.parametrize(
    "answer",
    ["", " \n", "x" * 8_001, JobFailed(ErrorCode.UNEXPECTED_NATIVE_INTERACTION, "It asked for permission.")],
)
async def test_what_cannot_be_kept_is_a_failure_and_everything_goes_on_waiting(evening, rollups, answer):
    await in_db(turns_done, 8, evening)
    evening.at += timedelta(minutes=5)
    await rollups().work(Agent(answer).ask)

    state = await in_reader(RollupState.objects.get)
    assert (state.failures, bool(state.last_error)) == (1, True)
    assert (await in_reader(kept), await in_reader(waiting)) == ([], 8)


async def test_greetings_and_tests_are_not_kept_and_not_asked_about_again(evening, rollups):
    await in_db(turns_done, 8, evening)
    evening.at += timedelta(minutes=5)
    lane, agent = rollups(), Agent(NOTHING_TO_KEEP)
    await lane.work(agent.ask)
    assert not await lane.work(agent.ask)

    assert (await in_reader(kept), await in_reader(waiting)) == ([], 0)
    assert not await in_reader(Event.objects.filter(type__startswith="memory.").exists)


async def test_three_tries_are_made_at_once_then_ever_fewer_also_by_a_lane_that_begins_anew(evening, rollups):
    await in_db(turns_done, 8, evening)
    evening.at += timedelta(minutes=5)
    lane, pauses = rollups(), []
    agent = Agent(*[JobFailed(ErrorCode.NATIVE_ERROR, "It broke.")] * 12)
    for _ in range(12):
        assert await lane.work(agent.ask)
        next_at = (await in_reader(RollupState.objects.get)).next_attempt_at
        pauses.append(0 if next_at is None else (next_at - evening.now()).total_seconds() / 60)
        if next_at is not None:
            lane = rollups()  # knows only what was kept
            evening.at = next_at - timedelta(microseconds=1)
            assert not await lane.work(agent.ask)
            evening.at = next_at

    assert pauses == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]
    assert await in_reader(waiting) == 8


async def test_a_yesterday_that_fails_does_not_hold_up_today(evening, rollups):
    await in_db(turns_done, 1, evening)
    evening.at += timedelta(hours=4)
    await in_db(turns_done, 8, evening)
    lane = rollups()
    broken = JobFailed(ErrorCode.NATIVE_ERROR, "It broke.")
    agent = Agent(broken, broken, broken, "today")
    for _ in range(3):
        await lane.work(agent.ask)
    evening.at += timedelta(minutes=5)
    await in_db(lambda: RollupState.objects.update(next_attempt_at=evening.now() + timedelta(hours=1)))
    await lane.work(agent.ask)

    assert ["day=2026-11-30" in prompt for prompt in agent.prompts] == [True, True, True, False]
    assert await in_reader(kept) == [("today", "active")]
    assert await in_reader(waiting) == 1


async def test_a_day_that_the_person_retracts_meanwhile_is_written_anew_without_what_was_retracted(evening, rollups):
    await in_db(turns_done, 1, evening)
    batch = await in_reader(lambda: build_batch(day_now(BUILDER, TODAY)))
    first = await in_db(write_rollup, batch, "a secret", agent=given.agent("builder"), clock=evening)
    await in_db(turns_done, 8, evening)
    evening.at += timedelta(minutes=5)
    lane, agent = rollups(), Agent(lambda: given.retracted(first, clock=evening), "without it")
    assert await lane.work(agent.ask)
    assert await lane.work(agent.ask)

    assert ["> a secret" in prompt for prompt in agent.prompts] == [True, False]
    assert await in_reader(kept) == [("a secret", "retracted"), ("without it", "active")]
    assert not await in_reader(RollupState.objects.exists)


async def test_more_than_one_prompt_takes_is_written_in_several(evening, rollups):
    def long_turns() -> None:
        for _ in range(8):
            given.completed_turn("builder", clock=evening, text="x" * 30_000)

    await in_db(long_turns)
    evening.at += timedelta(hours=3)  # the day is over
    lane, agent = rollups(), Agent("first", "second")
    while await lane.work(agent.ask):
        pass

    assert "> first\n" in agent.prompts[1]
    assert (await in_reader(kept), await in_reader(waiting)) == ([("first", "superseded"), ("second", "active")], 0)
