"""`collect`: the answers to an earlier ask, exactly (docs/mcp.md, "collect")."""

import pytest

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.models import ClientCommand, Event
from rooms.transactions import in_reader
from tests import given
from tests.turns.asking_stage import asking_stage
from turns.models import Turn
from turns.queries.members import member_of
from turns.state import TurnStatus

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def stage(live_room, clock):
    async with asking_stage(clock) as stage:
        yield stage


async def pending_ask(stage, *names, **more):
    """An ask that gave nothing yet, since `reviewer` has something else to do; gives that and the message."""
    busy = await stage.do(given.running_turn, "reviewer")
    return busy, (await stage.ask("reviewer", *names, **more))["messageEventId"]


async def in_turn(stage, name):
    """The agent in its next waiting turn: that turn, and who calls out of it."""
    claimed = await stage.do(given.taken_up, name)
    return claimed, await in_reader(member_of, given.last_handle())


async def test_it_waits_for_what_ask_did_not_and_gives_its_answer(stage):
    busy, message = await pending_ask(stage)
    await stage.do(given.finished, busy, "reviewer")
    collecting = await stage.waiting(stage.call("collect", messageEventId=message))
    await stage.do(given.worked_off, "reviewer")
    collected = await collecting

    assert (collected["state"], collected["messageEventId"]) == ("terminal", message)
    assert collected["results"][0]["content"] == "the answer"


async def test_it_gives_the_turns_of_that_message_and_no_others(stage):
    await pending_ask(stage, "scribe")
    other = await stage.ask("scribe", "reviewer")
    collected = await stage.call("collect", messageEventId=other["messageEventId"])

    assert [result["turnId"] for result in collected["results"]] == [result["turnId"] for result in other["results"]]


async def test_an_agent_with_other_turns_to_do_is_told_as_it_stands_now(stage):
    busy, message = await pending_ask(stage)
    collected = await stage.call("collect", messageEventId=message)

    [result] = collected["results"]
    assert (result["status"], result["queuePosition"], result["activeTurnId"]) == ("pending", 1, busy.turn_id)


async def test_it_waits_for_those_that_are_at_it_whatever_others_have_to_do(stage):
    _, message = await pending_ask(stage, "scribe")
    collecting = await stage.waiting(stage.call("collect", messageEventId=message))
    await stage.do(given.worked_off, "scribe")
    reviewer, scribe = (await collecting)["results"]

    assert (reviewer["status"], scribe["content"]) == ("pending", "the answer")


async def test_its_wait_is_bounded_and_cancels_nothing(stage, clock):
    busy, message = await pending_ask(stage, cancelOnTimeout=True)
    await stage.do(given.finished, busy, "reviewer")
    collecting = await stage.waiting(stage.call("collect", messageEventId=message, timeoutMs=3_000))
    await clock.advance(3)

    [result] = (await collecting)["results"]
    assert (result["status"], await stage.status_of(result["turnId"])) == ("pending", TurnStatus.QUEUED)


async def test_it_writes_nothing(stage):
    def rows():
        return [model.objects.count() for model in (Event, Turn, ClientCommand)]

    _, message = await pending_ask(stage)
    before = await in_reader(rows)
    await stage.call("collect", messageEventId=message)

    assert await in_reader(rows) == before


async def test_another_agent_of_the_same_interaction_collects_as_well(stage):
    _, message = await pending_ask(stage, "scribe")
    _, scribe = await in_turn(stage, "scribe")
    collected = await stage.call("collect", member=scribe, messageEventId=message)

    assert [result["target"] for result in collected["results"]] == ["agent:reviewer", "agent:scribe"]


async def test_nobody_waits_for_its_own_turn_nor_for_one_that_waits_for_it(stage):
    """All are in a chain: builder asks reviewer, which asks scribe, which collects what builder has asked."""
    first = await stage.asking("reviewer")
    reviewers, reviewer = await in_turn(stage, "reviewer")
    second = await stage.waiting(stage.ask("scribe", member=reviewer), waits=2)
    scribes, scribe = await in_turn(stage, "scribe")
    notes = []
    for turn in await stage.asked_turns():
        collected = await stage.call("collect", member=scribe, messageEventId=turn.source_event_id)
        notes.append(collected["results"][0]["note"].partition(". Get")[0])
    await stage.do(given.finished, scribes, "scribe")
    await second
    await stage.do(given.finished, reviewers, "reviewer")
    await first

    assert notes == [
        "agent:reviewer waits for you: this ends only after your own turn",
        "This is your own turn",
    ]


async def test_a_message_that_was_not_asked_with_in_this_interaction_is_not_found(stage):
    _, foreign = await pending_ask(stage)
    sent = await stage.call("send", to=["agent:scribe"], content="do it", clientCommandId="1")
    await stage.do(given.worked_off, "scribe")
    await stage.do(given.queued_turn, "scribe")
    _, elsewhere = await in_turn(stage, "scribe")

    for member, message in ((None, sent["messageEventId"]), (None, "evt_none"), (elsewhere, foreign)):
        with pytest.raises(GroupXError) as refused:
            await stage.call("collect", member=member, messageEventId=message)
        assert refused.value.code is ErrorCode.NOT_FOUND
