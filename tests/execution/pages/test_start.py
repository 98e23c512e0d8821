"""The form that starts a run: an ordinary POST, and what is missing or wrong is said beside its field."""

from __future__ import annotations

import re
from typing import Any

import pytest
import time_machine

from execution.actions.start import start
from execution.choices import ExecutionMode, ExecutionState
from execution.exceptions import BadVariable
from execution.models import Execution, Robot
from execution.pages.start import PRESETS
from tests.factories import EDGES, VARIABLES, make_execution, make_published
from workflows.actions.publish import publish
from workflows.choices import LearningState

pytestmark = pytest.mark.django_db

KINDS = (
    {"name": "patient", "label": "Patient", "example": "Ada Martin"},
    {"name": "email", "label": "E-mail", "kind": "email", "required": False},
    {"name": "seen", "label": "Seen on", "kind": "date", "required": False},
    {"name": "age", "label": "Age", "kind": "number", "required": False},
)


def make_note(**fields: Any) -> Any:
    return make_published(workflow_id="wf_note", name="Patient note", variables=KINDS, **fields)


def filled(**changes: str) -> dict[str, str]:
    values = {
        "workflow": "wf_note",
        "mode": "coaching",
        "var_patient": "Ada",
        "var_email": "",
        "var_seen": "",
        "var_age": "",
    }
    return {**values, **changes}


def error_beside(page: str, name: str) -> str:
    found = re.search(rf'id="id_{name}_error">.*?<span>(.*?)</span>', page, re.DOTALL)
    return found[1] if found else ""


def test_a_run_is_started_with_its_values_and_its_page_opens(client_of, operator) -> None:
    """S1.4"""
    make_note()
    answer = client_of(operator).post("/runs/new", filled(mode="supervised", var_seen="2026-11-21"))
    execution = Execution.objects.get()
    assert answer.url == f"/runs/{execution.execution_id}"
    assert (execution.mode, execution.state) == (ExecutionMode.SUPERVISED, ExecutionState.QUEUED)
    assert execution.variables == {"patient": "Ada", "email": "", "seen": "2026-11-21", "age": ""}
    assert execution.started_by == operator


@pytest.mark.parametrize(("value", "good"), [("2", True), (" 2 ", True), ("0", False), ("1.5", False), ("two", False)])
def test_which_of_a_list_is_asked_for_and_must_be_a_whole_number_from_one(client_of, operator, value, good) -> None:
    """S6.11"""
    target = {**EDGES[2]["target"], "evidence": {"number": "{{age}}"}}
    make_note(edges=(*EDGES[:2], {**EDGES[2], "target": target}))
    answer = client_of(operator).post("/runs/new", filled(var_age=value))
    assert Execution.objects.exists() is good
    if not good:
        told = "Which of several is meant is a whole number from 1 on."
        assert error_beside(answer.content.decode(), "var_age") == told
        with pytest.raises(BadVariable, match="whole number from 1 on"):
            start(workflow_id="wf_note", mode="coaching", variables={"patient": "Ada", "age": value}, user=operator)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("var_patient", "  ", "“Patient” is missing. Write its value here."),
        ("var_email", "nonsense", "“nonsense” is no e-mail address."),
        ("var_seen", "tomorrow", "“tomorrow” is no date; write it as 2026-11-21."),
        ("var_age", "old", "“old” is no number."),
        ("start_node_id", "nowhere", "Select a valid choice. nowhere is not one of the available choices."),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(client_of, operator, field: str, value: str, words: str) -> None:
    """U11: what is missing said beside the field."""
    make_note()
    answer = client_of(operator).post("/runs/new", filled(**{field: value}))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert error_beside(page, field) == words
    assert 'value="Ada"' in page or field == "var_patient"  # what was written is still there
    assert not Execution.objects.exists()


@pytest.mark.parametrize(
    ("learned", "mode"),
    [
        (LearningState.OBSERVATION, "coaching"),  # a person who starts it is there
        (LearningState.COACHING, "coaching"),
        (LearningState.AUTO_CANDIDATE, "supervised"),
        (LearningState.AUTO_CONFIRMED, "automatic"),
    ],
)
def test_the_mode_that_follows_from_what_was_learned_is_suggested(client_of, operator, learned: str, mode: str) -> None:
    """S1.3, and each mode is explained in a line."""
    make_note(learning_state=learned)
    page = client_of(operator).get("/runs/new?workflow=wf_note").content.decode()
    assert re.search(rf'value="{mode}" checked', page)
    assert page.count('name="mode"') == 4
    earned = learned == LearningState.AUTO_CONFIRMED
    assert "It never acts." in page and ("Acts by itself" in page) == earned == ("Not earned yet" not in page)


def test_a_run_is_started_to_act_by_itself_before_that_is_earned_with_a_reason(client_of, operator, designer) -> None:
    """S1.3"""
    make_note()
    refused = client_of(operator).post("/runs/new", filled(mode="automatic", reason="It is late"))
    assert refused.status_code == 422
    assert "Only somebody who may change workflows" in refused.content.decode()
    client = client_of(designer)
    page = client.post("/runs/new", filled(mode="automatic")).content.decode()
    assert "Say in a sentence why" in error_beside(page, "reason")
    assert not Execution.objects.exists()
    client.post("/runs/new", filled(mode="automatic", reason="Shown to the ward"))
    assert Execution.objects.get().wishes.get().detail == {"earned": "OBSERVATION", "reason": "Shown to the ward"}


def test_without_a_workflow_or_a_robot_the_form_says_what_that_means(client_of, operator) -> None:
    client = client_of(operator)
    assert "No workflow is published" in client.get("/runs/new").content.decode()
    make_note()
    assert "No robot is alive" in client.get("/runs/new").content.decode()
    Robot.objects.create(name="desk:1", desktop="desk:1", host="desk", pid=1)
    page = client.get("/runs/new").content.decode()
    assert "No robot is alive" not in page
    assert '<option value="desk:1">' in page


def test_a_preset_sets_the_flags_of_the_run(client_of, operator) -> None:
    """S2.2: presets to choose from."""
    make_note()
    client = client_of(operator)
    for name, preset in PRESETS.items():
        client.post("/runs/new", filled(preset=name))
        execution = Execution.objects.order_by("-pk")[0]
        assert {flag: getattr(execution, flag) for flag in preset.flags} == preset.flags


def test_a_start_again_brings_the_values_of_the_run_before(client_of, operator) -> None:
    run = make_execution(version=make_note(), variables={"patient": "Zoë Blanc"}, mode=ExecutionMode.AUTOMATIC)
    page = client_of(operator).get(f"/runs/new?workflow=wf_note&again={run.execution_id}").content.decode()
    assert 'value="Zoë Blanc"' in page
    assert re.search('value="automatic" checked', page)


def test_a_variable_with_a_default_need_not_be_written(client_of, operator) -> None:
    make_published(workflow_id="wf_note", variables=VARIABLES)
    client_of(operator).post("/runs/new", {"workflow": "wf_note", "mode": "coaching", "var_patient": ""})
    assert Execution.objects.get().variables == {"patient": "Ada Martin"}


def test_an_unknown_workflow_is_named(client_of, operator) -> None:
    make_note()
    answer = client_of(operator).get("/runs/new?workflow=wf_nope")
    assert answer.status_code == 404
    assert "wf_nope" in answer.content.decode()


@pytest.mark.security
def test_an_operator_names_no_code_and_a_designer_chooses_a_name(client_of, operator, designer, settings) -> None:
    """S2.7: `os.abort` was taken from this form and ended every run loop that took the run over."""
    settings.RPA_WINDOW_PROVIDERS = {"citrix": "os.getcwd"}
    make_note()
    assert "window_info_provider" not in client_of(operator).get("/runs/new").content.decode()
    client_of(operator).post("/runs/new", filled(window_info_provider="os.abort"))
    assert Execution.objects.get().window_info_provider == ""
    assert '<option value="citrix">' in client_of(designer).get("/runs/new").content.decode()
    assert client_of(designer).post("/runs/new", filled(window_info_provider="os.abort")).status_code == 422
    client_of(designer).post("/runs/new", filled(window_info_provider="citrix"))
    assert list(Execution.objects.values_list("window_info_provider", flat=True)) == ["citrix", ""]


def test_a_default_may_be_new_each_time(operator: Any, client_of: Any) -> None:
    """S1.4: a file name with the moment in it, offered in the form and taken where none is given."""
    file = {"name": "filename", "label": "File", "default": "note-{{now}}-{{other}}.txt"}
    version = make_published(variables=[*VARIABLES, file])
    page = client_of(operator).get(f"/runs/new?workflow={version.workflow.workflow_id}").content.decode()
    given = {variable["name"]: "x" for variable in VARIABLES}
    pattern = r"note-20\d{6}-\d{6}-\{\{other\}\}\.txt"
    assert re.search(pattern, page)
    assert re.fullmatch(pattern, start(workflow_id=version.workflow.workflow_id, variables=given).variables["filename"])


def test_whose_day_it_is_where_somebody_reads_does_not_change_what_is_typed(client_of, operator) -> None:
    """The day and the name of a run are the machine's own, whoever starts it and from where."""
    day = {"name": "day", "label": "Day", "default": "{{today}}", "required": False}
    make_published(workflow_id="wf_day", name="Day", variables=[*VARIABLES, day])
    given = {variable["name"]: "x" for variable in VARIABLES}
    with time_machine.travel("2026-11-21T22:30:00+00:00", tick=False):
        client = client_of(operator)
        client.cookies["timezone"] = "Pacific/Auckland"  # there it is the next day
        form = client.get("/runs/new?workflow=wf_day").content.decode()
        fields = {f"var_{name}": value for name, value in given.items()}
        client.post("/runs/new", {"workflow": "wf_day", "mode": "coaching", "var_day": "", **fields})
        wish = {"workflow_id": "wf_day", "mode": "coaching", "variables": given}
        client.post("/api/executions/", wish, content_type="application/json")
    assert "2026-11-21" in form and "2026-11-22" not in form
    runs = list(Execution.objects.all())
    assert [run.variables["day"] for run in runs] == ["2026-11-21"] * 2
    assert all(run.execution_id.startswith("exec_20261121_223000_") for run in runs)


def test_a_run_of_an_earlier_version_is_started_from_its_row(client_of, operator) -> None:
    """S1.4: while the newest one is bad, work goes on with the one before."""
    first = make_note()
    first.workflow.nodes.filter(node_id="saved").update(name="Done")
    publish(workflow=first.workflow, user=None)
    client = client_of(operator)
    assert "/runs/new?workflow=wf_note&amp;version=1" in client.get("/workflows/wf_note").content.decode()
    page = client.get("/runs/new?workflow=wf_note&version=1").content.decode()
    assert "This starts version 1; the current one is version 2." in page
    assert '<input type="hidden" name="version" value="1">' in page
    client.post("/runs/new", filled(version="1"))
    assert Execution.objects.get().version == first
    client.post("/runs/new", filled())
    assert Execution.objects.latest("pk").version.number == 2
    assert client.get("/runs/new?workflow=wf_note&version=9").status_code == 404
