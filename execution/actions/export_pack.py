"""The corrections of a workflow leave as one file (S6.4).

What was refused here, waits for a person or is a way that somebody went stays: it is no use elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from audit.models import Verb
from audit.recording import record
from execution.actions.asking import name_of
from execution.actions.packed import CARRIED, LONGEST_NAME, MOST, PackedCorrection, is_of, wrong_in
from execution.choices import CorrectionKind, CorrectionState, Origin
from execution.exceptions import BadDecision
from execution.learning.conditions import Conditions
from execution.learning.taught_as import taught_as
from execution.models import Execution, LearnedCorrection
from execution.models.learning import IN_FORCE
from execution.permissions import VIEW_PICTURE
from execution.record.values_of_runs import values_of
from workflows.archives import CORRECTIONS, packed
from workflows.graph import GraphSpec, target_from_json
from workflows.models import Workflow
from workflows.permissions import DESIGN, require

_READ = ("text", "window_title", "app_name", "neighbours", "around", "named_by")  # of a look: what stood on the screen
LEAVING = (*IN_FORCE, CorrectionState.MERGED)


@dataclass(frozen=True, slots=True)
class Exported:
    """`kept_back` are those that stay here: what they were learned of is not what is taught, or they hold run data."""

    workflow: Workflow
    data: bytes
    count: int
    kept_back: Sequence[LearnedCorrection]


def export_pack(workflow_id: str, *, user: Any = None, origin: Origin = Origin.PROGRAM) -> Exported:
    """All that runs of the workflow go by, and what became part of it, as a file. Raises BadDecision where there is
    nothing or too much, PictureMissing, and PermissionDenied."""
    require(user, DESIGN)
    require(user, VIEW_PICTURE)  # they leave with it
    workflow = Workflow.objects.by_id(workflow_id)
    rows = list(LearnedCorrection.objects.of_workflow(workflow_id).filter(state__in=LEAVING, kind__in=CARRIED))
    rows.sort(key=lambda row: row.pk)
    if len(rows) > MOST:
        words = _("“%(name)s” has %(count)d corrections; a file takes %(limit)d. Merge some, or switch them off.")
        raise BadDecision(words % {"name": workflow.name, "count": len(rows), "limit": MOST})
    graphs = {one.number: one.spec() for one in workflow.versions.filter(number__in={r.version_number for r in rows})}
    said = {row.pk: _packed(row, graphs.get(row.version_number)) for row in rows}
    leaving = [one for one in said.values() if one is not None]
    if not leaving:
        words = _("“%(name)s” has no correction that can be exported: none is on trial, trusted, or part of it.")
        raise BadDecision(words % {"name": workflow.name})
    document = {
        "workflow": {"workflow_id": workflow.workflow_id, "name": workflow.name},
        "exported_from": _own_name(),
        "corrections": [asdict(one) for one in leaving],
    }
    data = packed(CORRECTIONS, document, frozenset().union(*(one.pictures for one in leaving)))
    record(
        Verb.EXPORT, user=user, who=name_of(user, origin), origin=origin, kind="corrections", about=workflow_id,
        corrections=[pk for pk, one in said.items() if one is not None],
    )  # fmt: skip
    return Exported(workflow, data, len(leaving), [row for row in rows if said[row.pk] is None])


def _packed(row: LearnedCorrection, graph: GraphSpec | None) -> PackedCorrection | None:
    """The row as it leaves; None where it does not."""
    if graph is None or not row.taught_as or _holds_data(row, graph):
        return None
    target = row.payload.get("target")
    then = taught_as(row.kind, graph, edge_id=row.edge_id, node_id=row.node_id)
    one = PackedCorrection(
        kind=row.kind,
        taught_as=tuple(sorted({row.taught_as, then} - {""})),
        learned_in=row.elsewhere or _own_name(),
        learned_at=row.learned_at.isoformat(),
        of=row.of,
        edge_id="" if row.kind == CorrectionKind.NODE else row.edge_id,
        node_id=row.node_id if row.kind == CorrectionKind.NODE else "",
        target=target_from_json(target) if target else None,
        params=row.payload.get("params") or {},
        picture=str(row.payload.get("picture") or ""),
        gone=tuple(row.payload.get("gone") or ()),
        box=tuple(row.box) if row.box and row.kind == CorrectionKind.TARGET else None,
        conditions=Conditions.from_json(row.conditions) if row.conditions else None,
    )
    return one if is_of(one, graph) and not wrong_in(one) else None


def _holds_data(row: LearnedCorrection, graph: GraphSpec) -> bool:
    """Whether a value of its run, as far as that is still known, stands in what it says. What the workflow says itself
    is no data."""
    run = Execution.objects.filter(execution_id=row.execution_id).first()
    if run is None:
        return False
    target = row.payload.get("target") or {}
    said = {"params": row.payload.get("params"), "look": {name: target.get(name) for name in _READ}}
    return bool(values_of(run, graph).kept(said) != said)


def _own_name() -> str:
    return str(settings.RPA_INSTALLATION_NAME)[:LONGEST_NAME]
