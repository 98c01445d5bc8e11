"""Each real CLI remembers, sums up the room and writes its day, against a scripted model on loopback (docs/memory.md).

One room per CLI for the whole module; the tests tell one story and run in their order.
"""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live.capabilities import Capability
from tests.live.recipes import Recipe, room_call
from tests.live.stage import TURN_SECONDS, Stage, opened_stage
from tests.running_room import scripted
from tests.waiting import wait_until

pytestmark = pytest.mark.live
CONTEXT_CHARACTERS = 20_000
LONG = "It was talked about at length. " * 100
MORE_THAN_FITS = 8


@pytest.fixture(scope="module")
def stage(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp(recipe.driver)
    beside = {"scribe": scripted("scribe", folder)}
    limits = {"contextCharacters": CONTEXT_CHARACTERS}
    with opened_stage(recipe, folder, beside, limits=limits) as opened:
        yield opened


@pytest.mark.capability(Capability.REMEMBERS)
def test_it_keeps_core_memory_which_stands_in_its_next_packet(stage):
    keeping = room_call(
        "core_memory_remember", kind="preference", content="I prefer small steps.", clientCommandId=uuid.uuid4().hex
    )
    turn = stage.say(f"NOTES:small steps were asked for\n{keeping}\nSAY:kept")
    assert (turn["status"], turn["answer"].strip()) == ("completed", "kept")

    [kept] = stage.room.get("/api/memory?agentMemoryType=core")["items"]
    assert (kept["content"], kept["authorActorId"]) == ("I prefer small steps.", "agent:agent")
    packet = packet_of(stage, stage.say("SAY:here"))
    assert "> I prefer small steps." in packet.partition("[agent_core_memory]")[2]


@pytest.mark.capability(Capability.SUMS_UP)
def test_it_sums_up_the_room_before_a_turn_that_cannot_be_given_all(stage):
    for number in range(MORE_THAN_FITS):
        answer = stage.room.send("scribe", content=f"NOTES:decision {number} stands\n{LONG}")
        stage.room.until_turn(stage.room.turn(answer), "completed")

    turn = stage.say("SAY:done")

    assert (turn["status"], turn["answer"].strip()) == ("completed", "done")
    told = [event for event in stage.reader.transient if event["type"].startswith("context.compaction.")]
    *parts, end = [(event["type"].rpartition(".")[2], event["body"].get("actorId")) for event in told]
    assert {event["body"]["turnId"] for event in told} == {turn["turnId"]}
    assert set(parts) == {("started", "agent:agent")}, "the first of the roster writes all parts"
    assert end[0] == "completed"
    summary = packet_of(stage, turn).partition("[room_checkpoint_summary]")[2].partition("\n[")[0]
    assert "> NOTES:small steps were asked for; decision 0 stands; decision 1 stands" in summary
    assert LONG not in summary
    assert_asked_without_the_rooms_tools(stage, "[groupx_summary]")


@pytest.mark.capability(Capability.DAYS)
def test_it_writes_its_day_down_before_the_room_forgets_it(stage):
    def look() -> list[dict[str, Any]]:
        return stage.room.get("/api/memory?agentMemoryType=dated&scopeType=agent&scopeId=agent:agent")["items"]

    [day] = wait_until(look, timeout_seconds=TURN_SECONDS, what="a day of dated memory")

    assert (day["content"], day["authorActorId"]) == ("NOTES:small steps were asked for", "agent:agent")
    assert_asked_without_the_rooms_tools(stage, "[groupx_dated_memory]")
    packet = packet_of(stage, stage.say("SAY:once more"))
    assert "> NOTES:small steps were asked for" in packet.partition("[agent_dated_memory]")[2].partition("\n[")[0]
    assert stage.sessions() == 1, "short sessions are none of the room's"


def packet_of(stage: Stage, turn: dict[str, Any]) -> str:
    text: str = stage.room.get(f"/api/turns/{turn['turnId']}/packet")["text"]
    return text


def assert_asked_without_the_rooms_tools(stage: Stage, begin: str) -> None:
    asked = [request for request in stage.model.requests if begin in request.get("asked", "")]
    assert asked
    assert [tool for request in asked for tool in request["tools"] if "memory_remember" in tool] == []
