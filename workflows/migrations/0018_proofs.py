from django.db import migrations, models

import workflows.models.graph


class Migration(migrations.Migration):
    dependencies = [("workflows", "0017_places")]

    operations = [
        migrations.AddField(
            model_name="edge",
            name="proof",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text="Without it what the screen shows after the action is all that says that it was done.",
                validators=[workflows.models.graph.proving],
                verbose_name="proved by",
            ),
        ),
    ]
