"""Workflows over REST: what the pages do, the API does (S8.3)."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import NODES, make_published, make_user, make_workflow
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_designer(client):
    client.force_login(make_user("designer"))
    return client


def broken() -> Workflow:
    return make_workflow(nodes=(*NODES[:3], {**NODES[3], "is_end": False}))


def test_the_list_gives_the_version_that_runs_use(as_designer) -> None:
    make_workflow(workflow_id="wf_b", name="B")
    version = make_published(workflow_id="wf_a", name="A")

    data = as_designer.get("/api/workflows/").json()

    assert data["count"] == 2
    assert [(w["workflow_id"], w["version"]) for w in data["results"]] == [("wf_a", version.number), ("wf_b", None)]


def test_one_workflow_gives_graph_versions_and_problems(as_designer) -> None:
    version = make_published(workflow_id="wf_a", note="First", user=make_user("designer", "dora"))

    data = as_designer.get("/api/workflows/wf_a/").json()

    assert data["graph"]["entry_nodes"] == ["empty_note"]
    assert data["graph"]["nodes"][0]["texts"] == ["File", "Edit", "View"]
    assert data["graph"]["edges"][2]["target"]["label"] == "Save"
    assert data["graph"]["edges"][0]["params"] == {"text": "{{patient}}"}
    assert data["versions"] == [
        {
            "number": 1,
            "digest": version.digest,
            "note": "First",
            "published_at": data["versions"][0]["published_at"],
            "published_by": "dora",
        }
    ]
    assert data["problems"] == []


def test_problems_are_given_with_code_place_and_sentence(as_designer) -> None:
    data = as_designer.get(f"/api/workflows/{broken().workflow_id}/problems/").json()

    assert {"no_end", "terminal_not_end"} == {p["code"] for p in data}
    assert data[0] == {
        "code": "no_end",
        "severity": "error",
        "kind": "workflow",
        "where": "",
        "message": "No screen is marked as the end. Mark the screen on which a run is finished.",
    }


def test_publishing_gives_the_version(as_designer) -> None:
    workflow = make_workflow()

    response = as_designer.post(
        f"/api/workflows/{workflow.workflow_id}/publish/", {"note": "From a script"}, content_type="application/json"
    )

    assert response.status_code == 200
    assert response.json()["number"] == 1
    assert workflow.latest_version().note == "From a script"


def test_publishing_what_is_wrong_is_refused_with_the_problems(as_designer) -> None:
    workflow = broken()

    response = as_designer.post(f"/api/workflows/{workflow.workflow_id}/publish/")

    assert response.status_code == 422
    assert response.json()["error"] == "invalid_workflow"
    assert [p["code"] for p in response.json()["problems"]] == ["no_end"]
    assert not workflow.versions.exists()


def test_a_file_goes_out_and_comes_in(as_designer) -> None:
    """S8.6"""
    make_workflow(workflow_id="wf_a")
    data = as_designer.get("/api/workflows/wf_a/export/").content

    response = as_designer.post("/api/workflows/", {"file": SimpleUploadedFile("a.zip", data), "workflow_id": "wf_b"})

    assert response.status_code == 201
    assert response.json()["workflow_id"] == "wf_b"
    assert response.json()["version"] is None


def test_an_unknown_workflow_is_404_and_the_known_are_named(as_designer) -> None:
    make_workflow(workflow_id="wf_known")

    response = as_designer.get("/api/workflows/wf_other/")

    assert response.status_code == 404
    assert "wf_known" in response.json()["detail"]


def test_the_schema_describes_workflows_without_a_warning(recwarn) -> None:
    """S8.3"""
    from drf_spectacular.drainage import GENERATOR_STATS, reset_generator_stats
    from drf_spectacular.generators import SchemaGenerator

    from workflows import api

    reset_generator_stats()
    with GENERATOR_STATS.silence():
        schema = SchemaGenerator(patterns=api.urlpatterns).get_schema(request=None, public=True)

    assert not GENERATOR_STATS
    graph = schema["components"]["schemas"]["Graph"]["properties"]
    assert {"nodes", "edges", "variables", "entry_nodes"} <= graph.keys()
    assert {"get", "post"} == schema["paths"]["/workflows/"].keys()
