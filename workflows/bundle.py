"""A workflow with its pictures as one zip file: `workflow.json` and `pictures/<digest>.png` (S8.6).

A file is checked whole before anything is written. What was earned or set up on another machine does not travel:
a window info provider (a path to code) is neither exported nor taken, and an imported workflow is at most coached.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import IO, Any

from django.contrib.admin.models import ADDITION, LogEntry
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from workflows.archives import WORKFLOW, Archive, packed, taken_apart
from workflows.bundled_calls import (
    NOT_SHARED,
    BundledVersion,
    bundled,
    missing_here,
    publish_bundled,
    shared,
    versions_called,
)
from workflows.choices import LearningState
from workflows.exceptions import InvalidWorkflow
from workflows.graph import GraphSpec, TargetSpec
from workflows.models import Workflow
from workflows.needs import NO_NEEDS, RobotNeeds, needs_of, write_needs
from workflows.pictures import PictureStore
from workflows.places import can_be
from workflows.rows import saved, write_graph
from workflows.specs import FLAGS, graph_of
from workflows.unpacking import BadBundle
from workflows.validation import errors


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """What `workflow.json` holds."""

    format: str
    format_version: int
    graph: GraphSpec
    description: str = ""
    calls: tuple[BundledVersion, ...] = ()
    needs: RobotNeeds = NO_NEEDS

    def pictures(self) -> frozenset[str]:
        return self.graph.pictures().union(*(one.graph.pictures() for one in self.calls))


def export_bundle(workflow: Workflow) -> bytes:
    """The workflow as it is drawn now; raises InvalidWorkflow where nobody could import it."""
    graph = graph_of(workflow)
    if found := errors(graph):
        raise InvalidWorkflow(
            _("“%(name)s” is not exported while something in it is wrong: %(first)s")
            % {"name": workflow.name, "first": found[0].message},
            found,
        )
    called = versions_called(graph)
    document = {
        "description": workflow.description,
        "graph": shared(graph).to_json(),
        **({"needs": asdict(needs)} if (needs := needs_of(workflow)) else {}),
        **({"calls": [asdict(one) for one in called]} if called else {}),
    }
    return packed(WORKFLOW, document, graph.pictures().union(*(one.graph.pictures() for one in called)))


def import_bundle(data: bytes | IO[bytes], *, user: Any, workflow_id: str = "") -> Workflow:
    """A new draft from a bundle, under its own id or `workflow_id`.

    Raises BadBundle or InvalidWorkflow with the reason; then nothing has changed. Whether `user` may do it is the
    caller's to check; the name goes to the history.
    """
    with taken_apart(data, WORKFLOW, _Document) as archive:
        document = _read(archive.document)
        graph = document.graph
        archive.take_pictures(document.pictures())
        _check_runnable(document, archive.store)
        missing = missing_here(document.calls, store=archive.store, user=user)
        own = workflow_id or graph.workflow_id

        def write(graph: GraphSpec, description: str, workflow_id: str) -> Workflow:
            return _write(graph, description, archive, user=user, workflow_id=workflow_id)

        with transaction.atomic():
            publish_bundled(missing, write, user=user)
            made = write(graph, document.description, own)
            _write_needs(made, document.needs)
            return made


def _read(raw: dict[str, Any]) -> _Document:
    calls = (BundledVersion(**{**one, "graph": GraphSpec.from_json(one["graph"])}) for one in raw.get("calls", ()))
    needs = RobotNeeds(**raw.get("needs", {}))
    return _Document(**{**raw, "graph": GraphSpec.from_json(raw["graph"]), "calls": tuple(calls), "needs": needs})


def _write_needs(workflow: Workflow, needs: RobotNeeds) -> None:
    try:
        write_needs(workflow, needs)
    except ValidationError as error:
        raise BadBundle(_unkept(error)) from error


def _check_runnable(document: _Document, store: PictureStore) -> None:
    graph = document.graph
    for one in (graph, *(one.graph for one in document.calls)):
        if NOT_SHARED in one.flags or set(one.flags) - set(FLAGS):
            raise BadBundle(_("workflow.json sets flags that are not taken from a file."))
    if any(node.scope for node in graph.nodes) or any(edge.enters for edge in graph.edges):
        raise BadBundle(_("workflow.json holds a workflow with what it does inside. Export it again."))
    if found := errors(graph, store=store, versions=bundled(document.calls)):
        raise InvalidWorkflow(
            _("The workflow in the file cannot be run: %(first)s") % {"first": found[0].message}, found
        )
    of_all = (edge for one in (graph, *(one.graph for one in document.calls)) for edge in one.edges)
    if off := next((e.target for e in of_all if e.target and not can_be(e.target)), None):
        raise BadBundle(_("workflow.json: a place of the target “%(id)s” can be on no screen.") % {"id": off.target_id})
    targets: dict[str, TargetSpec] = {}
    for target in (e.target for e in graph.edges if e.target):
        if targets.setdefault(target.target_id, target) != target:
            raise BadBundle(
                _("workflow.json describes the target “%(id)s” twice, each time otherwise.") % {"id": target.target_id}
            )


def _write(graph: GraphSpec, description: str, archive: Archive, *, user: Any, workflow_id: str) -> Workflow:
    if Workflow.objects.filter(workflow_id=workflow_id).exists():
        raise BadBundle(
            _("There is already a workflow “%(id)s”. Import this one under another id, or delete the other first.")
            % {"id": workflow_id}
        )
    observed = graph.learning_state == LearningState.OBSERVATION
    workflow = Workflow(
        workflow_id=workflow_id,
        name=graph.name,
        description=description,
        learning_state=LearningState.OBSERVATION if observed else LearningState.COACHING,
        popups=[{**asdict(popup), "texts": list(popup.texts)} for popup in graph.popups],
        already_at_end_is_fine=graph.already_at_end_is_fine,
        **graph.flags,
    )
    try:
        with transaction.atomic():
            saved(workflow)
            pictures = {digest: archive.row_of(digest) for digest in sorted(graph.pictures())}
            write_graph(graph, workflow=workflow, pictures=pictures)
            if getattr(user, "pk", None):
                rows = Workflow.objects.filter(pk=workflow.pk)
                LogEntry.objects.log_actions(user.pk, rows, ADDITION, _("Imported from a file."), single_object=True)
    except ValidationError as error:
        raise BadBundle(_unkept(error)) from error
    return workflow


def _unkept(error: ValidationError) -> str:
    return _("workflow.json holds what cannot be kept: %(reasons)s") % {"reasons": " ".join(error.messages)}
