"""A workflow with its pictures as one zip file: `workflow.json` and `pictures/<digest>.png` (S8.6).

A file is checked whole before anything is written. What was earned or set up on another machine does not travel:
a window info provider (a path to code) is neither exported nor taken, and an imported workflow is at most coached.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import IO, Any, TypeVar

from django.contrib.admin.models import ADDITION, LogEntry
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.translation import gettext as _

from workflows.actions.publish import digest_of
from workflows.archives import Archive, packed, taken_apart
from workflows.calling import Versions, drawn, expanded
from workflows.calls import call_of
from workflows.choices import LearningState
from workflows.exceptions import InvalidWorkflow
from workflows.graph import (
    ConditionSpec,
    EdgeSpec,
    ExpectSpec,
    GraphSpec,
    NodeSpec,
    ProofSpec,
    RepeatSpec,
    TargetSpec,
    VariableSpec,
)
from workflows.models import Edge, Node, Picture, Target, Variable, Workflow, WorkflowVersion
from workflows.needs import NO_NEEDS, RobotNeeds, needs_of, write_needs
from workflows.permissions import PUBLISH
from workflows.pictures import PictureStore
from workflows.places import can_be
from workflows.specs import FLAGS, graph_of, target_columns
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
    return packed(document, graph.pictures().union(*(one.graph.pictures() for one in called)))


def import_bundle(data: bytes | IO[bytes], *, user: Any, workflow_id: str = "") -> Workflow:
    """A new draft from a bundle, under its own id or `workflow_id`.

    Raises BadBundle or InvalidWorkflow with the reason; then nothing has changed. Whether `user` may do it is the
    caller's to check; the name goes to the history.
    """
    with taken_apart(data, _Document) as archive:
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


# The workflows that one does inside, in its file: each version with its graph, those that another one does before it.
# What comes from a file is taken only where its graph is what would be published here of its own drawing.

NOT_SHARED = "window_info_provider"
Key = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledVersion:
    """A published version, as it is in a file."""

    workflow_id: str
    number: int
    graph: GraphSpec
    description: str = ""

    @property
    def key(self) -> Key:
        return self.workflow_id, self.number


def shared(graph: GraphSpec) -> GraphSpec:
    """The graph as it goes to other machines."""
    return replace(graph, flags={name: value for name, value in graph.flags.items() if name != NOT_SHARED})


def versions_called(graph: GraphSpec) -> list[BundledVersion]:
    """All that the graph does inside, and what that does, each once and behind what it does itself."""
    found: dict[Key, BundledVersion] = {}
    for edge in graph.calls:
        call = call_of(edge)
        key = (call.workflow_id, call.number) if call else ("", 0)
        row = WorkflowVersion.objects.filter(workflow__workflow_id=key[0], number=key[1]).first()
        if row is None or key in found:
            continue
        inner = shared(row.spec())
        found |= {one.key: one for one in versions_called(drawn(inner)) if one.key not in found}
        found[key] = BundledVersion(
            workflow_id=key[0], number=key[1], graph=inner, description=row.workflow.description
        )
    return list(found.values())


def bundled(versions: Iterable[BundledVersion]) -> Versions:
    """What a file has of them, and nothing else."""
    known: Mapping[Key, GraphSpec] = {one.key: one.graph for one in versions}
    return lambda workflow_id, number: known.get((workflow_id, number))


def missing_here(versions: Sequence[BundledVersion], *, store: PictureStore, user: Any) -> list[BundledVersion]:
    """Those that are not here yet, checked whole. Raises BadBundle or InvalidWorkflow where one cannot be taken."""
    missing = [one for one in versions if not _is_here(one)]
    if missing and getattr(user, "pk", None) and not user.has_perm(PUBLISH):
        raise BadBundle(
            _("The workflow does “%(name)s” inside, which is not published here. Who may publish can import it.")
            % {"name": missing[0].graph.name}
        )
    known = bundled(versions)
    for one in missing:
        own = drawn(one.graph)
        if found := errors(own, store=store, versions=known):
            raise InvalidWorkflow(
                _("The workflow in the file cannot be run: %(first)s") % {"first": found[0].message}, found
            )
        if digest_of(expanded(own, known)) != digest_of(one.graph):
            raise BadBundle(
                _("“%(name)s” in the file is not what would be published of it.") % {"name": one.graph.name}
            )
    return missing


def publish_bundled(
    versions: Iterable[BundledVersion], write: Callable[[GraphSpec, str, str], Workflow], *, user: Any
) -> None:
    """Each as a workflow of its own with that one version; `write` makes the draft. Call inside a transaction."""
    drafts = [(one, write(drawn(one.graph), one.description, one.workflow_id)) for one in versions]
    for one, workflow in drafts:  # a version says which workflows it does: they are there
        WorkflowVersion.objects.create(
            workflow=workflow,
            number=one.number,
            graph=json.loads(json.dumps(replace(one.graph, version=one.number).to_json())),
            digest=digest_of(one.graph),
            note=_("Imported from a file."),
            published_by=user if getattr(user, "pk", None) else None,
        )


def _is_here(one: BundledVersion) -> bool:
    """Whether that version is here, and the same; raises BadBundle where another one has its place."""
    row = WorkflowVersion.objects.filter(workflow__workflow_id=one.workflow_id, number=one.number).first()
    if row is not None and digest_of(shared(row.spec())) == digest_of(one.graph):
        return True
    if Workflow.objects.filter(workflow_id=one.workflow_id).exists():
        raise BadBundle(
            _("The workflow does version %(n)d of “%(id)s” inside, and here “%(id)s” is another one. Import it where "
              "there is none of that id.")
            % {"n": one.number, "id": one.workflow_id}
        )  # fmt: skip
    return False


# From a graph to editable rows: the way back from `specs`, for imports.

Row = TypeVar("Row", bound=models.Model)


def saved(row: Row) -> Row:
    """The row, checked by its own rules first; raises ValidationError."""
    row.full_clean()
    row.save()
    return row


def write_graph(graph: GraphSpec, *, workflow: Workflow, pictures: Mapping[str, Picture]) -> None:
    """The rows of `graph` under a workflow that has none yet; `pictures` by digest. Call inside a transaction."""
    nodes = {n.node_id: saved(_node(n, workflow, pictures)) for n in graph.nodes}
    for n in graph.nodes:
        nodes[n.node_id].looks.set(pictures[digest] for digest in n.looks if digest in pictures)
    specs = {e.target.target_id: e.target for e in graph.edges if e.target}
    targets = {target_id: saved(_target(spec, workflow, pictures)) for target_id, spec in specs.items()}
    for edge in graph.edges:
        saved(_edge(edge, workflow, nodes, targets))
    for order, variable in enumerate(graph.variables):
        saved(_variable(variable, workflow, order))


def _node(spec: NodeSpec, workflow: Workflow, pictures: Mapping[str, Picture]) -> Node:
    return Node(
        workflow=workflow,
        node_id=spec.node_id,
        name=spec.name,
        texts=list(spec.texts),
        absent=list(spec.absent),
        window_title=spec.window_title,
        app_name=spec.app_name,
        reference=pictures.get(spec.picture),
        regions=[{"box": list(region.box), "kind": region.kind} for region in spec.regions],
        is_entry=spec.is_entry,
        is_end=spec.is_end,
        is_common=spec.is_common,
        exception=spec.exception,
        window_box=list(spec.window_box) if spec.window_box else None,
    )


def _target(spec: TargetSpec, workflow: Workflow, pictures: Mapping[str, Picture]) -> Target:
    return Target(
        workflow=workflow,
        picture=pictures.get(spec.picture),
        context=pictures.get(spec.context),
        **target_columns(spec),
    )


def _expect(spec: ExpectSpec) -> dict[str, Any]:
    declared = {"texts": list(spec.texts), "gone": list(spec.gone), "window_title": spec.window_title}
    return {name: value for name, value in declared.items() if value}


def _plain(spec: ConditionSpec | RepeatSpec) -> dict[str, Any]:
    """As JSON has it: with lists."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(spec).items()}


def _proof(spec: ProofSpec) -> dict[str, Any]:
    """As it is drawn: what it is called is that of its workflow."""
    return {name: value for name, value in asdict(spec).items() if name != "name" and value}


def _edge(spec: EdgeSpec, workflow: Workflow, nodes: Mapping[str, Node], targets: Mapping[str, Target]) -> Edge:
    return Edge(
        workflow=workflow,
        edge_id=spec.edge_id,
        source=nodes[spec.source],
        destination=nodes[spec.destination],
        action_type=spec.action_type,
        params=dict(spec.params),
        target=targets[spec.target.target_id] if spec.target else None,
        before=_expect(spec.before),
        identity=[asdict(identity) for identity in spec.identity],
        expect=_expect(spec.expect),
        effect_class=spec.effect_class,
        optional=spec.optional,
        condition=[_plain(condition) for condition in spec.condition],
        repeat=_plain(spec.repeat) if spec.repeat else {},
        proof=_proof(spec.proof) if spec.proof else {},
        retries=spec.retries,
        retry_backoff_ms=spec.retry_backoff_ms,
        settle_ms=spec.settle_ms,
        settle_timeout_ms=spec.settle_timeout_ms,
        order=spec.order,
    )


def _variable(spec: VariableSpec, workflow: Workflow, order: int) -> Variable:
    return Variable(
        workflow=workflow,
        name=spec.name,
        label=spec.label,
        kind=spec.kind,
        required=spec.required,
        default=spec.default,
        example=spec.example,
        choices=list(spec.choices),
        order=order,
    )
