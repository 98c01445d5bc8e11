"""Triggers for summaries, and anew for memory, which has a day now: SQLite forgets those of a table that is changed."""

from importlib import import_module

from django.db import migrations

_records = import_module("memory.migrations.0002_records_are_never_edited")
_full_text = import_module("memory.migrations.0003_full_text")

SUMMARY = (
    "id", "summary_id", "room_id", "writer_id", "from_seq", "through_seq", "content", "supersedes_id", "created_at",
)  # fmt: skip
MEMORY = "memory_is_never_edited"
TABLES = {
    MEMORY: (_records.TABLES[MEMORY][0], (*_records.TABLES[MEMORY][1], "day")),
    "summary_is_never_edited": ("memory_summary", SUMMARY),
}
SAYS = "what is kept is superseded or retracted, once, and never edited"
GROWS = "memory_record_text_grows"


SQLITE_TRIGGERS = {name: _records.sqlite_trigger(name, *of, SAYS) for name, of in TABLES.items()}
POSTGRES_TRIGGERS = {name: _records.postgres_trigger(name, *of, SAYS) for name, of in TABLES.items()}


def make(apps, schema_editor):
    drop(apps, schema_editor)
    is_sqlite = schema_editor.connection.vendor == "sqlite"
    for trigger in (SQLITE_TRIGGERS if is_sqlite else POSTGRES_TRIGGERS).values():
        schema_editor.execute(trigger)
    if is_sqlite:
        schema_editor.execute(_full_text.SQLITE_TRIGGERS[GROWS])


def drop(apps, schema_editor):
    is_sqlite = schema_editor.connection.vendor == "sqlite"
    for name in (*TABLES, GROWS) if is_sqlite else TABLES:
        schema_editor.execute(
            f"DROP TRIGGER IF EXISTS {name}" if is_sqlite else f"DROP FUNCTION IF EXISTS {name} CASCADE"
        )


class Migration(migrations.Migration):
    dependencies = [("memory", "0004_context_and_days")]
    operations = [migrations.RunPython(make, drop)]
