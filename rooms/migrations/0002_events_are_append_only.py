"""A trigger refuses updates of events.

There is no delete trigger: it would break the flush of test databases. The manager refuses deletion instead.
"""

from django.db import migrations

SQLITE_TRIGGER = """
CREATE TRIGGER events_are_append_only BEFORE UPDATE ON rooms_event
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END
"""
POSTGRES_TRIGGER = """
CREATE FUNCTION refuse_event_update() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION 'events are append-only'; END $$ LANGUAGE plpgsql;
CREATE TRIGGER events_are_append_only BEFORE UPDATE ON rooms_event
FOR EACH ROW EXECUTE FUNCTION refuse_event_update()
"""


def add_trigger(apps, schema_editor):
    schema_editor.execute(SQLITE_TRIGGER if schema_editor.connection.vendor == "sqlite" else POSTGRES_TRIGGER)


def drop_trigger(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER events_are_append_only")
    else:
        schema_editor.execute("DROP FUNCTION refuse_event_update CASCADE")


class Migration(migrations.Migration):
    dependencies = [("rooms", "0001_initial")]
    operations = [migrations.RunPython(add_trigger, drop_trigger)]
