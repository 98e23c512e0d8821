"""Publishing: the editor's rows become an immutable version that runs use."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Max
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
    with transaction.atomic():
        Workflow.objects.select_for_update(no_key=True).get(pk=workflow.pk)  # others may say that they do it inside
        graph = runnable(workflow)
        digest = digest_of(graph)
        latest = workflow.versions.order_by("-number").first()
        if latest is not None and latest.digest == digest:
            return latest
        number = (workflow.versions.aggregate(last=Max("number"))["last"] or 0) + 1
        version = WorkflowVersion.objects.create(
            workflow=workflow,
            number=number,
            graph=json.loads(json.dumps(replace(graph, version=number).to_json())),
            digest=digest,
            note=note.strip()[: WorkflowVersion._meta.get_field("note").max_length],
            published_by=user if getattr(user, "pk", None) else None,
        )
        who = version.published_by
        record(Verb.PUBLISH, user=who, kind="workflow", about=workflow.workflow_id, version=number, note=version.note)
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
