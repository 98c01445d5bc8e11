"""Making the database ready at a start (groupx/database.py, docs/errors.md "In a terminal"). Our contract."""

from pathlib import Path

import pytest
from django.db import connection

from groupx import database
from groupx.kernel.config import parse_config
from groupx.kernel.errors import ErrorCode, GroupXError
from tests.fakes.clock import FakeClock
from tests.locked_database import locked_database, short_patience


@pytest.mark.django_db(transaction=True)
def test_a_database_that_another_program_holds_refuses_the_start_in_words(tmp_path: Path, clock: FakeClock):
    run = parse_config({"agents": {}}, tmp_path / "groupx.json", frozenset())
    with short_patience(), locked_database():
        connection.close()
        with pytest.raises(GroupXError, match="database is locked") as refused:
            database.make_ready(run, clock=clock)
    connection.close()
    assert refused.value.code is ErrorCode.START_FAILED
    assert str(run.database_path) in refused.value.message
