"""S8.6: a workflow's file holds what it does inside, and nothing of it is taken that is not what it says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import make_picture, make_published, make_user
from tests.workflows.test_bundle import changed
from tests.workflows.test_calling import FIND, PAGES, caller
from workflows.actions.publish import publish
from workflows.bundle import export_bundle, import_bundle
from workflows.exceptions import InvalidWorkflow
from workflows.models import Workflow, WorkflowVersion
from workflows.unpacking import BadBundle

pytestmark = pytest.mark.django_db


def calling_bundle() -> bytes:
    make_published(**{**FIND, "nodes": ({**PAGES[0], "picture": make_picture().digest}, *PAGES[1:])})
    publish(workflow=caller(workflow_id="middle", name="Middle"), user=None)
    params = {"workflow": "middle", "version": 1, "values": {"who": "{{name}}"}}
    edge = {"edge_id": "mid", "source": "list", "destination": "end", "action_type": "call_workflow", "params": params}
    outer = caller(workflow_id="outer", edges=[edge], variables=[{"name": "name"}])
    publish(workflow=outer, user=None)
    return export_bundle(outer)


def forget_all() -> list[str]:
    digests = list(WorkflowVersion.objects.order_by("workflow__workflow_id").values_list("digest", flat=True))
    WorkflowVersion.objects.all().delete()
    Workflow.objects.all().delete()
    return digests


def test_a_file_holds_what_its_workflow_does_inside_and_brings_it_to_another_machine() -> None:
    data = calling_bundle()
    assert export_bundle(Workflow.objects.by_id("outer")) == data
    before = forget_all()
    imported = import_bundle(data, user=make_user("designer"))
    assert [(v.workflow.workflow_id, v.number) for v in WorkflowVersion.objects.order_by("workflow__workflow_id")] == [
        ("find", 1),
        ("middle", 1),
    ]
    publish(workflow=imported, user=None)
    after = list(WorkflowVersion.objects.order_by("workflow__workflow_id").values_list("digest", flat=True))
    assert after == before
    again = import_bundle(data, user=make_user("designer"), workflow_id="outer2")
    assert WorkflowVersion.objects.count() == 3, "what is here already is not brought again"
    assert again.edges.get(edge_id="mid").params["version"] == 1


def test_a_file_whose_other_workflow_is_another_one_here_is_refused_whole() -> None:
    data = calling_bundle()
    forget_all()
    make_published(workflow_id="find", name="Another")
    with pytest.raises(BadBundle, match="another one"):
        import_bundle(data, user=make_user("designer"))
    assert Workflow.objects.count() == 1


def test_a_file_with_another_workflow_than_would_be_published_is_refused() -> None:
    """Whoever writes such a file could have one screen do what another one is shown to do."""
    data = calling_bundle()
    forget_all()

    def forge(document: dict[str, Any]) -> None:
        middle = next(one for one in document["calls"] if one["workflow_id"] == "middle")
        inner = next(e for e in middle["graph"]["edges"] if e["edge_id"] == "look_up/close")
        inner["params"] = {"keys": "delete"}

    with pytest.raises(BadBundle, match="not what would be published"):
        import_bundle(changed(data, forge), user=make_user("designer"))
    with pytest.raises(BadBundle, match="with what it does inside"):
        import_bundle(
            changed(data, lambda document: document["graph"]["nodes"][0].update(scope="x")), user=make_user("designer")
        )
    with pytest.raises(InvalidWorkflow):
        import_bundle(changed(data, lambda document: document.update(calls=document["calls"][:1])), user=None)
    assert not Workflow.objects.exists()
