from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("turns", "0006_use_of_older_turns")]
    operations = [migrations.RemoveField("turn", "usage")]
