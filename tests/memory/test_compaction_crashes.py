"""The crash table of a compaction (docs/context.md, "How the room is summed up"): its process dies around each commit.

Whoever comes next leaves the room with one summary that stands for the same messages.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from memory.compaction_lease import Database
from memory.models import CompactionLease, Summary
from memory.queries.compaction import LEASE_SECONDS
from rooms.transactions import in_db, in_reader
from tests.loop_steps import begun
from tests.memory.compacting import Scripted, active_summary, said

pytestmark = pytest.mark.django_db(transaction=True)


class SimulatedCrash(BaseException):
    """The process is gone: nothing of it runs any more."""


class DyingProcess:
    """A database that a process can use until it dies: before or after it has committed this action."""

    def __init__(self, action: str, *, after_commit: bool) -> None:
        self._action, self._after_commit = action, after_commit
        self.is_dead = False

    @property
    def database(self) -> Database:
        return Database(read=self._read, write=self._write)

    async def _read[**P, R](self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        self._live()
        return await in_reader(function, *args, **kwargs)

    async def _write[**P, R](self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        self._live()
        is_last = function.__name__ == self._action
        if is_last and not self._after_commit:
            self._die()
        result = await in_db(function, *args, **kwargs)
        if is_last:
            self._die()
        return result

    def _live(self) -> None:
        if self.is_dead:
            raise SimulatedCrash

    def _die(self) -> None:
        self.is_dead = True
        raise SimulatedCrash


def dies(action: str, *, after_commit: bool) -> Any:
    return pytest.param(action, after_commit, id=f"{'after' if after_commit else 'before'}_{action}")


@pytest.mark.parametrize(
    ("action", "after_commit"),
    [
        dies("take_lease", after_commit=False),
        dies("take_lease", after_commit=True),
        dies("ask_for_rollups", after_commit=True),
        dies("replace_summary", after_commit=False),
        dies("replace_summary", after_commit=True),
        dies("give_lease_back", after_commit=False),
    ],
)
async def test_whatever_a_dead_process_left_the_room_is_summed_up_once(live_room, clock, action, after_commit):
    seqs = await in_db(said, 20, clock=clock, content="what was said, at length, " * 20)
    dying = DyingProcess(action, after_commit=after_commit)
    first = Scripted(clock, builder=["by the first"])
    with pytest.raises(SimulatedCrash):
        await first.on(dying.database).compact()
    is_summed_up = action == "give_lease_back" or (action == "replace_summary" and after_commit)
    assert (await in_reader(active_summary) is not None) == is_summed_up

    second = Scripted(clock, reviewer=["by the second"])
    compacting = begun(second.compact())
    if (not is_summed_up and action != "take_lease") or (after_commit and action == "take_lease"):
        for _ in range(int(LEASE_SECONDS)):
            await clock.until_asleep()
            assert second.prompts == [], "the lease of the dead one has not run out"
            await clock.advance(1)
    async with asyncio.timeout(10):
        done = await compacting
    assert done.compacted == (not is_summed_up)

    summary = await in_reader(Summary.objects.get)
    assert (summary.status, summary.from_seq, summary.through_seq) == ("active", 1, seqs[7])
    assert summary.content == ("by the first" if is_summed_up else "by the second")


async def test_a_process_that_dies_between_two_blocks_leaves_nothing_but_a_lease(live_room, clock):
    await in_db(said, 40, clock=clock, content="y" * 5_000)
    dying = DyingProcess("none", after_commit=True)

    def die(_: str) -> None:
        dying.is_dead = True

    first = Scripted(clock, builder=["part 1", die])
    with pytest.raises(SimulatedCrash):
        await first.on(dying.database).compact()
    assert await in_reader(Summary.objects.count) == 0
    assert await in_reader(CompactionLease.objects.count) == 1
