from typing import Any

from django.db import migrations, models

from execution.models.learning import said_as


def as_they_are(apps: Any, schema_editor: Any) -> None:
    """What each says by now: what is no longer kept of it nobody can tell."""
    for row in apps.get_model("execution", "LearnedCorrection").objects.exclude(kind="way").iterator():
        row.said_as = said_as(row.kind, row.payload)
        row.save(update_fields=["said_as"])


class Migration(migrations.Migration):
    dependencies = [("execution", "0030_learned_elsewhere")]

    operations = [
        migrations.AddField(
            model_name="learnedcorrection",
            name="said_as",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=32),
        ),
        migrations.RunPython(as_they_are, migrations.RunPython.noop),
    ]
