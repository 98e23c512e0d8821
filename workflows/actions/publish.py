"""Publishing: the editor's rows become an immutable version that runs use."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.models import Verb
from audit.recording import record
from workflows.calling import expanded, published
from workflows.exceptions import InvalidWorkflow
from workflows.graph import GraphSpec
from workflows.models import Workflow, WorkflowVersion
from workflows.specs import graph_of
from workflows.validation import errors

# What a version is told apart by leaves out its own number, and the trust that runs earn it later.
NOT_IN_DIGEST = ("version", "learning_state")


def publish(*, workflow: Workflow, user: Any, note: str = "") -> WorkflowVersion:
    """A new version of what is drawn now; the latest one where nothing has changed since.

    Raises InvalidWorkflow with the problems. Whether `user` may publish is the caller's to check.
    """
    with _turn_of(workflow):
        graph = runnable(workflow)
        return _published(workflow, graph, digest_of(graph), user=user, note=note)


def publish_again(*, workflow: Workflow, number: int, user: Any, note: str = "") -> WorkflowVersion:
    """That version as the newest one, which runs use; the draft stays as it is. The latest one where it is the same.

    Raises UnknownVersion. Whether `user` may publish is the caller's to check.
    """
    with _turn_of(workflow):
        earlier = workflow.version_numbered(number)
        note = note.strip() or _("As version %(n)d") % {"n": number}
        return _published(workflow, earlier.spec(), earlier.digest, user=user, note=note, as_version=number)


@contextmanager
def _turn_of(workflow: Workflow) -> Iterator[None]:
    """One publishes at a time; others may say meanwhile that they do it inside."""
    with transaction.atomic():
        Workflow.objects.select_for_update(no_key=True).get(pk=workflow.pk)
        yield


def _published(
    workflow: Workflow, graph: GraphSpec, digest: str, *, user: Any, note: str, **told: Any
) -> WorkflowVersion:
    """The graph as the next version; `told` is recorded with it."""
    latest = workflow.versions.order_by("-number").first()
    if latest is not None and latest.digest == digest:
        return latest
    number = latest.number + 1 if latest is not None else 1
    version = WorkflowVersion.objects.create(
        workflow=workflow,
        number=number,
        graph=json.loads(json.dumps(replace(graph, version=number).to_json())),
        digest=digest,
        note=note.strip()[: WorkflowVersion._meta.get_field("note").max_length],
        published_by=user if getattr(user, "pk", None) else None,
    )
    told |= {"version": number, "note": version.note}
    record(Verb.PUBLISH, user=version.published_by, kind="workflow", about=workflow.workflow_id, **told)
    return version


def runnable(workflow: Workflow) -> GraphSpec:
    """The graph as it would be run, the workflows that it does inside taken in; raises InvalidWorkflow for errors."""
    graph = graph_of(workflow)
    if found := errors(graph):
        raise InvalidWorkflow(
            ngettext(
                "“%(name)s” was not published: %(first)s",
                "“%(name)s” was not published, %(count)d things are wrong. The first: %(first)s",
                len(found),
            )
            % {"name": workflow.name, "count": len(found), "first": found[0].message},
            found,
        )
    return expanded(graph, published)


def digest_of(graph: GraphSpec) -> str:
    """The same for the same graph, whatever the order of its keys."""
    data = {key: value for key, value in graph.to_json().items() if key not in NOT_IN_DIGEST}
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
