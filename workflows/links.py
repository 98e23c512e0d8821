"""Where in the admin a problem can be mended, and the way back from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from workflows.models import Workflow
from workflows.validation import Problem

# The fields of a problem that go by another name in the admin's forms; what an action keeps as JSON has one for all.
FIELDS = {"picture": "new_picture", "context": "new_context"}
PARTS = {"param": "params", "before": "before", "identity": "identity", "expect": "expect"}
BACK = "back"  # in the address: the page to go back to
GROUPS = {"no_node": "nodes-group", "no_entry": "nodes-group", "no_end": "nodes-group"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedProblem:
    problem: Problem
    url: str


def linked(problems: Sequence[Problem], workflow: Workflow, *, back: str) -> list[LinkedProblem]:
    """Each problem with the address of the field that mends it; saving there leads to `back`."""
    if not problems:
        return []
    keys: dict[str, dict[str, int]] = {
        "node": dict(workflow.nodes.values_list("node_id", "pk")),
        "edge": dict(workflow.edges.values_list("edge_id", "pk")),
        "target": dict(workflow.targets.values_list("target_id", "pk")),
    }
    return [LinkedProblem(problem=p, url=with_back(_url(p, workflow, keys), back)) for p in problems]


def _url(problem: Problem, workflow: Workflow, keys: dict[str, dict[str, int]]) -> str:
    key = keys.get(problem.kind, {}).get(problem.where)
    if key is None:
        group = GROUPS.get(problem.code, "variables-group" if problem.kind == "variable" else "")
        return reverse("admin:workflows_workflow_change", args=[workflow.pk]) + (f"#{group}" if group else "")
    url = reverse(f"admin:workflows_{problem.kind}_change", args=[key])
    part = PARTS.get(problem.field.partition("_")[0], problem.field)
    return f"{url}#id_{FIELDS.get(part, part)}" if part else url


def with_back(url: str, back: str) -> str:
    """The address with the page to go back to; its fragment stays at its end."""
    address, hash_sign, fragment = url.partition("#")
    sign = "&" if "?" in address else "?"
    return f"{address}{sign}{urlencode({BACK: back})}{hash_sign}{fragment}" if back else url
