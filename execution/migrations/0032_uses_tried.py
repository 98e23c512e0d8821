"""Whether a correction was tried on what it did is told by its uses, not by clocks. Nothing counts as tried at first: it
is tried once more before it is trusted."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("execution", "0031_corrections_said_as")]

    operations = [
        migrations.AddField(
            model_name="correctionuse",
            name="tried",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
