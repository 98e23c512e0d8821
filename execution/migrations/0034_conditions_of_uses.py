"""The conditions that corrections were used under are kept with each use, and under which they are trusted.

Nobody kept those of earlier uses. They count for the conditions that their correction was learned under: it was trusted
there by all of them, and nowhere else.
"""

from typing import Any

from django.db import migrations, models


def as_they_counted(apps: Any, schema_editor: Any) -> None:
    corrections = apps.get_model("execution", "LearnedCorrection")
    uses = apps.get_model("execution", "CorrectionUse")
    for row in corrections.objects.exclude(kind="way").iterator(chunk_size=200):
        uses.objects.filter(correction=row).update(conditions=row.conditions)
        if row.state in ("on_trial", "trusted"):
            under = row.conditions if row.kind != "params" else {}
            row.proved = [{**under, "runs": row.streak, "trusted": row.state == "trusted"}]
            row.save(update_fields=["proved"])


class Migration(migrations.Migration):
    dependencies = [("execution", "0033_places")]

    operations = [
        migrations.AddField(
            model_name="learnedcorrection", name="proved", field=models.JSONField(blank=True, db_default=[], default=list)
        ),
        migrations.AddField(
            model_name="correctionuse", name="conditions", field=models.JSONField(blank=True, db_default={}, default=dict)
        ),
        migrations.RunPython(as_they_counted, migrations.RunPython.noop),
    ]
