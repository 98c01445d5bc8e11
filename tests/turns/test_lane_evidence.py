"""A lane keeps what its turns show of their agent, and writes nothing when they show nothing new."""

from pathlib import Path

import pytest

from adapters.contract import AgentSpec, Cancelled, Capability, Completed, Evidence, Started, TextDelta
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedSession
from tests.fakes.clock import settle
from tests.turns.native_turn_stage import NativeTurnStage
from tests.turns.stage import LaneStage
from turns.models import CapabilityEvidence, CliVersion

pytestmark = pytest.mark.django_db(transaction=True)
SPEC = AgentSpec(agent_id="builder", driver="kimi", argv=("kimi",), cwd=Path("/tmp"))


def known(evidence: str = "verified") -> set[str]:
    return set(CapabilityEvidence.objects.filter(evidence=evidence).values_list("capability", flat=True))


def stream(session: ScriptedSession) -> None:
    session.say(Started(), TextDelta("two "), TextDelta("pieces"), Completed("two pieces"))


async def test_a_turn_raises_what_it_shows(live_room, clock):
    session = ScriptedSession()
    stream(session)
    async with LaneStage(live_room, "builder", session, spec=SPEC) as lane:
        await lane.status_of(await in_db(given.queued_turn, "builder", clock=clock), "completed")
        await lane.until(lambda: known() == {"prompt", "stream"})
    cli = await in_reader(lambda: CliVersion.objects.get())
    assert (cli.driver, cli.program, cli.version) == ("kimi", "scripted", "1")


async def test_a_turn_that_shows_nothing_new_writes_nothing(live_room, clock):
    session = ScriptedSession()
    stream(session)
    async with LaneStage(live_room, "builder", session, spec=SPEC) as lane:
        await lane.status_of(await in_db(given.queued_turn, "builder", clock=clock), "completed")
        await lane.until(lambda: known() == {"prompt", "stream"})
        await in_db(lambda: CapabilityEvidence.objects.all().delete())
        stream(session)
        await lane.status_of(await in_db(given.queued_turn, "builder", clock=clock), "completed")
    assert await in_reader(known) == set(), "the lane remembers what it has kept"


async def test_a_cancel_that_the_agent_confirms_is_kept(live_room, clock):
    session = ScriptedSession()
    session.answers_cancel_with = Cancelled()
    session.say(Started())
    async with LaneStage(live_room, "builder", session, spec=SPEC) as lane:
        turn_id = await in_db(given.queued_turn, "builder", clock=clock)
        await lane.status_of(turn_id, "running")
        await in_db(given.cancelled, turn_id, clock=clock)
        await lane.until(lambda: known() == {"cancel"})


@pytest.mark.parametrize(("is_certain", "seen"), [(True, {Capability.CANCEL: Evidence.VERIFIED}), (False, {})])
async def test_an_end_that_may_have_come_by_itself_proves_no_cancel(clock, is_certain, seen):
    session = ScriptedSession()
    session.answers_cancel_with = Cancelled(is_certain=is_certain)
    async with NativeTurnStage(clock, session) as stage:
        session.say(Started())
        await settle()
        stage.control.cancel("turn_1")
        assert (await stage.outcome()).seen == seen


async def test_a_turn_that_nobody_cancelled_proves_no_cancel(clock):
    async with NativeTurnStage(clock) as stage:
        stage.session.say(Started(), Cancelled())
        assert Capability.CANCEL not in (await stage.outcome()).seen
