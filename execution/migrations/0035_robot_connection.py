"""How the connection to a desktop elsewhere is stands in its robot's row."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("execution", "0034_conditions_of_uses")]

    operations = [
        migrations.AddField(
            model_name="robot",
            name="connection",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
