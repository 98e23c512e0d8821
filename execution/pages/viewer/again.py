"""Whether a run may be started again from the screen of a step, and if not why (S1.22).

The page never acts: a run that begins looks first, and stands still where the desktop shows another screen.
"""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from execution.models import Execution, Step, ValueRead
from workflows.graph import GraphSpec
from workflows.models import WorkflowVersion
from workflows.text import names as variables_in


def again_from(execution: Execution, step: Step) -> dict[str, str]:
    """`url` of the form that starts it, or `why_not` in a sentence."""
    if why_not := _why_not(execution, step):
        return {"url": "", "why_not": why_not}
    workflow = execution.version.workflow
    asked = {"workflow": workflow.workflow_id, "again": execution.execution_id, "node": step.node_id}
    return {"url": f"{reverse('run_start')}?{urlencode(asked)}", "why_not": ""}


def _why_not(execution: Execution, step: Step) -> str:
    if not step.node_id:
        return _("The screen of this step was not recognised, so no run can begin with it.")
    latest = WorkflowVersion.objects.filter(workflow=execution.version.workflow).order_by("-number").first()
    graph = latest.spec() if latest else None
    if graph is None or graph.node(step.node_id) is None:
        return _("The published version has no such screen any more.")
    if Step.objects.filter(execution=execution, index__lte=step.index, suggestion__line__gte=1).exists():
        return _("It is after the first line of a list: a new run would begin that list again.")
    lacking = _lacking(execution, step, graph)
    if lacking:
        return _("From there on the value of “%(names)s” is needed, which is read before.") % {
            "names": ", ".join(sorted(lacking))
        }
    return ""


def _lacking(execution: Execution, step: Step, graph: GraphSpec) -> set[str]:
    """Values that were read before this step and are used after it."""
    read = ValueRead.objects.filter(execution=execution, step__index__lt=step.index)
    names = set(read.values_list("name", flat=True))
    if not names:
        return set()
    reached = graph.reachable([step.node_id])
    return names & variables_in([edge for edge in graph.to_json()["edges"] if edge["source"] in reached])
