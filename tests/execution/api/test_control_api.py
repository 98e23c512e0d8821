"""Pause, resume, stop and the switches, by the API (S1.7, S1.14, S2.4); what each does: tests/execution/actions."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from execution.choices import PauseReason, Wish
from execution.models import Execution
from tests.factories import make_execution

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(operator: Any, client_of: Any) -> Client:
    return client_of(operator)


def post(api: Client, run: Execution, **body: Any) -> Any:
    return api.post(f"/api/executions/{run.execution_id}/control/", body, content_type="application/json")


def test_a_paused_run_is_resumed_at_the_node_that_a_person_picked(api):
    """S1.6, S1.7: the loop fulfils the wish before its next action."""
    run = make_execution(state="paused", desktop="host:1", pause_reason=PauseReason.NO_MATCH)
    answer = post(api, run, verb="resume", node_id="save_dialog")
    assert (answer.status_code, answer.json()["wish"], answer.json()["state"]) == (200, "resume", "paused")
    run.refresh_from_db()
    assert (run.wish, run.wish_node_id) == (Wish.RESUME, "save_dialog")


def test_the_switches_of_a_run_at_work(api):
    """S1.14, S2.4"""
    run = make_execution(state="running", desktop="host:1", degraded=True, degraded_reason="slow")
    assert post(api, run, verb="set_continuous_capture", enabled=False).json()["continuous_capture"] is False
    assert post(api, run, verb="lift_degraded").json()["degraded"] is False


@pytest.mark.parametrize(
    ("state", "body", "status", "error", "named"),
    [
        ("queued", {"verb": "pause"}, 409, "illegal_move", "is queued"),
        ("running", {"verb": "resume"}, 409, "illegal_move", "is running"),
        ("paused", {"verb": "resume", "node_id": "cellar"}, 400, "unknown_node", "cellar"),
        ("running", {"verb": "set_continuous_capture"}, 400, "invalid", "enabled"),
        ("running", {"verb": "delete"}, 400, "invalid", "verb"),
        ("paused", {"verb": "change_version"}, 400, "invalid", "change_version"),  # by its own door (S6.14)
    ],
)
def test_what_does_not_fit_is_refused_in_words(api, state, body, status, error, named):
    """S1.2"""
    run = make_execution(state=state, desktop="host:1")
    answer = post(api, run, **body)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert named in answer.json()["detail"]
    assert Execution.objects.get().wish == ""


def test_an_unknown_run_is_refused(api):
    answer = api.post("/api/executions/exec_nowhere/control/", {"verb": "stop"}, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (404, "unknown_execution")
