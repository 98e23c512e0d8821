"""Pause, resume, stop and the switches, by the API (S1.7, S1.14, S2.4)."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from execution.choices import ExecutionState, PauseReason, Wish
from execution.models import Execution
from tests.factories import make_execution

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(operator: Any, client_of: Any) -> Client:
    return client_of(operator)


def post(api: Client, run: Execution, **body: Any) -> Any:
    return api.post(f"/api/executions/{run.execution_id}/control/", body, content_type="application/json")


def make_run(state: ExecutionState, **fields: Any) -> Execution:
    return make_execution(state=state, desktop="host:1", **fields)


def test_a_run_at_work_is_asked_to_pause(api):
    """S1.7: the loop fulfils the wish before its next action."""
    run = make_run(ExecutionState.RUNNING)
    answer = post(api, run, verb="pause")
    assert (answer.status_code, answer.json()["wish"], answer.json()["state"]) == (200, "pause", "running")
    run.refresh_from_db()
    assert run.wish == Wish.PAUSE


def test_a_paused_run_is_resumed_at_the_node_that_a_person_picked(api):
    """S1.6, S1.7"""
    run = make_run(ExecutionState.PAUSED, pause_reason=PauseReason.NO_MATCH)
    assert post(api, run, verb="resume", node_id="save_dialog").status_code == 200
    run.refresh_from_db()
    assert (run.wish, run.wish_node_id) == (Wish.RESUME, "save_dialog")


def test_a_node_that_is_not_there_is_refused(api):
    run = make_run(ExecutionState.PAUSED)
    answer = post(api, run, verb="resume", node_id="cellar")
    assert (answer.status_code, answer.json()["error"]) == (400, "unknown_node")


def test_a_degraded_run_is_let_analyse_in_full_again(api):
    """S2.4"""
    run = make_run(ExecutionState.RUNNING, degraded=True, degraded_reason="slow")
    answer = post(api, run, verb="lift_degraded")
    assert (answer.json()["degraded"], answer.json()["degraded_reason"]) == (False, "")
    assert list(run.events.values_list("kind", flat=True)) == ["wish", "state"]


def test_continuous_capture_is_switched(api):
    """S1.14"""
    run = make_run(ExecutionState.RUNNING)
    assert post(api, run, verb="set_continuous_capture", enabled=False).json()["continuous_capture"] is False
    assert post(api, run, verb="set_continuous_capture", enabled=True).json()["continuous_capture"] is True
    assert post(api, run, verb="set_continuous_capture").status_code == 400


@pytest.mark.parametrize(
    ("verb", "state"),
    [
        ("pause", ExecutionState.QUEUED),
        ("resume", ExecutionState.RUNNING),
    ],
)
def test_what_does_not_fit_the_state_is_a_conflict_in_words(api, verb, state):
    """S1.2"""
    run = make_run(state)
    answer = post(api, run, verb=verb)
    assert (answer.status_code, answer.json()["error"]) == (409, "illegal_move")
    assert run.name_for_people in answer.json()["detail"]


def test_an_unknown_verb_is_refused(api):
    answer = post(api, make_run(ExecutionState.RUNNING), verb="delete")
    assert (answer.status_code, "verb" in answer.json()["detail"]) == (400, True)


def test_an_unknown_run_is_refused(api):
    answer = api.post("/api/executions/exec_nowhere/control/", {"verb": "stop"}, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (404, "unknown_execution")


def test_another_version_is_asked_for_by_its_own_door(api):
    """S6.14: it comes with the lesson that mended the run."""
    answer = post(api, make_run(ExecutionState.PAUSED), verb="change_version")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid")
    assert "change_version" in answer.json()["detail"]
