"""Words of one or two characters are found in the transcript's index too, by the trigrams that begin with them.

SQLite alone: a view of the index's trigrams. The last characters of a text begin trigrams only where something comes
after them, so the index is filled anew (memory/index_follower.py); until then texts are read through as before.
"""

from django.db import migrations

INDEX, TRIGRAMS = "memory_transcript_text", "memory_transcript_trigrams"
SQLITE_VIEW = f"CREATE VIRTUAL TABLE {TRIGRAMS} USING fts5vocab({INDEX}, row)"


def make(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"INSERT INTO {INDEX}({INDEX}) VALUES ('delete-all')")
        schema_editor.execute(SQLITE_VIEW)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TABLE {TRIGRAMS}")


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_summaries_are_never_edited")]
    operations = [migrations.RunPython(make, drop)]
