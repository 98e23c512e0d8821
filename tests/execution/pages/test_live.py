"""The live page: all it knows at its first paint, what it may show to whom, and that its texts and icons are there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.utils import translation

from execution.choices import EventKind, ExecutionState, Outcome, PauseReason, PromptKind
from execution.models import Execution, ExecutionEvent, Prompt
from execution.pages.value_words import value_words
from execution.record.payloads import prompt_payload
from execution.verification import facts
from tests.execution.assistant.runs import answer
from tests.execution.pages.test_runs import make_question, make_step, move
from tests.factories import make_execution

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = sorted((ROOT / "execution/static/execution").rglob("*.js")) + sorted(
    (ROOT / "rpa_site/static/rpa_site").glob("*.js")
)
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


def page_data(client: Any, execution: Execution) -> dict[str, Any]:
    page = client.get(f"/runs/{execution.execution_id}").content.decode()
    found = re.search(r'<script id="page-data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


# --- what the page knows -------------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_the_first_paint_has_the_run_its_steps_its_question_and_its_graph(client_of, operator) -> None:
    """S8.1, S1.12: the page works before a socket is open, and where none gets through."""
    execution = make_execution()
    make_step(execution, 1)
    prompt = make_question(execution, sentence="Click “Save”")
    data = page_data(client_of(operator), execution)
    snapshot = data["snapshot"]
    assert snapshot["execution"]["status"] == "coaching"
    assert snapshot["execution"].keys() >= execution.progress().keys()
    assert [step["index"] for step in snapshot["steps"]] == [1, 2]
    assert snapshot["prompt"] == prompt_payload(prompt)
    assert [node["name"] for node in data["graph"]["nodes"]][:2] == ["Empty note", "Note with text"]
    assert data["graph"]["edges"][2]["sentence"] == "Click “Save”"
    assert data["me"] == {"name": "operator", "may_operate": True, "may_design": False, "sees_unmasked": False}


@pytest.mark.django_db
def test_the_page_begins_with_the_event_after_its_snapshot(client_of, viewer) -> None:
    """S8.2: nothing is missed between the page and its socket."""
    execution = make_execution()
    Execution.objects.filter(pk=execution.pk).update(next_seq=3)
    for seq in (1, 2):
        ExecutionEvent.objects.create(execution=execution, seq=seq, kind=EventKind.STATE, payload={"status": "idle"})
    data = page_data(client_of(viewer), execution)
    assert data["snapshot"]["seq"] == 2
    assert [event["seq"] for event in data["snapshot"]["events"]] == [1, 2]


@pytest.mark.django_db
def test_who_answered_what_is_known_by_step(client_of, viewer, operator) -> None:
    execution = make_execution()
    answer(make_step(execution, 1), "correct", operator, feedback="the other one", origin="page")
    decisions = page_data(client_of(viewer), execution)["snapshot"]["decisions"]
    told = {"choice": "correct", "source": "coach", "decided_by": "operator", "origin": "page", "timeout_s": None}
    assert decisions == {"1": {**told, "feedback": "the other one"}}


@pytest.mark.django_db
def test_a_viewer_sees_the_question_and_the_role_that_may_answer(client_of, viewer) -> None:
    """U9: no right to do this, what role it takes."""
    execution = make_execution()
    make_question(execution)
    client = client_of(viewer)
    assert page_data(client, execution)["me"]["may_operate"] is False
    assert 'data-role-needed="operator"' in client.get(f"/runs/{execution.execution_id}").content.decode()


@pytest.mark.django_db
def test_a_finished_run_carries_its_summary_and_one_at_work_does_not(client_of, viewer) -> None:
    """S7.3"""
    execution = make_execution()
    make_step(execution, 1, retries=2)
    client = client_of(viewer)
    assert page_data(client, move(execution, ExecutionState.RUNNING, desktop="a"))["snapshot"]["summary"] is None
    summary = page_data(client, move(execution, ExecutionState.COMPLETED))["snapshot"]["summary"]
    assert (summary["done"], summary["actions"], summary["retries"]) == (1, 1, 2)


@pytest.mark.django_db
def test_where_no_socket_gets_through_the_page_asks_for_the_snapshot(client_of, viewer) -> None:
    execution = make_execution()
    make_question(execution)
    answer = client_of(viewer).get(f"/runs/{execution.execution_id}/snapshot")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json()["prompt"]["choices"] == ["accept", "correct", "manual", "skip", "reject"]


@pytest.mark.django_db
def test_an_unknown_run_is_named(client_of, viewer) -> None:
    answer = client_of(viewer).get("/runs/exec_nope")
    assert answer.status_code == 404
    assert "There is no run “exec_nope”." in answer.content.decode()


# --- pages as a whole ----------------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_pages_have_no_inline_script_and_carry_the_policy(client_of, designer) -> None:
    """D7: strict CSP; every script is a file of ours, every block of data is JSON."""
    client = client_of(designer)
    execution = make_execution()
    for path in ("/", "/runs/new", "/robots", f"/runs/{execution.execution_id}"):
        answer = client.get(path)
        page = answer.content.decode()
        assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
        for attributes in re.findall(r"<script\b([^>]*)>", page):
            assert "src=" in attributes or 'type="application/json"' in attributes, attributes
        assert not re.search(r"\son[a-z]+=", page)


# --- texts, icons, files -------------------------------------------------------------------------------------------
def words(language: str = "en") -> dict[str, dict[str, Any]]:
    with translation.override(language):
        return value_words()


def test_the_words_that_a_script_asks_the_server_for_are_there() -> None:
    known = {*words(), "kind"}  # of values on the page of teaching
    for script in SCRIPTS:
        asked = re.findall(r'\b(?:word|keysOf)\("(\w+)"|(?<![\w.])say\([`"](\w+)', script.read_text())
        assert {group or path for group, path in asked} <= known, script.name


def test_scripts_know_a_word_for_every_value() -> None:
    known = words()
    assert set(known["state"]) == set(ExecutionState)
    assert set(known["outcome"]) == set(Outcome) - {""}
    signs = {value for name, value in vars(facts).items() if name.isupper() and isinstance(value, str)}
    assert len(signs) >= 10
    assert signs <= set(known["signs"])
    assert set(known["pause_reason"]) == set(PauseReason) - {""}
    choices = {choice for kind in PromptKind for choice in Prompt(kind=kind, step=_step()).choices}
    assert set(known["answers"]) == choices == set(known["answered"]) == set(known["answered_by_you"])


def _step() -> Any:
    from execution.models import Step

    return Step()


ALIKE = {"observation", "confirmation", "pause", "Application", "page", "API", "administration"}  # in both languages


def test_every_word_has_its_french_and_takes_the_same_values() -> None:
    """S8.5"""
    french = words("fr")
    for group, of_values in words().items():
        for value, text in of_values.items():
            other = french[group][value]
            assert text != other or text in ALIKE, (group, value)
            places = [set(re.findall(r"%\((\w+)\)s", str(one))) for one in (text, other)]
            assert places[0] == places[1], (group, value)


def test_no_script_writes_markup_and_no_template_calls_a_text_safe() -> None:
    """T13: textContent alone."""
    for script in SCRIPTS:
        assert not re.search(
            r"innerHTML|outerHTML\b(?!\")|insertAdjacentHTML|document\.write|\beval\(", script.read_text()
        ), script
    for template in TEMPLATES:
        assert not re.search(r"\|\s*safe\b|autoescape off", template.read_text()), template


def test_every_icon_is_in_the_sprite() -> None:
    path = finders.find("rpa_site/vendor/tabler-icons.svg")
    assert path
    there = set(re.findall(r'<symbol id="([\w-]+)"', Path(path).read_text()))
    asked = {name for t in TEMPLATES for name in re.findall(r'\{% icon "([\w-]+)"', t.read_text())}
    asked |= {name for s in SCRIPTS for name in re.findall(r'\bicon\("([\w-]+)"', s.read_text())}
    from execution.pages.listing import ICON_OF_STATE

    assert asked | set(ICON_OF_STATE.values()) <= there


def test_every_file_that_a_script_imports_is_there() -> None:
    for script in SCRIPTS:
        for imported in re.findall(r'from "(\.[^"]+)"', script.read_text()):
            of_site = re.sub(r"^(\.\./)+rpa_site/", "", imported)
            target = (
                ROOT / "rpa_site/static/rpa_site" / of_site if "rpa_site/" in imported else script.parent / imported
            )
            assert target.exists(), f"{script.name} imports {imported}"
