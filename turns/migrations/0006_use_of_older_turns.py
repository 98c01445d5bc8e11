"""What turns of an older room had used moves into rows that can be summed."""

from django.db import migrations

from adapters.contract import UsageReported
from turns.usage import sound_figures, usage_told

FIGURES = ("input_tokens", "output_tokens", "total_tokens", "cost_usd", "context_used", "context_size")
ROWS_AT_ONCE = 500


def move_use(apps, schema_editor):
    TurnUsage = apps.get_model("turns", "TurnUsage")
    turns = apps.get_model("turns", "Turn").objects.exclude(usage={}).filter(ended_at__isnull=False, used=None)
    rows = []
    for turn in turns.only("turn_id", "target_id", "ended_at", "usage").iterator(chunk_size=ROWS_AT_ONCE):
        known = {name: turn.usage[name] for name in FIGURES if isinstance(turn.usage.get(name), int | float)}
        told = usage_told(sound_figures(UsageReported(**known)))
        if told is not None:
            rows.append(TurnUsage(turn=turn, actor_id=turn.target_id, ended_at=turn.ended_at, **told.model_dump()))
    TurnUsage.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)


class Migration(migrations.Migration):
    dependencies = [("turns", "0005_use_and_pauses")]
    operations = [migrations.RunPython(move_use, migrations.RunPython.noop)]
