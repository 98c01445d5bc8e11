"""A trigger refuses every change of a record but the one step that it takes: from active to superseded or retracted.

There is no delete trigger: it would break the flush of test databases. The manager refuses deletion instead.
"""

from django.db import migrations

KEPT = (
    "id", "record_id", "room_id", "author_id", "content", "source_event_id", "source_kind", "supersedes_id", "seq",
    "created_at", "subject_id", "kind",
)  # fmt: skip
TABLES = {
    "memory_is_never_edited": ("memory_memoryrecord", (*KEPT, "scope_type", "scope_id", "agent_memory_type")),
    "identity_is_never_edited": ("memory_identityrecord", KEPT),
}
SAYS = "a record is superseded or retracted, once, and never edited"


def sqlite_trigger(name: str, table: str, columns: tuple[str, ...], says: str) -> str:
    return (
        f"CREATE TRIGGER {name} BEFORE UPDATE ON {table} WHEN OLD.status <> 'active' OR NEW.status = 'active' OR "
        + " OR ".join(f"NEW.{column} IS NOT OLD.{column}" for column in columns)
        + f" BEGIN SELECT RAISE(ABORT, '{says}'); END"
    )


def postgres_trigger(name: str, table: str, columns: tuple[str, ...], says: str) -> str:
    return (
        f"CREATE FUNCTION {name}() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION '{says}'; END $$ LANGUAGE plpgsql; "
        f"CREATE TRIGGER {name} BEFORE UPDATE ON {table} FOR EACH ROW "
        "WHEN (OLD.status <> 'active' OR NEW.status = 'active' OR "
        + " OR ".join(f"NEW.{column} IS DISTINCT FROM OLD.{column}" for column in columns)
        + f") EXECUTE FUNCTION {name}()"
    )


SQLITE_TRIGGERS = {name: sqlite_trigger(name, *of, SAYS) for name, of in TABLES.items()}
POSTGRES_TRIGGERS = {name: postgres_trigger(name, *of, SAYS) for name, of in TABLES.items()}


def add_triggers(apps, schema_editor):
    triggers = SQLITE_TRIGGERS if schema_editor.connection.vendor == "sqlite" else POSTGRES_TRIGGERS
    for trigger in triggers.values():
        schema_editor.execute(trigger)


def drop_triggers(apps, schema_editor):
    for name in TABLES:
        is_sqlite = schema_editor.connection.vendor == "sqlite"
        schema_editor.execute(f"DROP TRIGGER {name}" if is_sqlite else f"DROP FUNCTION {name} CASCADE")


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_records")]
    operations = [migrations.RunPython(add_triggers, drop_triggers)]
