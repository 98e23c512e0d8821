"""A version says which workflows it does: its own, and those inside of it, however deep (S6.12, S5.9, S9.4)."""

from __future__ import annotations

import pytest

from tests.factories import make_published, make_user
from tests.workflows.test_proofs import LOOK, click, node, saving
from workflows.actions.publish import publish
from workflows.bundle import export_bundle, import_bundle
from workflows.exceptions import UnknownWorkflow
from workflows.models import Workflow, WorkflowVersion

pytestmark = pytest.mark.django_db


def caller(workflow_id: str, does: str, **values: str) -> WorkflowVersion:
    call = {"action_type": "call_workflow", "params": {"workflow": does, "version": 1, "values": values}}
    return make_published(
        workflow_id=workflow_id,
        name=workflow_id.title(),
        nodes=[node("desk", is_entry=True), node("done", is_end=True)],
        edges=[{"edge_id": "call", "source": "desk", "destination": "done", **call}],
        variables=[],
        already_at_end_is_fine=True,
    )


@pytest.fixture
def outermost() -> WorkflowVersion:
    """Does “outer” inside, which does “saving”, a step of which is proved by “look”."""
    make_published(**LOOK)
    publish(workflow=saving(already_at_end_is_fine=True), user=None)
    caller("outer", "saving", patient="Ann")
    return caller("outermost", "outer")


def said() -> dict[str, set[str]]:
    return {
        f"{one.workflow.workflow_id} {one.number}": set(one.does.values_list("workflow_id", flat=True))
        for one in WorkflowVersion.objects.all()
    }


ALL = {
    "look 1": {"look"},
    "saving 1": {"look", "saving"},
    "outer 1": {"look", "saving", "outer"},
    "outermost 1": {"look", "saving", "outer", "outermost"},
}


@pytest.mark.usefixtures("outermost")
def test_each_version_says_all_that_it_does() -> None:
    make_published(workflow_id="other")
    assert said() == {**ALL, "other 1": {"other"}}


def test_what_comes_in_a_file_says_so_too(outermost: WorkflowVersion) -> None:
    data = export_bundle(outermost.workflow)
    WorkflowVersion.objects.all().delete()
    Workflow.objects.all().delete()
    made = import_bundle(data, user=make_user("designer"))
    publish(workflow=made, user=None)
    assert said() == ALL


def test_a_version_that_does_what_is_not_here_is_not_kept(outermost: WorkflowVersion) -> None:
    graph = {**outermost.graph, "edges": [click("a", "desk", "done", proof={"workflow": "gone", "version": 1})]}
    with pytest.raises(UnknownWorkflow, match="gone"):
        WorkflowVersion.objects.create(workflow=outermost.workflow, number=9, graph=graph, digest="x")
    assert said() == ALL
