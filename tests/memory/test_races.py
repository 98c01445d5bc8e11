"""Two who supersede one record at once: the database lets one of them through (real connections, real SQLite)."""

from memory.models import MemoryRecord
from rooms.models import Event
from tests import given
from tests.at_once import at_once


def test_of_two_who_supersede_a_record_at_once_one_wins_and_the_other_is_told(live_room, clock):
    memory_id = given.remembered("old", clock=clock)
    outcomes = at_once(
        *[lambda content=content: given.superseded(memory_id, content, clock=clock) for content in ("one", "other")]
    )
    assert sorted(outcome.startswith("mem_") for outcome in outcomes) == [False, True]
    assert "STORE_CONFLICT" in outcomes
    assert MemoryRecord.objects.filter(supersedes__record_id=memory_id).count() == 1
    assert Event.objects.filter(type="memory.superseded").count() == 1
