"""Which workflows a version does: its own, and those inside of it."""

from typing import Any

from django.db import migrations, models


def fill(apps: Any, schema_editor: Any) -> None:
    """Of what is published already. A graph has what it does inside taken in, with the calls of that as well."""
    versions, keys = apps.get_model("workflows", "WorkflowVersion"), dict[str, int]()
    keys.update(apps.get_model("workflows", "Workflow").objects.values_list("workflow_id", "pk"))
    does = versions.does.through
    for version in versions.objects.iterator(chunk_size=20):
        inside = {keys[one] for one in done_by(version.graph) if one in keys}
        rows = [does(workflowversion_id=version.pk, workflow_id=key) for key in {version.workflow_id, *inside}]
        does.objects.bulk_create(rows, ignore_conflicts=True)


def done_by(graph: dict[str, Any]) -> set[str]:
    """The ids of the workflows that its edges do or are proved by."""
    edges = graph.get("edges") or ()
    told = ((e.get("params") if e.get("action_type") == "call_workflow" else e.get("proof")) or {} for e in edges)
    return {one["workflow"] for one in told if isinstance(one.get("workflow"), str)}


class Migration(migrations.Migration):
    dependencies = [("workflows", "0018_proofs")]

    operations = [
        migrations.AddField(
            model_name="workflowversion",
            name="does",
            field=models.ManyToManyField(editable=False, related_name="done_in", to="workflows.workflow"),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
