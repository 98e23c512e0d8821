"""SQLite's `INSERT OR REPLACE` deletes the row that was there without asking its triggers: it is refused by one of its
own. A later migration that makes the table anew has to call `guard` again, as that of 0001."""

from django.db import migrations

SQL = (
    "CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit_entries"
    " WHEN EXISTS (SELECT 1 FROM audit_entries WHERE id = NEW.id)"
    " BEGIN SELECT RAISE(ABORT, 'what people did is never changed'); END"
)


def guard(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(SQL, params=None)


def open_up(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER audit_no_replace", params=None)


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]
    operations = [migrations.RunPython(guard, open_up)]
