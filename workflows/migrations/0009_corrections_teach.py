from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workflows", "0008_masked_texts")]

    operations = [
        migrations.AddField(
            model_name="correction",
            name="shown_target",
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name="correction",
            name="learned_target",
            field=models.JSONField(default=dict),
        ),
    ]
