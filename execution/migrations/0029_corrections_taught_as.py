from typing import Any

from django.db import migrations, models

from execution.learning.taught_as import taught_as
from workflows.graph import GraphSpec


def of_their_versions(apps: Any, schema_editor: Any) -> None:
    """What each was learned of, from the version that it was learned in, which is as it was. Where that is gone nothing
    is kept, and no run goes by the correction any more."""
    learned = apps.get_model("execution", "LearnedCorrection")
    version = apps.get_model("workflows", "WorkflowVersion")
    graphs: dict[tuple[int, int], GraphSpec | None] = {}
    for row in learned.objects.select_related("pack").order_by("pack", "version_number").iterator():
        key = (row.pack.workflow_id, row.version_number)
        if key not in graphs:
            found = version.objects.filter(workflow=key[0], number=key[1]).first()
            graphs = {key: GraphSpec.from_json(found.graph) if found else None}
        graph = graphs[key]
        if graph is not None:
            row.taught_as = taught_as(row.kind, graph, edge_id=row.edge_id, node_id=row.node_id)
            row.save(update_fields=["taught_as"])


class Migration(migrations.Migration):
    dependencies = [
        ("execution", "0028_drift_and_prototypes"),
        ("workflows", "0016_trust"),
    ]

    operations = [
        migrations.AddField(
            model_name="learnedcorrection",
            name="taught_as",
            field=models.CharField(blank=True, max_length=32),
        ),
        migrations.RunPython(of_their_versions, migrations.RunPython.noop),
    ]
