"""Corrections that were learned in another installation say in which."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("execution", "0029_corrections_taught_as")]

    operations = [
        migrations.AddField(
            model_name="learnedcorrection",
            name="elsewhere",
            field=models.CharField(blank=True, max_length=100),
        ),
    ]
