"""Two who supersede one record at once: the database lets one of them through (real connections, real SQLite)."""

import threading
from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from groupx.kernel.errors import GroupXError
from memory.models import MemoryRecord
from rooms.models import Event
from tests import given


def test_of_two_who_supersede_a_record_at_once_one_wins_and_the_other_is_told(live_room, clock):
    memory_id = given.remembered("old", clock=clock)
    start = threading.Barrier(2)

    def supersede(content: str) -> str:
        try:
            connection.ensure_connection()
            start.wait(timeout=10)
            return given.superseded(memory_id, content, clock=clock)
        except GroupXError as error:
            return error.code.value
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as both:
        outcomes = list(both.map(supersede, ["one", "other"]))

    assert sorted(outcome.startswith("mem_") for outcome in outcomes) == [False, True]
    assert "STORE_CONFLICT" in outcomes
    assert MemoryRecord.objects.filter(supersedes__record_id=memory_id).count() == 1
    assert Event.objects.filter(type="memory.superseded").count() == 1
