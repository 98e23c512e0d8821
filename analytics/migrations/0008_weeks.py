from django.db import migrations, models

KEYS = "workflow_id, node_id, edge_id, rung"
SUMS = (
    "steps", "succeeded", "done", "unverified", "retries", "degraded", "wrong", "robot_us", "waited_us",
    "resolve_us", "score_millionths", "recognised", "confidence_millionths",
)  # fmt: skip
# What the days add up to: their rows may be gone, so these sums cannot be made again from the steps.
FILL = (
    f"INSERT INTO step_weeks (week, {KEYS}, {', '.join(SUMS)}) "  # noqa: S608  # nosec B608  our own names
    f"SELECT day / 7, {KEYS}, {', '.join(f'SUM({name})' for name in SUMS)} FROM step_days GROUP BY day / 7, {KEYS}"
)


class Migration(migrations.Migration):

    dependencies = [
        ('analytics', '0007_wrong_acts'),
    ]

    operations = [
        migrations.CreateModel(
            name='StepWeek',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workflow_id', models.CharField(max_length=100)),
                ('node_id', models.CharField(blank=True, max_length=100)),
                ('edge_id', models.CharField(blank=True, max_length=100)),
                ('rung', models.CharField(blank=True, max_length=30)),
                ('steps', models.BigIntegerField(default=0)),
                ('succeeded', models.BigIntegerField(default=0)),
                ('done', models.BigIntegerField(default=0)),
                ('unverified', models.BigIntegerField(default=0)),
                ('retries', models.BigIntegerField(default=0)),
                ('degraded', models.BigIntegerField(default=0)),
                ('wrong', models.BigIntegerField(default=0)),
                ('robot_us', models.BigIntegerField(default=0)),
                ('waited_us', models.BigIntegerField(default=0)),
                ('resolve_us', models.BigIntegerField(default=0)),
                ('score_millionths', models.BigIntegerField(default=0)),
                ('recognised', models.BigIntegerField(default=0)),
                ('confidence_millionths', models.BigIntegerField(default=0)),
                ('week', models.PositiveIntegerField()),
            ],
            options={
                'db_table': 'step_weeks',
                'constraints': [models.UniqueConstraint(fields=('week', 'workflow_id', 'node_id', 'edge_id', 'rung'), name='step_week_once')],
            },
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
