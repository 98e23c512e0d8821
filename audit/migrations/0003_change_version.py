"""A run that goes on with another version is recorded as well."""

from importlib import import_module

from django.db import migrations, models


never_changed = import_module("audit.migrations.0002_never_changed")


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0002_never_changed'),
    ]

    operations = [
        migrations.RunPython(never_changed.open_up, never_changed.guard),  # SQLite makes the table anew
        migrations.RemoveConstraint(
            model_name='entry',
            name='audit_verb_known',
        ),
        migrations.AlterField(
            model_name='entry',
            name='verb',
            field=models.CharField(choices=[('login', 'logged in'), ('login_failed', 'log-in failed'), ('logout', 'logged out'), ('token_made', 'made a token'), ('token_revoked', 'revoked a token'), ('start', 'started a run'), ('pause', 'paused a run'), ('resume', 'let a run go on'), ('stop', 'stopped a run'), ('change_version', 'let a run go on with another version'), ('set_mode', 'changed the mode of a run'), ('lift_degraded', 'had a run read in full again'), ('set_continuous_capture', 'switched continuous capture'), ('take_control', 'took control of a run'), ('decide', 'answered a question'), ('look', 'looked at the pictures of a run'), ('teach', 'began to teach'), ('publish', 'published a version'), ('trust', 'changed how far a workflow is trusted'), ('export', 'exported'), ('hold', 'put a run on hold'), ('let_go', 'let go of a held run'), ('retention', 'changed how long runs are kept'), ('added', 'added'), ('changed', 'changed'), ('deleted', 'deleted')], max_length=30),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.CheckConstraint(condition=models.Q(('verb__in', ['login', 'login_failed', 'logout', 'token_made', 'token_revoked', 'start', 'pause', 'resume', 'stop', 'change_version', 'set_mode', 'lift_degraded', 'set_continuous_capture', 'take_control', 'decide', 'look', 'teach', 'publish', 'trust', 'export', 'hold', 'let_go', 'retention', 'added', 'changed', 'deleted'])), name='audit_verb_known'),
        ),
        migrations.RunPython(never_changed.guard, never_changed.open_up),
    ]
