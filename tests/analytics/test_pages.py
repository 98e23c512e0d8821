"""The pages of analytics: each number leads to its runs, in the reader's language and days (S7.3, S7.4)."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analytics.models import HandTime
from analytics.projection import project, project_run
from execution.actions.mark import mark
from execution.choices import ExecutionState, Feedback
from execution.models import DriftWatch, Execution, Step
from execution.worklists.tables import FORMULA, safe
from tests.analytics.steps import make_step
from tests.factories import make_execution, make_published

pytestmark = pytest.mark.django_db

Come = Callable[[str], Client]


@pytest.fixture
def come(make_user: Any) -> Come:
    known: dict[str, Client] = {}

    def logged_in(role: str) -> Client:
        if role not in known:
            known[role] = Client()
            known[role].force_login(make_user(f"{role}-person", role))
        return known[role]

    return logged_in


@pytest.fixture
def version() -> Any:
    return make_published(name="Order lab", workflow_id="wf_lab")


def ended(
    version: Any, state: ExecutionState = ExecutionState.COMPLETED, *, ago: float = 1.0, **fields: Any
) -> Execution:
    """A run of two steps that ended so many days ago."""
    at = timezone.now() - timedelta(days=ago)
    run = make_execution(version=version, started_at=at, created_at=at)
    for _n in range(2):
        project(make_step(run, started_at=at, total_ms=500.0).pk)
    Execution.objects.filter(pk=run.pk).update(state=state, ended_at=at, lasted_s=2.0, measured_at=at, **fields)
    project_run(run.execution_id)
    return run


def texts(page: bytes) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.decode()))


def test_the_overview_tells_how_runs_ended(come: Come, version: Any) -> None:
    """S7.3"""
    for _n in range(3):
        ended(version)
    ended(version, manual_executions=1)
    ended(version, ExecutionState.FAILED)
    ended(version, ago=40)
    said = texts(come("viewer").get(reverse("analytics")).content)
    for words in ("60.0 %", "3 by itself", "1 with help", "1 failed", "down from 100 %", "1 the period before"):
        assert words in said, said
    assert "Order lab" in said
    assert "80.0 %" in said  # succeeded


def test_each_number_leads_to_the_runs_behind_it(come: Come, version: Any) -> None:
    """Whoever follows a number finds as many runs as it said."""
    client = come("viewer")
    well = [ended(version) for _n in range(3)]
    failed = ended(version, ExecutionState.FAILED)
    ended(version, ago=40)
    page = client.get(reverse("analytics")).content.decode()
    addresses = {link.replace("&amp;", "&") for link in re.findall(r'href="(/analytics/(?:runs|steps)\?[^"]+)"', page)}
    assert len(addresses) > 8
    for address in addresses:
        assert client.get(address).status_code == 200, address
    behind = client.get(reverse("analytics_runs"), {"how": "failed"}).content.decode()
    assert f"/runs/{failed.execution_id}" in behind
    assert not any(f"/runs/{run.execution_id}" in behind for run in well)
    assert client.get(reverse("analytics_runs"), {"how": "alone"}).context["total"] == 3
    assert client.get(reverse("analytics_runs"), {"days": "364"}).context["total"] == 5
    assert client.get(reverse("analytics_runs"), {"workflow": "wf_other"}).context["total"] == 0
    assert client.get(reverse("analytics_runs"), {"version": "1"}).context["total"] == 4


def test_what_people_said_was_wrong_is_counted_with_its_runs(
    come: Come, version: Any, django_capture_on_commit_callbacks: Any
) -> None:
    """S7.3, S7.4: on both pages and in what is exported, and it leads to the steps and runs themselves."""
    ended(version)
    run, client = ended(version), come("viewer")
    said = texts(client.get(reverse("analytics")).content)
    assert "Wrong actions told by people 0 of 4 nobody has told of one yet" in said, said
    assert "said to be wrong" not in said
    with django_capture_on_commit_callbacks(execute=True):
        for step in run.steps.all():
            mark(step=step, feedback=Feedback.INCORRECT)
    for address in (reverse("analytics"), reverse("analytics_workflow", args=["wf_lab"])):
        page = client.get(address).content
        said = texts(page)
        assert f"told by people 2 of 4 last one 1 day ago, run {run.pk}" in said and "did 2 wrong steps" in said, said
        assert f'href="/runs/{run.execution_id}/steps/' in page.decode()
        links = {
            link.replace("&amp;", "&")
            for link in re.findall(r'href="(/analytics/(?:runs|steps)\?[^"]*wrong[^"]*)"', page.decode())
        }
        assert len(links) == (3 if "workflows" not in address else 4), links
        for link in links:
            answer = client.get(link)
            behind = answer.content.decode()
            assert re.findall(r'href="/runs/([^"#/]+)', behind) and set(
                re.findall(r'href="/runs/(ex[^"#/]+)', behind)
            ) == {run.execution_id}, link
            if "/steps" in link:
                assert [row["step"].wrong for row in answer.context["rows"]] == [1, 1]
            else:
                assert answer.context["total"] == 1
    rows = list(csv.DictReader(io.StringIO(exported(client, "runs", "csv"))))
    assert sorted(row["wrong"] for row in rows) == ["0", "2"]
    with django_capture_on_commit_callbacks(execute=True):
        for step in run.steps.all():
            mark(step=step, feedback=Feedback.CORRECT)
    assert "nobody has told of one yet" in texts(client.get(reverse("analytics")).content)  # it was taken back
    with django_capture_on_commit_callbacks(execute=True):
        for step in run.steps.all():
            mark(step=step, feedback=Feedback.INCORRECT)
    told = json.loads(exported(client, "steps", "json", wrong="1"))
    assert [one["execution_id"] for one in told] == [run.execution_id] * 2


def test_steps_behind_a_number_are_told_in_words(come: Come, version: Any) -> None:
    run = ended(version)
    page = come("viewer").get(reverse("analytics_steps"), {"rung": "ocr_text", "edge": "click_save"}).content.decode()
    assert f"/runs/{run.execution_id}/steps/1" in page
    assert "Save dialog" in page and "Click “Save”" in page
    assert "ocr_text" not in texts(page.encode())
    other = make_step(run, node_id="saved", edge_id="", started_at=timezone.now())
    project(other.pk)
    for node, shown in (("save_dialog", [2, 1]), ("saved", [3]), ("nowhere", [])):
        answer = come("operator").get(reverse("analytics_steps"), {"workflow": "wf_lab", "node": node})
        assert sorted(row["step"].step for row in answer.context["rows"]) == sorted(shown)


def test_what_a_list_is_about_is_said_in_words_and_holds_as_many_as_the_number_said(come: Come, version: Any) -> None:
    """Each number of a workflow's steps leads to those steps."""
    run, client = ended(version), come("viewer")
    first, second = run.steps.order_by("index")
    Step.objects.filter(pk=first.pk).update(retries=2)
    Step.objects.filter(pk=second.pk).update(success=False, outcome="failed")
    for step in (first, second):
        project(step.pk)
    page = client.get(reverse("analytics_workflow", args=["wf_lab"])).content.decode()
    links = [link.replace("&amp;", "&") for link in re.findall(r'href="(/analytics/steps\?[^"]+edge=[^"]+)"', page)]
    for asked, index, words in (("failed=1", 2, "failed"), ("retried=1", 1, "tried more than once")):
        (address,) = {link for link in links if asked in link}
        answer = client.get(address)
        assert [row["step"].step for row in answer.context["rows"]] == [index]
        assert answer.context["about"] == ["Order lab", words, "Click “Save”"]
    versions = re.findall(r'href="(/analytics/runs\?[^"]+version=1[^"]*)"', page)
    assert {re.search(r"how=(\w+)", link)[1] for link in versions if "how=" in link} >= {"alone", "completed", "failed"}  # type: ignore[index]


def test_what_runs_say_has_changed_needs_attention(come: Come, version: Any) -> None:
    """S6.7: found by the test of every look, and led to where it is mended."""
    ended(version)
    for kind, name in (("screen", "save_dialog"), ("step", "click_save")):
        DriftWatch.objects.create(workflow=version.workflow, kind=kind, name=name, is_drifting=True)
    DriftWatch.objects.create(workflow=version.workflow, kind="screen", name="saved")
    for address in (reverse("analytics"), reverse("analytics_workflow", args=["wf_lab"])):
        page = come("designer").get(address).content
        said = texts(page)
        assert "Order lab · Save dialog has changed" in said and "has a step that works less often" in said, said
        assert "· Saved has changed" not in said
        assert page.decode().count('<a class="button slim" href="/learning">') == 2


@pytest.mark.parametrize("name", ["analytics", "analytics_runs", "analytics_steps", "analytics_workflow"])
@pytest.mark.slow
def test_a_page_takes_at_most_fifteen_queries(
    name: str, come: Come, version: Any, django_assert_max_num_queries: Any
) -> None:
    for _n in range(3):
        ended(version)
    for n in range(3):
        ended(make_published(name=f"Other {n}"))
    client = come("designer")
    address = reverse(name, args=["wf_lab"] if name == "analytics_workflow" else [])
    with django_assert_max_num_queries(15):
        assert client.get(address).status_code == 200


def test_time_by_hand_is_stated_and_counts(come: Come, version: Any) -> None:
    for _n in range(4):
        ended(version)
    designer, address = come("designer"), reverse("analytics_hand_time", args=["wf_lab"])
    assert "nobody has said yet" in texts(designer.get(reverse("analytics")).content)
    assert designer.post(address, {"minutes": "90"}).status_code == 302
    said = texts(designer.get(reverse("analytics")).content)
    assert "6.0 h" in said and "90.0 min a run as a person stated it" in said
    assert HandTime.objects.get().stated_by.startswith("designer")
    for wrong in ("x", "-1", "99999"):
        assert designer.post(address, {"minutes": wrong}).status_code == 422
    designer.post(address, {"minutes": ""})
    assert not HandTime.objects.exists()
    assert come("viewer").post(address, {"minutes": "1"}).status_code == 403


def test_nothing_yet_says_what_to_do(come: Come) -> None:
    said = texts(come("operator").get(reverse("analytics")).content)
    assert "No run ended in these days" in said and "Start a run" in said


# --- what is taken away -----------------------------------------------------------------------------------------------
def exported(client: Client, what: str, kind: str, **asked: str) -> str:
    response = client.get(reverse("api_analytics_export", args=[what, kind]), asked)
    assert response.status_code == 200
    assert response.streaming and "attachment" in response["Content-Disposition"]
    return response.getvalue().decode()


def test_runs_and_steps_leave_as_csv_and_json(come: Come, version: Any) -> None:
    """S7.4"""
    runs = [ended(version, ago=n + 0.5) for n in range(3)]
    client = come("viewer")
    rows = list(csv.DictReader(io.StringIO(exported(client, "runs", "csv"))))
    assert [row["execution_id"] for row in rows] == [run.execution_id for run in runs]
    assert {row["state"] for row in rows} == {"completed"}
    told = json.loads(exported(client, "steps", "json"))
    assert len(told) == 6 and told[0]["edge_id"] == "click_save"
    assert json.loads(exported(client, "steps", "json", workflow="wf_none")) == []
    assert exported(client, "runs", "csv", how="failed").count("\n") == 1  # the head alone
    assert client.get("/api/analytics/passwords.csv").status_code == 404
    assert client.get("/api/analytics/runs.xml").status_code == 404


def test_export_goes_page_by_page_and_leaves_nothing_out(
    come: Come, version: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analytics.exports.PAGE", 2)
    runs = {ended(version, ago=1 + (n % 2)).execution_id for n in range(5)}
    rows = list(csv.DictReader(io.StringIO(exported(come("viewer"), "runs", "csv"))))
    assert len(rows) == 5 and {row["execution_id"] for row in rows} == runs


@pytest.mark.security
@pytest.mark.parametrize("begin", FORMULA)
def test_no_cell_is_a_formula(begin: str, come: Come) -> None:
    """S7.4"""
    assert safe(f"{begin}cmd|'/c calc'!A1") == f"'{begin}cmd|'/c calc'!A1"
    assert safe(-1.5) == -1.5


@pytest.mark.security
def test_a_formula_in_a_row_leaves_as_a_text(come: Come, version: Any) -> None:
    run = ended(version)
    project(make_step(run, edge_id='=HYPERLINK("http://x")', started_at=timezone.now()).pk)
    rows = list(csv.DictReader(io.StringIO(exported(come("viewer"), "steps", "csv"))))
    assert rows[0]["edge_id"] == '\'=HYPERLINK("http://x")'
