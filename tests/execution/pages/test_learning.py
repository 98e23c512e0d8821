"""The page Learning and a workflow's own part of it (S6.7, S6.8)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from audit.models import Entry, Verb
from execution.learning.drift import Surety, after
from execution.models import DriftWatch
from tests.factories import make_published
from tests.support.learned import run_of
from workflows.actions.trust import change_trust
from workflows.models import TrustChange, Workflow, WorkflowVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def version() -> WorkflowVersion:
    version = make_published(learning_state="COACHING")
    for _ in range(5):
        run_of(version)
    return version


def state(version: WorkflowVersion) -> str:
    return Workflow.objects.get(pk=version.workflow.pk).learning_state


def text(response: Any) -> str:
    return " ".join(response.content.decode().split())


def drifted(version: WorkflowVersion) -> DriftWatch:
    surety = after(Surety(), [0.95] * 100 + [0.8] * 10)
    return DriftWatch.objects.create(
        workflow=version.workflow, kind="screen", name="save_dialog", taught="", gathered=surety.to_json(),
        recent=list(surety.recent), looks=110, is_drifting=True, severity=0.75, action="re-teach",
    )  # fmt: skip


def test_a_promotion_is_a_sentence_with_its_evidence_and_one_button(version, client_of, designer) -> None:
    client = client_of(designer)
    page = text(client.get("/learning"))
    assert "15 of 15 acts verified over the last 5 runs: at least 81% succeed (95% confidence)." in page
    assert page.count("Trust it further: candidate for automatic") == 1
    where = f"/learning/workflows/{version.workflow.workflow_id}/promote"
    after_it = client.post(where, {"to": "AUTO_CANDIDATE"}, follow=True)
    assert state(version) == "AUTO_CANDIDATE"
    assert "Its runs are too few: 5 of 10." in text(after_it)
    assert designer.username in text(after_it)
    assert Entry.objects.filter(verb=Verb.TRUST, origin="page").count() == 1
    again = client.post(where, {"to": "AUTO_CANDIDATE"}, follow=True)  # pressed twice
    assert "look again" in text(again)
    assert TrustChange.objects.count() == 1


def test_a_viewer_sees_and_decides_nothing(version: WorkflowVersion, client_of: Any, viewer: Any) -> None:
    drifted(version)
    change = change_trust(workflow=version.workflow, to="OBSERVATION", reason="")
    assert change is not None
    client = client_of(viewer)
    assert 'class="button' not in client.get("/learning").content.decode().split("<main")[1]
    for path in ("workflows/x/promote", "workflows/x/ask", "drift/1/begin-anew", f"changes/{change.pk}/take-back"):
        assert client.post(f"/learning/{path}").status_code == 403
    assert state(version) == "OBSERVATION"


def test_a_demotion_is_in_the_log_with_its_reason_and_can_be_taken_back(version, client_of, designer) -> None:
    Workflow.objects.filter(pk=version.workflow.pk).update(learning_state="AUTO_CONFIRMED")
    change = change_trust(workflow=version.workflow, to="COACHING", reason="The letter has changed.")
    assert change is not None
    client = client_of(designer)
    page = text(client.get("/learning"))
    assert "The letter has changed." in page
    assert "by itself" in page
    assert "Why is it to be trusted as before?" in page
    refused = client.post(f"/learning/changes/{change.pk}/take-back", follow=True)
    assert "Say why it is to be trusted as before" in text(refused)
    assert state(version) == "COACHING"
    said = client.post(f"/learning/changes/{change.pk}/take-back", {"reason": "It was a test."}, follow=True)
    assert "“It was a test.”" in text(said)
    assert state(version) == "AUTO_CONFIRMED"
    refused = client.post(f"/learning/changes/{change.pk}/take-back", {"reason": "Again."}, follow=True)
    assert "look again" in text(refused)
    assert state(version) == "AUTO_CONFIRMED"


def test_what_has_changed_stands_on_both_pages_with_what_to_do(version, client_of, designer) -> None:
    row, client = drifted(version), client_of(designer)
    for path in ("/learning", f"/workflows/{version.workflow.workflow_id}"):
        page = text(client.get(path))
        assert "has changed" in page
        assert "Save dialog" in page
        assert "sure, the last times: " + " · ".join(["80"] * 10) + " %" in page
        assert "Show it anew" in page
    assert "Trust it further" not in text(client.get("/learning"))
    client.post(f"/learning/drift/{row.pk}/begin-anew")
    row.refresh_from_db()
    assert (row.is_drifting, row.recent) == (False, [])
    assert "Trust it further" in text(client.get("/learning"))


def test_the_level_of_autonomy_is_changed_on_the_workflow_s_page(version, client_of, designer) -> None:
    client, where = client_of(designer), f"/learning/workflows/{version.workflow.workflow_id}/ask"
    client.post(where, {"ask_below": "0.7"})
    assert Workflow.objects.get(pk=version.workflow.pk).ask_below == 0.7
    client.post(where, {"ask_below": "7"})
    assert Workflow.objects.get(pk=version.workflow.pk).ask_below == 0.7
    page = text(client.get(f"/workflows/{version.workflow.workflow_id}"))
    assert '<option value="0.7" selected>' in page
    assert "5 of 5, at least 54 %" in page


def test_what_has_changed_is_drawn_on_its_screen_in_the_workflow(version, client_of, viewer) -> None:
    """S6.7: on the graph and in the panel of that screen alone, with the sentence."""
    client, where = client_of(viewer), f"/workflows/{version.workflow.workflow_id}"
    assert "workflow-marks" not in text(client.get(where))
    drifted(version)
    response = client.get(where)
    (marks,) = re.findall(r'id="workflow-marks" type="application/json">(.*?)</script>', text(response))
    (mark,) = json.loads(marks).items()
    assert (mark[0], mark[1]["word"], mark[1]["changed"]) == ("node-save_dialog", "has changed", True)
    assert mark[1]["said"].startswith("Has changed: sure, the last times: 80 · 80")
    sections = re.findall(r'<section class="detail" id="([^"]+)"(.*?)</section>', response.content.decode(), re.DOTALL)
    assert [name for name, inside in sections if "Has changed:" in inside] == ["node-save_dialog"]
