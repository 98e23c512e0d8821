"""Corrections become part of the workflow: laid into its draft as runs had them laid over, and published (S6.4).

Only what is trusted: what breaks something that was right needs a person's word first (S6.17).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models import Verb
from audit.recording import record
from execution.actions.asking import name_of
from execution.choices import CorrectionKind, CorrectionState, Origin
from execution.exceptions import BadDecision
from execution.learning.overlay import Overlay, overlaid
from execution.learning.taught_as import of_screen
from execution.models import LearnedCorrection
from execution.record.contradictions import contradicting
from execution.record.corrections import as_taught
from sentences.said import say
from workflows.actions.publish import digest_of, publish
from workflows.calling import expanded, published
from workflows.exceptions import DomainError
from workflows.graph import GraphSpec
from workflows.models import Picture, Target, Workflow, WorkflowVersion
from workflows.permissions import PUBLISH, require
from workflows.pictures import PictureStore
from workflows.specs import graph_of, target_columns


@dataclass(frozen=True, slots=True)
class Merge:
    """What would be published: `graph` is the draft now, `overlay` the draft with the corrections in it."""

    workflow: Workflow
    rows: Sequence[LearnedCorrection]
    graph: GraphSpec
    overlay: Overlay

    @property
    def open_changes(self) -> bool:
        """Whether the draft holds what is in no version yet, and would be published with it."""
        latest = self.workflow.versions.order_by("-number").first()
        if latest is None:
            return True
        try:
            return digest_of(expanded(self.graph, published)) != latest.digest
        except DomainError:
            return True  # it cannot be drawn whole: publishing says what is wrong


def planned(numbers: Sequence[int]) -> Merge:
    """What merging them would do. Raises BadDecision where they do not go together, or into the draft."""
    found = LearnedCorrection.objects.with_runs().filter(pk__in=numbers).select_related("pack__workflow")
    rows = list(found.order_by("pk"))
    if not rows or len(rows) != len(set(numbers)):
        raise BadDecision(_("Choose the corrections that are to become part of the next version."))
    if len({row.pack_id for row in rows}) > 1:
        raise BadDecision(_("These are of several workflows: take those of one."))
    if untrusted := [row for row in rows if row.state != CorrectionState.TRUSTED]:
        raise BadDecision(_("Correction %(n)d is not trusted: decide about it first.") % {"n": untrusted[0].pk})
    chosen = {row.pk for row in rows}
    for pk, against in contradicting(rows).items():
        if other := next((one for one in against if one.pk in chosen), None):
            words = _("Corrections %(n)d and %(m)d contradict each other: choose one first.")
            raise BadDecision(words % {"n": pk, "m": other.pk})
    workflow = rows[0].pack.workflow
    graph = graph_of(workflow)
    overlay = overlaid(graph, [as_taught(row) for row in rows])
    if inside := [row for row in rows if row.is_inside]:
        words = _("Correction %(n)d is of a workflow done inside this one: show it in a run of that workflow.")
        raise BadDecision(words % {"n": inside[0].pk})
    if lost := [row for row in rows if row.key not in overlay.taught]:
        raise BadDecision(_("Correction %(n)d does not fit the draft: that was taught anew since.") % {"n": lost[0].pk})
    return Merge(workflow, rows, graph, overlay)


def merge(
    numbers: Sequence[int], *, user: Any = None, note: str = "", origin: Origin = Origin.PROGRAM
) -> WorkflowVersion:
    """They are part of a new version, and laid over no more. Raises BadDecision, InvalidWorkflow, and PermissionDenied;
    then nothing has changed."""
    require(user, PUBLISH)
    with transaction.atomic():
        list(LearnedCorrection.objects.select_for_update().filter(pk__in=numbers).order_by("pk").values_list("pk"))
        plan = planned(numbers)
        Workflow.objects.select_for_update().get(pk=plan.workflow.pk)
        _draw(plan)
        version = publish(workflow=plan.workflow, user=user, note=note)
        for row in plan.rows:
            row.state, row.changed_at, row.changed_by = CorrectionState.MERGED, timezone.now(), name_of(user, origin)
            row.why = say("corrections.merged", n=version.number)
            row.save(update_fields=["state", "changed_at", "changed_by", "why"])
            record(
                Verb.CHANGED, user=user, who=row.changed_by, origin=origin, kind="correction", about=str(row.pk),
                was=CorrectionState.TRUSTED, now=row.state, workflow=plan.workflow.workflow_id, version=version.number,
            )  # fmt: skip
        return version


def _draw(plan: Merge) -> None:
    """The rows of the draft as the overlay has them."""
    workflow, after = plan.workflow, plan.overlay.graph
    for was, edge in zip(plan.graph.edges, after.edges, strict=True):
        if edge.params != was.params:
            workflow.edges.filter(edge_id=edge.edge_id).update(params=dict(edge.params))
        if edge.target is not None and edge.target != was.target:
            row = Target.objects.get(workflow=workflow, target_id=edge.target.target_id)
            known = {one.get("target_id") for one in row.evidence.get("also") or ()}
            looks = [one for one in target_columns(edge.target)["evidence"]["also"] if one["target_id"] not in known]
            row.evidence = {**row.evidence, "also": [*(row.evidence.get("also") or ()), *looks]}
            row.save(update_fields=["evidence"])
            for look in edge.target.also:
                _kept(look.picture)
                _kept(look.context)
    for before, node in zip(plan.graph.nodes, after.nodes, strict=True):
        if node == before:
            continue
        # The screen is the same one, now known by less: what else was learned of it was learned of this.
        same = LearnedCorrection.objects.of_workflow(workflow.workflow_id).filter(node_id=node.node_id)
        same.filter(kind=CorrectionKind.NODE, taught_as=of_screen(before)).update(taught_as=of_screen(node))
        drawn = workflow.nodes.get(node_id=node.node_id)
        gone = [text for text in drawn.texts if text not in node.texts]
        drawn.texts = [text for text in drawn.texts if text not in gone]
        drawn.aside = [*drawn.aside, *({"text": text, "kind": "left_out"} for text in gone)]
        drawn.save(update_fields=["texts", "aside"])
        drawn.looks.add(*(one for one in map(_kept, set(node.looks) - set(before.looks)) if one))


def _kept(digest: str) -> Picture | None:
    """The row of a picture that the workflow holds from now on."""
    if not digest:
        return None
    known = Picture.objects.filter(digest=digest).first()
    if known is not None:
        return known
    height, width = PictureStore().get(digest).shape[:2]
    return Picture.objects.create(digest=digest, width=width, height=height)
