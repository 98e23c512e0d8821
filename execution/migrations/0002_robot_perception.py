from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('execution', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='robot',
            name='perception',
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
