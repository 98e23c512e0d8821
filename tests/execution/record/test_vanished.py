"""A robot that is not heard of any more: its run says so, and can be stopped without it (S9.2, S9.4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from execution.actions import control
from execution.choices import ExecutionState, Outcome, PromptKind, PromptState, StepPhase, Wish
from execution.exceptions import LeaseLost
from execution.models import Execution, Prompt, Robot, Step
from execution.record import claims
from execution.record.claims import claim
from execution.record.journal import Journal
from execution.record.waiting import waiting_of
from tests.execution.record.test_places import identity, queued, robot, workflow
from tests.factories import make_user

pytestmark = pytest.mark.django_db
GONE = "The robot here:7 is not heard of any more."


def claimed() -> Execution:
    found = claim(robot(), identity())
    assert found is not None
    return found.execution


def falls_silent(*, lease_s: float = -1) -> None:
    """As after a power cut: the last word of the robot is long ago."""
    long_ago = timezone.now() - timedelta(minutes=5)
    Robot.objects.update(heartbeat_at=long_ago)
    Execution.objects.update(lease_until=timezone.now() + timedelta(seconds=lease_s))


def test_its_run_says_so_wherever_it_is_shown(client: Client) -> None:
    queued(workflow())
    run = claimed()
    assert waiting_of(run) is None
    falls_silent()
    run.refresh_from_db()
    assert waiting_of(run)["message"].startswith(GONE)
    client.force_login(make_user("viewer"))
    assert GONE in client.get("/").content.decode()
    assert client.get(f"/api/executions/{run.execution_id}/waiting/").json()["code"] == "waiting.vanished"


def test_it_is_stopped_at_once_and_what_it_had_begun_stays_in_doubt() -> None:
    queued(workflow())
    run = claimed()
    step = Step.objects.create(execution=run, index=1, epoch=1, mode=run.mode, phase=StepPhase.INTENT)
    prompt = Prompt.objects.create(execution=run, step=step, kind=PromptKind.IN_DOUBT, message="?")
    before = Journal(run, run.version.spec())
    falls_silent()
    ada = make_user("operator", "ada")
    found = control.stop(execution_id=run.execution_id, user=ada)
    assert (found.state, found.stopped_by, found.wish) == (ExecutionState.STOPPED, "ada", Wish.NONE)
    step.refresh_from_db()
    prompt.refresh_from_db()
    assert (step.phase, step.outcome, prompt.state) == (StepPhase.CLOSED, Outcome.FAILED, PromptState.WITHDRAWN)
    with pytest.raises(LeaseLost):
        before.arrive("saved", 1.0)
    assert claim(Robot.objects.get(), identity()) is None


@pytest.mark.parametrize("heard", ["robot", "lease"])
def test_while_either_may_still_be_there_stopping_is_a_wish(heard: str) -> None:
    queued(workflow())
    run = claimed()
    falls_silent(lease_s=5 if heard == "lease" else -1)
    if heard == "robot":
        Robot.objects.update(heartbeat_at=timezone.now())
    found = control.stop(execution_id=run.execution_id, user=make_user("operator"))
    assert (found.state, found.wish) == (ExecutionState.RUNNING, Wish.STOP)


def test_a_run_that_is_stopped_while_a_loop_takes_it_over_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    queued(workflow())
    run = claimed()
    falls_silent()

    def stopped_meanwhile(*_: Any) -> float:
        control.stop(execution_id=run.execution_id, user=make_user("operator"))
        return 0.0

    monkeypatch.setattr(claims, "lasted_until", stopped_meanwhile)
    assert claim(Robot.objects.get(), identity()) is None
    assert Execution.objects.get().state == ExecutionState.STOPPED
