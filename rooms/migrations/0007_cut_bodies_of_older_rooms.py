"""Long texts of rooms that are older than `cut_body` are shown cut as well."""

from importlib import import_module

from django.db import migrations
from django.db.models import TextField
from django.db.models.functions import Cast, Length

from rooms.envelope import SHOWN_CHARS, shorten_body

trigger = import_module("rooms.migrations.0002_events_are_append_only")


def cut_bodies(apps, schema_editor):
    Event = apps.get_model("rooms", "Event")
    stored = Event.objects.annotate(stored_chars=Length(Cast("body", TextField())))
    long_ones = list(stored.filter(cut_body__isnull=True, stored_chars__gt=SHOWN_CHARS).values_list("pk", flat=True))
    if not long_ones:
        return
    trigger.drop_trigger(apps, schema_editor)  # it refuses every update; what an event says stays as it is
    for pk in long_ones:  # one by one: each may have megabytes
        event = Event.objects.get(pk=pk)
        shown = shorten_body(event.body)
        if shown is not event.body:
            Event.objects.filter(pk=pk).update(cut_body=shown)
    trigger.add_trigger(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [("rooms", "0006_events_by_time")]
    operations = [migrations.RunPython(cut_bodies, migrations.RunPython.noop)]
