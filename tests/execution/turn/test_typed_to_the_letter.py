"""A text is typed as it stands, with its blanks and line breaks, whichever door it came through (S1.4, S1.10, S8.4)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.forms.models import model_to_dict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from execution.actions.decide import check_correction
from execution.actions.start import start
from execution.models import Execution
from execution.pages.start import StartForm
from execution.turn.acting import perform
from execution.types import ActionStatus, Resolution, ResolveStatus, Suggestion
from tests.doubles.scripted import ScriptedDesktop
from tests.factories import make_published, make_workflow
from tests.support.scripted import screens
from workflows.actions.publish import publish
from workflows.admin.fields import ReadableJSONField
from workflows.admin.forms import EdgeForm, VariableForm
from workflows.bundle import export_bundle, import_bundle
from workflows.graph import EdgeSpec
from workflows.models import Edge, Variable, WorkflowVersion
from workflows.text import fill

pytestmark = pytest.mark.django_db

BLANKS = " \t\n\u00a0\u2009"
TEXTS = st.builds(
    lambda before, core, after: before + core + after,
    st.text(BLANKS, max_size=4),
    st.text("aé€{}\\\"'<&%" + BLANKS, max_size=6).map(lambda core: f"x{core}x"),
    st.text(BLANKS, max_size=4),
)
VALUES = TEXTS.map(lambda text: text.replace("\t", "\n"))  # a tab would leave the field
LINES = [{"name": "patient", "label": "Patient", "kind": "lines"}]
FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def as_a_browser_sends(text: str) -> str:
    """A form's texts go with CRLF, however they were written."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")


def typed(edge: EdgeSpec, variables: dict[str, str]) -> str:
    """What reaches the desktop of this edge."""
    desktop = ScriptedDesktop(screens("one"))
    params = fill(edge.params, variables)
    resolution = Resolution(status=ResolveStatus.NOT_NEEDED)
    suggestion = Suggestion(edge=edge, node_id=edge.source, sentence="", params=params, resolution=resolution)
    assert perform(desktop, suggestion).status is ActionStatus.DONE
    return desktop.log[0].text


def typing(version: WorkflowVersion) -> EdgeSpec:
    return next(
        edge for edge in WorkflowVersion.objects.get(pk=version.pk).spec().edges if edge.action_type == "type_text"
    )


def saved(edge: Edge, text: str) -> None:
    """The admin's form, as the browser sends it."""
    data = {k: v for k, v in model_to_dict(edge).items() if v is not None}
    written = ReadableJSONField().prepare_value({**edge.params, "text": text})
    form = EdgeForm({**data, "params": as_a_browser_sends(written)}, instance=edge)
    assert form.is_valid(), form.errors
    form.save()


@FEW
@given(text=TEXTS)
@pytest.mark.slow
def test_what_is_written_in_the_admin_reaches_the_keyboard(text: str) -> None:
    """S8.4, S8.6: saved, published, exported, imported, published again."""
    workflow = make_workflow()
    edge = workflow.edges.get(edge_id="type_patient")
    saved(edge, text.replace("{", "("))
    text = text.replace("{", "(")
    version = publish(workflow=workflow, user=None, note="")
    assert typed(typing(version), {"patient": ""}) == text
    copy = import_bundle(export_bundle(workflow), user=None, workflow_id=f"copy_of_{workflow.workflow_id}")
    assert typed(typing(publish(workflow=copy, user=None, note="")), {"patient": ""}) == text


@pytest.mark.parametrize("text", ["a\r\nb\r\n", "a\rb", " a\n\n", "\n a", "a\t"])
def test_a_form_that_nobody_touched_changes_nothing(text: str) -> None:
    """S8.4: what came by another way, with breaks of its own, stays to the letter."""
    workflow = make_workflow()
    edge = workflow.edges.get(edge_id="type_patient")
    Edge.objects.filter(pk=edge.pk).update(params={"text": text})
    saved(workflow.edges.get(pk=edge.pk), text)
    assert workflow.edges.get(pk=edge.pk).params["text"] == text


@FEW
@given(text=VALUES)
@pytest.mark.slow
def test_a_default_reaches_the_keyboard(text: str) -> None:
    variable = Variable(name="patient", label="Patient", workflow=make_workflow(variables=[]))
    data = {"workflow": variable.workflow_id, "name": "patient", "label": "Patient", "kind": "lines", "order": 0}
    form = VariableForm({**data, "default": as_a_browser_sends(text)}, instance=variable)
    assert form.is_valid(), form.errors
    form.save()
    version = publish(workflow=variable.workflow, user=None, note="")
    execution = start(workflow_id=variable.workflow.workflow_id)
    assert typed(replace(typing(version), params={"text": "{{patient}}"}), execution.variables) == text


@FEW
@given(text=VALUES)
def test_a_value_of_the_start_reaches_the_keyboard(operator: Any, client_of: Any, text: str) -> None:
    """S1.4, by the API: as JSON has it, to the letter."""
    version = make_published(variables=LINES)
    body = json.dumps({"workflow_id": version.workflow.workflow_id, "variables": {"patient": text}})
    answer = client_of(operator).post("/api/executions/", body, content_type="application/json")
    assert answer.status_code == 201, answer.json()
    execution = Execution.objects.get(execution_id=answer.json()["execution_id"])
    assert typed(replace(typing(version), params={"text": "{{patient}}"}), execution.variables) == text


@FEW
@given(text=VALUES)
def test_a_value_of_the_start_form_reaches_the_keyboard(operator: Any, text: str) -> None:
    version = make_published(variables=LINES)
    workflow = version.workflow
    form = StartForm(
        {"mode": "supervised", "var_patient": as_a_browser_sends(text)},
        workflow=workflow, graph=version.spec(), user=operator,
    )  # fmt: skip
    assert form.is_valid(), form.errors
    execution = form.start()
    assert execution is not None
    assert typed(replace(typing(version), params={"text": "{{patient}}"}), execution.variables) == text


@FEW
@given(text=VALUES)
def test_a_corrected_text_reaches_the_keyboard(text: str) -> None:
    """S1.10"""
    kept = check_correction({"params": {"text": text}})["params"]
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="type_text", params=kept)
    assert edge.params["text"] == text and typed(replace(edge, params={"text": "{{t}}"}), {"t": text}) == text


def test_blanks_around_a_date_mean_nothing(operator: Any, client_of: Any) -> None:
    version = make_published(variables=[{"name": "patient", "kind": "date"}])
    execution = start(workflow_id=version.workflow.workflow_id, variables={"patient": " 2026-11-21 "})
    assert execution.variables["patient"] == "2026-11-21"
