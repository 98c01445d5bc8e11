"""Dated memory in a lane with a scripted agent: when it is written, what stops it, what a crash leaves (our contract:
docs/memory.md, "Dated memory")."""

from datetime import date

import pytest

from adapters.contract import Completed, Started, TextDelta, UsageReported
from memory.actions.write_rollup import write_rollup
from memory.models import MemoryRecord, RollupSource, RollupState
from memory.queries.rollups import day_now
from memory.rollup_prompt import RollupBatch, build_batch
from rooms.models import Event
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedSession
from turns.actions.ask_agent_job import ask_agent_job
from turns.actions.end_agent_job import end_agent_job
from turns.actions.take_agent_job import take_agent_job
from turns.job_ends import JobEnd
from turns.lane_link import Orders
from turns.models import AgentJob
from turns.state import JobKind

from .rollup_stage import RollupStage, answering

pytestmark = pytest.mark.django_db(transaction=True)

BUILDER, TODAY = "agent:builder", date(2026, 11, 30)
QUIET_SECONDS = 5 * 60.0


def waiting() -> int:
    return RollupSource.objects.filter(rolled_at=None).count()


def turns_done(number: int, clock) -> None:
    for _ in range(number):
        given.completed_turn("builder", clock=clock)


async def test_eight_turns_of_a_lane_are_remembered_when_it_has_been_quiet_and_given_to_the_next(live_room, clock):
    short = answering("I have answered eight times.")
    async with RollupStage(live_room, clock, short) as lane:
        await lane.completes_turns(8)
        await lane.idles()
        assert await in_reader(waiting) == 8
        await lane.idles(QUIET_SECONDS)
        await lane.until(MemoryRecord.objects.exists)
        await lane.completes_turns(1)

    record = await in_reader(MemoryRecord.objects.get)
    assert (record.content, record.day, record.author_id) == ("I have answered eight times.", TODAY, BUILDER)
    assert await in_reader(waiting) == 1
    assert lane.short_processes == ["spawned", "ended"] and short.closed
    assert "[agent_dated_memory]" not in lane.at_work.prompts[-2]
    assert f"[agent_dated_memory]\n- id={record.record_id}" in lane.at_work.prompts[-1]
    assert "date=2026-11-30" in lane.at_work.prompts[-1]
    assert "\n> I have answered eight times.\n" in lane.at_work.prompts[-1]
    job = await in_reader(AgentJob.objects.get)
    assert (job.kind, job.status, job.prompt) == ("rollup", "done", "")


async def test_what_it_uses_is_kept_as_that_of_any_job(live_room, clock):
    short = ScriptedSession("short")
    short.say(Started(), TextDelta("my day"), UsageReported(total_tokens=123), Completed("my day"))
    await in_db(turns_done, 8, clock)
    async with RollupStage(live_room, clock, short) as lane:
        await lane.idles(QUIET_SECONDS)
        await lane.until(MemoryRecord.objects.exists)

    assert (await in_reader(AgentJob.objects.get)).usage == {"totalTokens": 123}


async def test_a_turn_that_comes_meanwhile_is_not_delayed(live_room, clock):
    short = ScriptedSession("short")
    await in_db(turns_done, 8, clock)
    async with RollupStage(live_room, clock, short) as lane:
        await clock.advance(QUIET_SECONDS)
        await lane.passes_until(short.prompted)
        await lane.completes_turns(1)
        assert not await in_reader(MemoryRecord.objects.exists)
        short.answer("of the first eight")
        await lane.until(MemoryRecord.objects.exists)

    assert await in_reader(waiting) == 1


async def test_it_gives_way_to_a_summary_that_others_wait_for_and_is_begun_again(live_room, clock):
    cut_off = ScriptedSession("short")
    await in_db(turns_done, 8, clock)
    async with RollupStage(live_room, clock, cut_off, answering("The summary."), answering("my day")) as lane:
        await clock.advance(QUIET_SECONDS)
        await lane.passes_until(cut_off.prompted)
        asked = await in_db(
            ask_agent_job, BUILDER, JobKind.SUMMARY, "Sum it up.", asked_by="test", is_good=bool, clock=clock
        )
        lane.link.signals.put_nowait(Orders())
        await lane.until(AgentJob.objects.filter(job_id=asked.job_id, status="done").exists)
        await lane.until(MemoryRecord.objects.exists)

    assert cut_off.closed
    given_up = await in_reader(AgentJob.objects.filter(status="failed").get)
    assert (given_up.kind, given_up.error_code) == ("rollup", "SESSION_NOT_AVAILABLE")
    assert not await in_reader(RollupState.objects.filter(failures__gt=0).exists), "no fault of the agent's"
    assert await in_reader(waiting) == 0


async def test_a_lane_with_work_does_not_begin_to_write(live_room, clock):
    await in_db(turns_done, 8, clock)
    clock.tick(QUIET_SECONDS - 100)
    async with RollupStage(live_room, clock, answering("my day")) as lane:
        await lane.idles()
        lane.at_work.say(Started(), TextDelta("half"))
        await lane.begins_turn()
        for _ in range(15):  # past the quiet time, not yet to the limit of a silent turn
            await clock.until_asleep(2)
            await clock.advance(10)
        assert not await in_reader(AgentJob.objects.exists)
        lane.at_work.say(Completed("whole"))
        await lane.idles()
        await lane.idles(QUIET_SECONDS)
        await lane.until(MemoryRecord.objects.exists)

    assert await in_reader(waiting) == 0


async def test_a_stop_in_the_middle_loses_and_doubles_nothing(live_room, clock):
    never = ScriptedSession("short")
    await in_db(turns_done, 8, clock)
    async with RollupStage(live_room, clock, never) as lane:
        await clock.advance(QUIET_SECONDS)
        await lane.passes_until(never.prompted)

    assert never.closed and lane.short_processes == ["spawned", "ended"]
    assert await in_reader(waiting) == 8
    assert not await in_reader(RollupState.objects.exists), "a stop is no failure of the day"
    await one_lane_writes_it(live_room, clock, answering("my day"))


# ---------------------------------------------------------------- the crash table
def batch() -> RollupBatch:
    return build_batch(day_now(BUILDER, TODAY))


def asked(clock) -> str:
    return ask_agent_job(BUILDER, JobKind.ROLLUP, batch().prompt, asked_by=BUILDER, is_good=bool, clock=clock).job_id


def taken(clock) -> str:
    given.a_lane("builder", "dead", clock=clock)
    job_id = asked(clock)
    assert take_agent_job(BUILDER, "dead", job_id=job_id, clock=clock)
    return job_id


def answered(clock) -> None:
    assert end_agent_job(taken(clock), "dead", JobEnd(answer="my day"), clock=clock)


def committed(clock) -> None:
    answered(clock)
    write_rollup(batch(), "my day", agent=given.agent("builder"), clock=clock)


@pytest.mark.parametrize(
    ("last_committed", "prompts"),
    [
        (lambda clock: None, 1),  # before anything was asked
        (asked, 1),  # before the session
        (taken, 1),  # in the session: what it would have said is lost with its process
        (answered, 0),  # with the answer, before it was kept: it is not asked for again
        (committed, 0),
    ],
    ids=["before", "asked", "in the session", "answered", "committed"],
)
async def test_wherever_a_worker_dies_the_next_writes_the_day_once(live_room, clock, last_committed, prompts):
    await in_db(turns_done, 8, clock)
    clock.tick(QUIET_SECONDS)
    await in_db(last_committed, clock)
    short = answering("my day")

    await one_lane_writes_it(live_room, clock, short)

    assert len(short.prompts) == prompts


async def one_lane_writes_it(live_room, clock, short: ScriptedSession) -> None:
    async with RollupStage(live_room, clock, short) as lane:
        await lane.idles()
        await lane.until(MemoryRecord.objects.exists)
        await lane.idles()

    record = await in_reader(MemoryRecord.objects.get)
    assert (record.content, record.status) == ("my day", "active")
    went_into = await in_reader(lambda: list(RollupSource.objects.values_list("record_id", flat=True)))
    assert went_into == [record.pk] * 8
    assert await in_reader(Event.objects.filter(type="memory.remembered").count) == 1
    assert not await in_reader(AgentJob.objects.filter(status__in=["waiting", "taken"]).exists)
