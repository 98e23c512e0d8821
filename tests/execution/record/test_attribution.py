"""Every wish and every answer is kept with who, when and from where; a time-out is told as one (S1.24)."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone, translation

from execution.actions import control
from execution.actions.decide import decide
from execution.choices import EventKind, ExecutionState, Origin, PromptKind, Verb
from execution.exceptions import AlreadyDecided
from execution.models import Decision, Execution, Prompt, Step, WishRecord
from execution.record import attribution
from execution.types import DecisionSource
from tests.doubles.stage import Stage
from tests.factories import make_execution, make_published

pytestmark = pytest.mark.django_db

Stages = Callable[..., Stage]


def make_run(state: ExecutionState = ExecutionState.RUNNING, **fields: Any) -> Execution:
    return make_execution(state=state, desktop="host:1", **fields)


def make_prompt(run: Execution, kind: PromptKind = PromptKind.COACHING, **fields: Any) -> Prompt:
    step = Step.objects.create(execution=run, index=1, epoch=0, mode=run.mode)
    return Prompt.objects.create(execution=run, step=step, kind=kind, message="?", **fields)


def asked(run: Execution) -> list[tuple[str, str, str]]:
    return [(w.verb, w.name, w.origin) for w in run.wishes.order_by("pk")]


# --- from where -----------------------------------------------------------------------------------------------------
def test_the_page_is_told_from_the_api(operator: Any, client_of: Any) -> None:
    """S1.24: a browser brings its session; a program brings what it logs in with."""
    from rest_framework.test import APIClient

    run = make_run()
    address = f"/api/executions/{run.execution_id}/control/"
    assert client_of(operator).post(address, {"verb": "pause"}, content_type="application/json").status_code == 200
    program = APIClient()
    program.force_authenticate(operator)
    assert program.post(address, {"verb": "resume"}, format="json").status_code == 200
    assert asked(run) == [("pause", "operator", Origin.PAGE), ("resume", "operator", Origin.API)]


def test_the_admin_is_told(admin: Any, client_of: Any) -> None:
    run = make_run()
    body = {"action": "pause", "_selected_action": [run.pk]}
    client_of(admin).post("/admin/execution/execution/", body)
    assert asked(run) == [("pause", "admin", Origin.ADMIN)]


def test_the_command_line_is_told_with_the_account_of_the_machine() -> None:
    run = make_run()
    call_command("execution", "pause", run.execution_id, verbosity=0)
    assert asked(run) == [("pause", getpass.getuser(), Origin.COMMAND)]


def test_the_start_is_kept_too(operator: Any, client_of: Any) -> None:
    workflow = make_published().workflow
    body = {"workflow_id": workflow.workflow_id, "variables": {"patient": "Ada"}}
    answer = client_of(operator).post("/api/executions/", body, content_type="application/json")
    assert answer.status_code == 201, answer.json()
    started = Execution.objects.get(execution_id=answer.json()["execution_id"])
    assert asked(started) == [("start", "operator", Origin.PAGE)]


def test_a_wish_is_in_the_stream_and_in_the_api(operator: Any, client_of: Any) -> None:
    run = make_run()
    control.pause(execution_id=run.execution_id, user=operator, origin=Origin.PAGE)
    told = run.events.get(kind=EventKind.WISH).payload
    assert (told["verb"], told["by"], told["origin"]) == ("pause", "operator", "page")
    described = client_of(operator).get(f"/api/executions/{run.execution_id}/").json()
    assert [(w["verb"], w["by"], w["origin"]) for w in described["wishes"]] == [("pause", "operator", "page")]


def test_the_name_stays_when_the_account_goes(make_user: Any) -> None:
    run, zoe = make_run(), make_user("zoe")
    control.pause(execution_id=run.execution_id, user=zoe, origin=Origin.PAGE)
    decision = decide(prompt_id=make_prompt(run).pk, choice="reject", user=zoe, origin=Origin.PAGE)
    zoe.delete()
    decision.refresh_from_db()
    assert (run.wishes.get().name, decision.user, decision.decided_by) == ("zoe", None, "zoe")


# --- who paused, who stopped ----------------------------------------------------------------------------------------


def test_a_run_that_was_stopped_by_an_answer_says_whose_it_was(stage: Stages, operator: Any) -> None:
    run = stage("coaching")

    def stop(prompt: Prompt) -> None:
        control.stop(execution_id=run.execution.execution_id, user=operator, origin=Origin.PAGE)

    row = run.run(stop)
    assert (row.state, row.stopped_by, row.rejected) == (ExecutionState.STOPPED, "operator", 1)
    decision = Decision.objects.get()
    assert (decision.choice, decision.source, decision.timed_out) == ("reject", DecisionSource.STOP, False)
    assert row.steps.get().message == "Not done: operator stopped the run."


# --- a time-out is no person ----------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_a_time_out_is_told_as_a_time_out(stage: Stages) -> None:
    """S1.8, S1.9, S1.24: with how long nobody answered, and never as somebody's rejection."""
    run = stage("coaching", coaching_timeout_s=0.05)
    run.journal.on_step.append(lambda step: control.stop(execution_id=run.execution.execution_id))
    row = run.run()
    step = row.steps.first()
    assert step is not None and step.message == "Nobody answered in 0 seconds: skipped."
    decision = Decision.objects.get(prompt__step=step)
    assert (decision.decided_by, decision.origin, decision.timed_out) == ("", Origin.LOOP, True)
    told = row.events.filter(kind=EventKind.DECISION).first().payload
    assert (told["decided_by"], told["timed_out"], told["timeout_s"]) == ("", True, pytest.approx(0.05))


# --- the second one -------------------------------------------------------------------------------------------------


def test_whoever_comes_after_a_time_out_is_told_so() -> None:
    now = timezone.now()
    prompt = make_prompt(make_run(), created_at=now, deadline_at=now + timedelta(seconds=120))
    decide(prompt_id=prompt.pk, choice="skip", source=DecisionSource.POLICY, origin=Origin.LOOP)
    with pytest.raises(AlreadyDecided, match="Nobody answered in 120 seconds: skipped") as lost:
        decide(prompt_id=prompt.pk, choice="accept")
    assert lost.value.details()["decided_by"] == ""


# --- words for people -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("language", ["en", "fr"])
def test_there_is_a_sentence_for_each(language: str) -> None:
    with translation.override(language):
        for verb, origin in product(Verb, Origin):
            said = attribution.said_of_wish(WishRecord(verb=verb, name="zoe", origin=origin, asked_at=timezone.now()))
            assert "zoe" in said and "%" not in said, (verb, origin)


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("kept", list(attribution.FOR_PEOPLE))
def test_what_programs_read_is_not_shown_to_people(kept: str, language: str) -> None:
    """S1.5, S1.8: kept as they are, told in words."""
    with translation.override(language):
        told = attribution.for_people(f"{kept}. The box is gone.")
    assert kept not in told and told.endswith(". The box is gone.") and "terminal" not in told
