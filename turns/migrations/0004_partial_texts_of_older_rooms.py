"""What running attempts of an older room had said becomes their first piece, for recovery to keep."""

from django.db import migrations


def make_pieces(apps, schema_editor):
    PartialText = apps.get_model("turns", "PartialText")
    running = apps.get_model("turns", "TurnAttempt").objects.exclude(dispatch_phase="terminal").exclude(partial_text="")
    for attempt in running:
        PartialText.objects.get_or_create(attempt=attempt, position=0, defaults={"text": attempt.partial_text})


class Migration(migrations.Migration):
    dependencies = [("turns", "0003_turns_by_time")]
    operations = [migrations.RunPython(make_pieces, migrations.RunPython.noop)]
