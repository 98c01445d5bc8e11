"""What searches look into: trigrams, which know no language and so find parts of words and texts without spaces.

SQLite: FTS5 tables that keep no text of their own. Records enter theirs by a trigger. That of the transcript is filled
while the room is quiet (memory/index_follower.py), also with what an older room has said.
PostgreSQL: indexes of pg_trgm, which fill themselves.
"""

from django.db import migrations

RECORDS = {"memory_record_text": "memory_memoryrecord", "memory_identity_text": "memory_identityrecord"}
TRANSCRIPT = "memory_transcript_text"
SQLITE_TRIGGERS = {
    f"{index}_grows": (
        f"CREATE TRIGGER {index}_grows AFTER INSERT ON {table} "
        f"BEGIN INSERT INTO {index}(rowid, content) VALUES (NEW.id, NEW.content); END"
    )
    for index, table in RECORDS.items()
}
SQLITE_CATCH_UP = [
    f"INSERT INTO {index}(rowid, content) SELECT id, content FROM {table} "
    f"WHERE id NOT IN (SELECT id FROM {index}_docsize) ORDER BY id"
    for index, table in RECORDS.items()
]
"""For a database that has lost its triggers for a while."""
POSTGRES = """
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX memory_record_text ON memory_memoryrecord USING gin (upper(content) gin_trgm_ops);
CREATE INDEX memory_identity_text ON memory_identityrecord USING gin (upper(content) gin_trgm_ops);
CREATE INDEX memory_transcript_text ON rooms_event
    USING gin (upper(coalesce(cut_body ->> 'content', body ->> 'content')) gin_trgm_ops)
    WHERE type IN ('message.created', 'operator.dispatch');
"""


def make(apps, schema_editor):
    if schema_editor.connection.vendor != "sqlite":
        schema_editor.execute(POSTGRES)
        return
    for index in RECORDS:
        schema_editor.execute(f"CREATE VIRTUAL TABLE {index} USING fts5(content, content='', tokenize='trigram')")
    for trigger in SQLITE_TRIGGERS.values():
        schema_editor.execute(trigger)
    # Which trigrams a message has, not where: less than half as large, and what is found is looked at anyway.
    schema_editor.execute(
        f"CREATE VIRTUAL TABLE {TRANSCRIPT} USING fts5(content, content='', tokenize='trigram', detail=none)"
    )
    # Parts are merged in small steps by whoever fills it: left to SQLite, some commit would take a tenth of a second.
    schema_editor.execute(f"INSERT INTO {TRANSCRIPT}({TRANSCRIPT}, rank) VALUES ('automerge', 0)")
    schema_editor.execute(f"INSERT INTO {TRANSCRIPT}({TRANSCRIPT}, rank) VALUES ('crisismerge', 64)")


def drop(apps, schema_editor):
    if schema_editor.connection.vendor != "sqlite":
        for index in (*RECORDS, TRANSCRIPT):
            schema_editor.execute(f"DROP INDEX {index}")
        return
    for trigger in SQLITE_TRIGGERS:
        schema_editor.execute(f"DROP TRIGGER {trigger}")
    for index in (*RECORDS, TRANSCRIPT):
        schema_editor.execute(f"DROP TABLE {index}")


class Migration(migrations.Migration):
    dependencies = [("memory", "0002_records_are_never_edited"), ("rooms", "0004_cut_bodies")]
    operations = [migrations.RunPython(make, drop)]
