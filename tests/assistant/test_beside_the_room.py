"""What the person and the assistant say to each other stays between the two: no event, no turn, in no table of the log.
That no prompt carries it: tests/turns/test_markers.py. Our contract (docs/context.md)."""

import pytest
from django.db import connection

from assistant.actions.ask_question import ask_question
from assistant.actions.end_question import end_question
from assistant.actions.take_over import take_over
from assistant.actions.take_question import take_question
from assistant.state import QuestionEnd, QuestionState
from rooms.queries import last_seq
from tests import given
from turns.models import Turn

pytestmark = pytest.mark.django_db(transaction=True)
WORD = "xylophone"


def tables_with(word: str) -> set[str]:
    """Every column of every table, as text; the index of words too."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            columns = [column.name for column in connection.introspection.get_table_description(cursor, table)]
            said = " OR ".join(f'CAST("{column}" AS TEXT) LIKE %s' for column in columns)
            cursor.execute(f'SELECT 1 FROM "{table}" WHERE {said} LIMIT 1', [f"%{word}%"] * len(columns))
            if cursor.fetchone():
                found.add(table)
    return found


def test_a_side_conversation_is_in_no_table_but_its_own(live_room, clock):
    take_over("brain", "handle", driver="acp", cwd="/tmp", pid=1, clock=clock)
    log_before = last_seq()
    answered = QuestionEnd(state=QuestionState.ANSWERED, answer=f"{WORD}: done")
    failed = QuestionEnd(state=QuestionState.FAILED, error_code="NATIVE_EXITED", message=f"{WORD}: died")
    for command_id, end in (("1", answered), ("2", failed)):
        ask_question(command_id, f"where is the {WORD}?", clock=clock)
        take_question("brain", clock=clock)
        end_question(command_id, "brain", end, clock=clock)

    assert tables_with(WORD) == {"assistant_assistantmessage"}
    assert (last_seq(), Turn.objects.count()) == (log_before, 0)

    given.queued_turn("builder", clock=clock, content=f"a {WORD} in the room")
    assert len(tables_with(WORD)) > 1, "where it is said in the room, it is found there"
