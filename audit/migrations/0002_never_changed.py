"""The database itself refuses to change or delete what people did, whoever asks it. A later migration that alters the
table on SQLite makes it anew, without its triggers: such a one has to call `guard` again."""

from django.db import migrations

SAID = "what people did is never changed"
SQLITE = (
    "CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit_entries BEGIN SELECT RAISE(ABORT, '{said}'); END",
    "CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit_entries BEGIN SELECT RAISE(ABORT, '{said}'); END",
)
POSTGRESQL = (
    "CREATE FUNCTION audit_refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION '{said}'; END $$ LANGUAGE plpgsql",
    "CREATE TRIGGER audit_never_changed BEFORE UPDATE OR DELETE ON audit_entries"
    " FOR EACH ROW EXECUTE FUNCTION audit_refuse()",
)
BACK = {
    "sqlite": ("DROP TRIGGER audit_no_update", "DROP TRIGGER audit_no_delete"),
    "postgresql": ("DROP TRIGGER audit_never_changed ON audit_entries", "DROP FUNCTION audit_refuse()"),
}


def guard(apps, schema_editor):
    for sql in {"sqlite": SQLITE, "postgresql": POSTGRESQL}.get(schema_editor.connection.vendor, ()):
        schema_editor.execute(sql.format(said=SAID), params=None)


def open_up(apps, schema_editor):
    for sql in BACK.get(schema_editor.connection.vendor, ()):
        schema_editor.execute(sql, params=None)


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]
    operations = [migrations.RunPython(guard, open_up)]
