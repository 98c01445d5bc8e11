"""Making the database ready at a start (groupx/database.py, docs/errors.md "In a terminal"). Our contract."""

import json
from pathlib import Path

import pytest
from django.db import IntegrityError, connection

from groupx import database
from groupx.kernel.config_file import parse_config
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.envelope import SHOWN_CHARS
from rooms.models import Event
from rooms.queries import events_after, one_event_json
from tests.fakes.clock import FakeClock
from tests.groupx.kept_rooms import execute, write_first_version
from tests.locked_database import locked_database, short_patience
from turns.partial_text import kept_text
from turns.queries.turns import turn_in_full


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


LONG = "你好" + "long " * 60_000
AT = "2026-01-01 00:00:00"
LONG_EVENT = f"""INSERT INTO rooms_event (event_id, room_id, seq, type, actor_id, actor_name, "to", correlation_id,
    root_correlation_id, source_kind, body, occurred_at) VALUES ('evt_long', 'room:main', 2, 'message.created',
    'user:web', 'You', '[]', 'corr_2', 'corr_2', 'web', '{json.dumps({"content": LONG})}', '{AT}')"""
RUNNING_TURN = f"""INSERT INTO turns_turn (turn_id, status, transport, enqueue_seq, correlation_id, root_correlation_id,
    hop_count, command_type, error_code, message, stop_reason, usage, created_at, room_id, source_event_id, target_id)
    VALUES ('turn_1', 'running', 'structured', 1, 'corr_1', 'corr_1', 0, 'message', '', '', '', '{{}}', '{AT}',
    'room:main', 'evt_old', 'user:web')"""
RUNNING_ATTEMPT = f"""INSERT INTO turns_turnattempt (attempt_id, number, lane_token, dispatch_phase, delivery_certainty,
    context_through_seq, partial_text, cancel_steps, prepared_at, turn_id) VALUES ('att_1', 1, 'token',
    'native_started', 'delivered', 1, 'so far', '[]', '{AT}', 'turn_1')"""


@pytest.mark.django_db(transaction=True)
def test_long_texts_of_an_older_room_are_cut_as_well_and_its_events_stay_append_only(tmp_path: Path):
    path = tmp_path / "old.db"
    write_first_version(path)
    execute(path, LONG_EVENT, "UPDATE rooms_room SET last_seq = 2")
    with database.using(path):
        assert database.migrate()
        short, long = events_after(0, 10)
        assert short.body == {"content": "old"}
        assert (long.body["content"], long.body["fullLength"]) == (LONG[:SHOWN_CHARS], len(LONG))
        assert json.loads(one_event_json("evt_long"))["body"] == {"content": LONG}
        with pytest.raises(IntegrityError, match="append-only"), connection.cursor() as cursor:
            cursor.execute("UPDATE rooms_event SET type = 'turn.failed'")
        assert Event.objects.filter(cut_body__isnull=True).count() == 1


USED = '{"input_tokens": 9, "output_tokens": 2, "cost_usd": 0.5, "total_tokens": "many", "context_used": 1e400}'
ENDED_TURNS = f"""INSERT INTO turns_turn (turn_id, status, transport, enqueue_seq, correlation_id, root_correlation_id,
    hop_count, command_type, error_code, message, stop_reason, usage, created_at, ended_at, room_id, source_event_id,
    target_id) VALUES ('turn_told', 'completed', 'structured', 1, 'corr_1', 'corr_1', 0, 'message', '', '', '',
    '{USED}', '{AT}', '{AT}', 'room:main', 'evt_old', 'user:web'), ('turn_untold', 'failed', 'structured', 2, 'corr_1',
    'corr_1', 0, 'message', '', '', '', '{{}}', '{AT}', '{AT}', 'room:main', 'evt_old', 'system:groupx')"""


@pytest.mark.django_db(transaction=True)
def test_what_turns_of_an_older_room_had_used_is_kept_as_far_as_it_can_be(tmp_path: Path):
    path = tmp_path / "old.db"
    write_first_version(path)
    execute(path, ENDED_TURNS)
    with database.using(path):
        database.migrate()
        told = {name: value for name, value in turn_in_full("turn_told")["usage"].items() if value is not None}
        assert told == {"inputTokens": 9, "outputTokens": 2, "totalTokens": 11, "costUsd": 0.5}
        assert set(turn_in_full("turn_untold")["usage"].values()) == {None}


@pytest.mark.django_db(transaction=True)
def test_what_a_running_attempt_of_an_older_room_had_said_is_kept(tmp_path: Path):
    path = tmp_path / "old.db"
    write_first_version(path)
    execute(path, RUNNING_TURN, RUNNING_ATTEMPT)
    with database.using(path):
        database.migrate()
        assert kept_text("att_1") == "so far"
