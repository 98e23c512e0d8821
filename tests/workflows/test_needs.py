"""What a workflow needs of a robot: in its file, over REST, in the admin (S9.4, S8.6)."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_user, make_workflow
from workflows.bundle import export_bundle, import_bundle
from workflows.models import Need, Workflow
from workflows.needs import RobotNeeds, needs_of, write_needs
from workflows.unpacking import BadBundle

pytestmark = pytest.mark.django_db

NEEDS = RobotNeeds(tags=("er", "lab"), programs=("notepad",), smallest_width=1280, smallest_height=800)


def bundle_with(needs: Any) -> bytes:
    workflow, file = make_workflow(), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(export_bundle(workflow))) as whole, zipfile.ZipFile(file, "w") as changed:
        for name in whole.namelist():
            data = whole.read(name)
            if name == "workflow.json":
                data = json.dumps({**json.loads(data), "needs": needs}).encode()
            changed.writestr(name, data)
    return file.getvalue()


def test_needs_are_kept_plain_and_once() -> None:
    workflow = make_workflow()
    write_needs(
        workflow,
        RobotNeeds(tags=(" Lab", "LAB", "er"), programs=("Notepad",), smallest_width=1280, smallest_height=800),
    )
    assert needs_of(Workflow.objects.get(pk=workflow.pk)) == NEEDS
    write_needs(workflow, RobotNeeds())
    assert not Need.objects.exists()


def test_they_travel_with_the_file() -> None:
    workflow = make_workflow()
    write_needs(workflow, NEEDS)
    made = import_bundle(export_bundle(workflow), user=None, workflow_id="again")
    assert needs_of(Workflow.objects.get(pk=made.pk)) == NEEDS


def test_a_file_without_needs_is_as_it_was() -> None:
    with zipfile.ZipFile(io.BytesIO(export_bundle(make_workflow()))) as bundle:
        assert "needs" not in json.loads(bundle.read("workflow.json"))


@pytest.mark.parametrize(
    "needs", [{"tags": ["x" * 101]}, {"tags": [""]}, {"tags": "lab"}, {"smallest_width": -1}, {"colour": "red"}, 3]
)
def test_a_file_whose_needs_cannot_be_kept_is_refused_whole(needs: Any) -> None:
    data, before = bundle_with(needs), Workflow.objects.count()
    with pytest.raises(BadBundle):
        import_bundle(data, user=None, workflow_id="again")
    assert Workflow.objects.count() == before


def test_they_are_read_and_set_over_rest_by_a_designer(client: Client) -> None:
    workflow = make_workflow()
    path = f"/api/workflows/{workflow.workflow_id}/needs/"
    wanted = {"tags": ["er", "lab"], "programs": ["notepad"], "smallest_width": 1280, "smallest_height": 800}
    client.force_login(make_user("operator"))
    assert client.post(path, wanted, content_type="application/json").status_code == 403
    client.force_login(make_user("designer"))
    assert client.post(path, wanted, content_type="application/json").json() == wanted
    assert client.get(path).json() == wanted
    assert client.get(f"/api/workflows/{workflow.workflow_id}/").json()["needs"] == wanted
    assert client.post(path, {**wanted, "smallest_width": -1}, content_type="application/json").status_code == 400
    assert needs_of(Workflow.objects.get(pk=workflow.pk)) == NEEDS


def test_the_admin_page_of_a_workflow_shows_and_keeps_them(client: Client) -> None:
    workflow = make_workflow()
    write_needs(workflow, NEEDS)
    client.force_login(make_user("designer", is_staff=True))
    page = client.get(reverse("admin:workflows_workflow_change", args=[workflow.pk])).content.decode()
    assert 'value="notepad"' in page
    assert 'name="most_at_once"' in page
