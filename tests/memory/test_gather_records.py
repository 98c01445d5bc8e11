"""Which memory and identity an agent is given (docs/context.md, "Memory and identity")."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.gather import gather_packet_inputs
from memory.gather_records import MOST_OF_EACH, NEWEST_OF_THE_ROOM
from memory.packet import build_packet
from rooms.queries import last_seq
from tests import given


def gathered(clock, content: str = "now", name: str = "builder", **changes):
    sent = given.sent(given.a_message(name, content=content), clock=clock).result
    facts = {
        "target_id": f"agent:{name}",
        "source": sent["messageEventId"],
        "root_correlation_id": sent["correlationId"],
        "given_through_seq": last_seq(),
        "through_seq": last_seq(),
        "max_chars": 100_000,
    }
    return gather_packet_inputs(**(facts | changes))


def texts(records) -> list[str]:
    return [record.content for record in records]


def test_an_agent_is_given_the_rooms_memory_and_its_own_and_nothing_of_another_ones(room, clock):
    given.remembered("of the room", clock=clock)
    given.core_memory("builder", "of builder", clock=clock)
    given.core_memory("reviewer", "of reviewer", clock=clock)

    inputs = gathered(clock)

    assert texts(inputs.core_memory) == ["of builder"]
    assert texts(inputs.pinned_memory) == ["of the room"]
    assert "of reviewer" not in build_packet(inputs).text


def test_instructions_and_constraints_of_the_room_come_first_then_the_newest(room, clock):
    for content, kind in (("c1", "constraint"), ("f1", "fact"), ("i1", "instruction"), ("f2", "fact")):
        given.remembered(content, clock=clock, kind=kind)
    assert texts(gathered(clock).pinned_memory) == ["i1", "c1", "f2", "f1"]


def test_what_is_superseded_or_retracted_is_given_to_nobody(room, clock):
    given.superseded(given.remembered("old", clock=clock), "new", clock=clock)
    given.retracted(given.remembered("gone", clock=clock), clock=clock)
    assert texts(gathered(clock).pinned_memory) == ["new"]


def test_what_came_after_the_frozen_seq_is_not_given(room, clock):
    given.remembered("before", clock=clock)
    through = last_seq()
    given.remembered("after", clock=clock)
    given.core_memory("builder", "mine, after", clock=clock)
    given.identified("agent:builder", "said after", clock=clock)

    inputs = gathered(clock, through_seq=through)

    assert texts(inputs.pinned_memory) == ["before"]
    assert not inputs.core_memory and not inputs.user_identity


def test_the_memory_of_a_conversation_reaches_the_turns_of_that_conversation_alone(room, clock):
    sent = given.sent(given.a_message("builder", content="one"), clock=clock).result
    given.remembered("only here", clock=clock, scope={"type": "correlation", "id": sent["correlationId"]})

    here = gathered(clock, "two", root_correlation_id=sent["correlationId"])

    assert texts(here.relevant_memory) == ["only here"]
    assert not gathered(clock, "another").relevant_memory


def test_identity_is_told_apart_by_who_has_said_it(room, clock):
    for who in ("builder", "reviewer"):
        caller = given.an_agent_that_calls(who, clock=clock)
        given.identified("agent:builder", f"by {who}", clock=clock, caller=caller)
    given.identified("agent:builder", "by you", clock=clock)
    given.identified("agent:reviewer", "of reviewer", clock=clock)

    inputs = gathered(clock)

    assert texts(inputs.self_identity) == ["by builder"]
    assert texts(inputs.user_identity) == ["by you"]
    assert texts(inputs.observed_identity) == ["by reviewer"]
    assert inputs.observed_identity[0].source == "agent:reviewer-about-agent:builder"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Why does the Quokka-Cache fail?", ["the quokka-cache is cleared on Mondays"]),
        ("数据库迁移为什么失败？", ["每次发布之前先备份数据库"]),
        ("short", []),
        ("?!", []),
    ],
)
def test_where_the_room_keeps_much_the_message_decides_what_else_is_given(content, expected, room, clock):
    given.remembered("the quokka-cache is cleared on Mondays", clock=clock)
    given.remembered("每次发布之前先备份数据库", clock=clock)
    for n in range(NEWEST_OF_THE_ROOM + 1):
        given.remembered(f"filler {n}", clock=clock)

    inputs = gathered(clock, content)

    assert texts(inputs.relevant_memory) == expected
    assert len(inputs.pinned_memory) == NEWEST_OF_THE_ROOM
    assert inputs.more_room_memory == 3 - len(expected)
    assert f"{3 - len(expected)} memories are not in this packet" in build_packet(inputs).text


def test_more_than_can_be_looked_at_is_counted(room, clock):
    for n in range(MOST_OF_EACH + 2):
        given.core_memory("builder", f"core {n}", clock=clock)
        given.identified("agent:builder", f"identity {n}", clock=clock)
    inputs = gathered(clock)
    assert (inputs.more_core_memory, inputs.more_identity) == (2, 2)
    omissions = build_packet(inputs).omissions
    assert (omissions["coreMemory"], omissions["identity"]) == (2, 2)


def test_a_room_that_keeps_little_looks_for_no_words(room, clock):
    given.remembered("a fact", clock=clock)
    with CaptureQueriesContext(connection) as asked:
        gathered(clock, "a fact, then")
    reads = [query["sql"] for query in asked.captured_queries if "memory_" in query["sql"]]
    assert reads and not [sql for sql in reads if "MATCH" in sql or "COUNT" in sql]
