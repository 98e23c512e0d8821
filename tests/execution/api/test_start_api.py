"""Starting runs by the API (S1.3, S1.4, S2.2): what is refused, and how the refusal reads."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from execution.actions.start import start
from execution.choices import ExecutionState
from execution.models import Execution
from tests.factories import make_execution, make_published, make_workflow

pytestmark = pytest.mark.django_db

PATH = "/api/executions/"


@pytest.fixture
def api(operator: Any, client_of: Any) -> Client:
    return client_of(operator)


def post(api: Client, **body: Any) -> Any:
    return api.post(PATH, body, content_type="application/json")


def test_a_started_run_is_queued_with_its_version_pinned(api, operator):
    """S1.4"""
    version = make_published()
    answer = post(api, workflow_id=version.workflow.workflow_id, variables={"patient": "Bo Li"})
    run = Execution.objects.get()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/executions/{run.execution_id}/"
    assert answer.json()["execution_id"] == run.execution_id
    assert (run.state, run.version, run.started_by) == (ExecutionState.QUEUED, version, operator)
    assert (run.variables, run.start_node_id, run.mode) == ({"patient": "Bo Li"}, "empty_note", "observation")
    assert run.events.count() == 1


def test_mode_node_desktop_and_flags_can_be_chosen(api):
    """S1.4, S2.2"""
    version = make_published()
    answer = post(
        api,
        workflow_id=version.workflow.workflow_id,
        mode="supervised",
        start_node_id="save_dialog",
        desktop="host:7",
        enable_ocr=False,
        analyze_timeout_ms=15000,
    )
    body = answer.json()
    assert (body["mode"], body["start_node_id"], body["desktop"]) == ("supervised", "save_dialog", "host:7")
    assert body["flags"] == {
        "enable_ui_detection": True,
        "enable_ocr": False,
        "analyze_timeout_ms": 15000,
        "window_info_provider": "",
    }


def test_a_second_run_on_a_busy_desktop_is_queued(api):
    """S1.4"""
    busy = make_execution(state=ExecutionState.RUNNING, desktop="host:1")
    answer = post(api, workflow_id=busy.workflow_id, desktop="host:1")
    assert (answer.status_code, answer.json()["state"]) == (201, "queued")


@pytest.mark.parametrize(
    ("change", "status", "error", "named"),
    [
        ({"workflow_id": "wf_nowhere"}, 404, "unknown_workflow", "wf_nowhere"),
        ({"start_node_id": "cellar"}, 400, "unknown_node", "cellar"),
        ({"mode": "wild"}, 400, "bad_mode", "wild"),
        ({"variables": {"patient": "", "ward": "3"}}, 422, "bad_variable", "ward"),
        ({"workflow_id": ""}, 400, "invalid", "workflow_id"),
        ({"analyze_timeout_ms": 0}, 400, "invalid", "analyze_timeout_ms"),
        ({"enable_ocr": "perhaps"}, 400, "invalid", "enable_ocr"),
        ({"variables": ["patient"]}, 400, "invalid", "variables"),
    ],
)
def test_what_cannot_start_is_refused_by_name(api, change, status, error, named):
    """S1.4"""
    version = make_published(workflow_id="wf_notes")
    answer = post(api, **{"workflow_id": version.workflow.workflow_id, **change})
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert named in answer.json()["detail"]
    assert not Execution.objects.exists()


def test_a_missing_value_is_named(api):
    """S1.4"""
    version = make_published(variables=[{"name": "patient", "label": "Patient"}])
    answer = post(api, workflow_id=version.workflow.workflow_id)
    assert (answer.status_code, answer.json()["error"], answer.json()["variables"]) == (
        422,
        "missing_variable",
        ["patient"],
    )


def test_an_unpublished_workflow_does_not_start(api):
    """S1.4"""
    answer = post(api, workflow_id=make_workflow().workflow_id)
    assert (answer.status_code, answer.json()["error"]) == (409, "not_published")


@pytest.mark.security
def test_only_a_designer_may_choose_who_tells_what_window_is_open(api, designer, client_of, settings):
    """S2.7"""
    settings.RPA_WINDOW_PROVIDERS = {"citrix": "os.getcwd"}
    version = make_published()
    body = {"workflow_id": version.workflow.workflow_id, "window_info_provider": "citrix"}
    assert post(api, **body).status_code == 403
    assert not Execution.objects.exists()
    assert post(client_of(designer), **body).status_code == 201


@pytest.mark.security
@pytest.mark.parametrize("path", ["os.abort", "os.getcwd", "Citrix", "citrix "])
def test_a_provider_that_the_setting_does_not_name_is_refused_with_those_there_are(designer, client_of, settings, path):
    """S2.7: nobody names code, whoever they are."""
    settings.RPA_WINDOW_PROVIDERS = {"citrix": "os.getcwd", "rdp": "os.getpid"}
    version = make_published()
    answer = post(client_of(designer), workflow_id=version.workflow.workflow_id, window_info_provider=f"x{path}")
    assert (answer.status_code, answer.json()["error"]) == (422, "unknown_window_provider")
    assert "citrix, rdp" in answer.json()["detail"]
    assert not Execution.objects.exists()


def test_refusals_come_in_the_language_of_the_browser(operator, client_of):
    """S8.5: the sentence is translated, the code is not."""
    api = client_of(operator, headers={"accept-language": "fr"})
    answer = post(api, workflow_id="wf_nowhere")
    assert answer.json()["error"] == "unknown_workflow"
    assert answer.headers["Content-Language"] == "fr"


@pytest.mark.security
def test_every_door_asks_for_the_permission(viewer, operator):
    """S10.1: the action itself does, whoever calls it; the server's own commands have no user."""
    version = make_published()
    with pytest.raises(PermissionDenied, match="operate"):
        start(workflow_id=version.workflow.workflow_id, user=viewer)
    assert not Execution.objects.exists()
    start(workflow_id=version.workflow.workflow_id, user=operator)
    start(workflow_id=version.workflow.workflow_id)
    assert Execution.objects.count() == 2


def test_a_value_that_is_not_allowed_is_refused_and_the_allowed_ones_are_named(api):
    """S1.4: a variable with allowed values takes no other."""
    variables = ({"name": "patient", "label": "Patient", "choices": ["Ada Martin", "Bo Li"]},)
    version = make_published(variables=variables)
    refused = post(api, workflow_id=version.workflow.workflow_id, variables={"patient": "Cy Young"})
    assert refused.status_code == 422
    assert refused.json()["detail"] == "Patient: “Cy Young” is not allowed here. Allowed: “Ada Martin”, “Bo Li”."
    assert post(api, workflow_id=version.workflow.workflow_id, variables={"patient": "Bo Li"}).status_code == 201


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("text", "two\tfields", "A tab goes on to the next field."),
        ("lines", "two\tfields", "A tab goes on to the next field."),
        ("text", "two\nlines", "A line break may confirm what is not finished."),
        ("text", "up\x1b", "It holds the character U+001B"),
        ("lines", "two\u2028lines", "It holds the character U+2028"),
        ("lines", "two\nlines", ""),
    ],
)
def test_a_value_that_would_press_a_key_is_refused(api: Client, kind: str, value: str, said: str) -> None:
    """S1.4: a tab in a remark went on to the next field, and the blank behind it confirmed an order."""
    version = make_published(variables=[{"name": "patient", "label": "Patient", "kind": kind}])
    answer = post(api, workflow_id=version.workflow.workflow_id, variables={"patient": value})
    assert answer.status_code == (422 if said else 201)
    assert said in str(answer.json())


def test_a_version_may_be_named(api):
    """S1.4"""
    version = make_published()
    workflow_id = version.workflow.workflow_id
    assert post(api, workflow_id=workflow_id, variables={"patient": "Bo Li"}, version=1).status_code == 201
    refused = post(api, workflow_id=workflow_id, variables={"patient": "Bo Li"}, version=5)
    assert (refused.status_code, refused.json()["error"]) == (404, "unknown_version")
    assert "has no version 5. Versions: 1." in refused.json()["detail"]
