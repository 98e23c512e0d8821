"""The workflows that one does inside, in its file: each version with its graph, those that another one does before it.

What comes from a file is taken only where its graph is what would be published here of its own drawing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from workflows.actions.publish import digest_of
from workflows.calling import Versions, drawn, expanded
from workflows.calls import call_of
from workflows.exceptions import InvalidWorkflow
from workflows.graph import GraphSpec
from workflows.models import Workflow, WorkflowVersion
from workflows.permissions import PUBLISH
from workflows.pictures import PictureStore
from workflows.unpacking import BadBundle
from workflows.validation import errors

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
