"""What the page says of memory and identity, and what it does not. Our own contract."""

from memory.vocabulary import MemoryKind
from rooms.queries import events_after
from tests import given

from .node import needs_node, run_in_node

pytestmark = needs_node


def test_what_is_kept_is_told_without_its_text(room, clock) -> None:
    memory_id = given.remembered("secret", clock=clock)
    given.core_memory("builder", "secret", clock=clock)
    conversation = given.sent(given.a_message("builder"), clock=clock).result["correlationId"]
    given.remembered("secret", clock=clock, scope={"type": "correlation", "id": conversation})
    given.retracted(given.superseded(memory_id, "secret", clock=clock), clock=clock)
    given.identified("agent:builder", "secret", clock=clock)
    told = [event.wire() for event in events_after(0, 100) if event.type.startswith(("memory.", "identity."))]

    said = run_in_node("words.mjs", "words.js", [["noticeWords", event, None] for event in told])

    assert said == [
        "remembered something for the room.",
        "remembered something for agent:builder alone.",
        "remembered something for this conversation.",
        "replaced a memory by a new version.",
        "retracted a memory.",
        "noted who agent:builder is.",
    ]
    assert "secret" not in str(told)


def test_the_memory_of_a_day_is_told_as_such_whether_it_is_the_first_of_that_day_or_another() -> None:
    body = {"scope": {"type": "agent", "id": "agent:builder"}, "agentMemoryType": "dated"}
    types = ("memory.remembered", "memory.superseded", "memory.retracted")
    said = run_in_node(
        "words.mjs", "words.js", [["noticeWords", {"type": type_, "body": body}, None] for type_ in types]
    )
    assert said == [*["wrote down what is worth keeping of a day."] * 2, "retracted a memory."]


def test_every_kind_has_its_word() -> None:
    said = run_in_node("words.mjs", "memory_words.js", [["kindWords", kind.value] for kind in MemoryKind])
    assert said == ["Fact", "Decision", "Preference", "Instruction", "Constraint", "Note", "Summary"]


def test_dated_memory_stands_by_its_day_and_without_one_by_the_readers() -> None:
    of_a_day = {"memoryId": "of a day", "day": "2026-11-29", "createdAt": "2026-11-30T20:00:00.000Z"}
    without = {"memoryId": "without", "createdAt": "2026-11-29T20:00:00.000Z"}
    newest = {"memoryId": "newest", "day": "2026-12-01", "createdAt": "2026-12-01T20:00:00.000Z"}
    calls = [["newestDayFirst", [of_a_day, without, newest]], ["dayOfRecord", without]]
    sorted_, day = run_in_node("words.mjs", "memory_days.js", calls, zone="Asia/Shanghai")
    assert [record["memoryId"] for record in sorted_] == ["newest", "without", "of a day"]
    assert day == "2026-11-30"
