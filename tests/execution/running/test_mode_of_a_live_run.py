"""The mode of a live run can be changed; its next turn is in the new one, and the GPU hears of it (S1.23, S1.15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from execution.actions import control
from execution.actions.decide import decide
from execution.choices import EventKind, ExecutionMode, ExecutionState, Origin, PromptKind
from execution.exceptions import BadMode
from execution.execution_loop import ExecutionLoop
from execution.models import Execution, Prompt
from tests.doubles.stage import Stage
from tests.factories import make_execution
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

Stages = Callable[..., Stage]


def make_run(state: ExecutionState = ExecutionState.RUNNING, **fields: Any) -> Execution:
    if state in (ExecutionState.COMPLETED, ExecutionState.FAILED, ExecutionState.STOPPED):
        fields["ended_at"] = timezone.now()
    return make_execution(state=state, desktop="host:1", **fields)


def set_mode(run: Execution, mode: str, **more: Any) -> Execution:
    return control.set_mode(execution_id=run.execution_id, mode=mode, **more)


def test_the_next_turn_is_in_the_new_mode(stage: Stages, operator: Any) -> None:
    """S1.23: the question that is open is still answered; after it the robot goes on by itself."""
    run = stage("coaching")
    Workflow.objects.update(learning_state="AUTO_CONFIRMED")
    heard: list[str] = []
    run.journal.on_mode.append(lambda execution: heard.append(execution.mode))

    def hand_over(prompt: Prompt) -> None:
        set_mode(run.execution, "automatic", user=operator, origin=Origin.PAGE)
        decide(prompt_id=prompt.pk, choice="accept")

    row = run.run(hand_over)
    assert (row.state, row.mode, row.wish_mode) == (ExecutionState.COMPLETED, "automatic", "")
    assert list(row.steps.exclude(edge_id="").values_list("mode", flat=True)) == ["coaching", "automatic", "automatic"]
    assert len(run.asked) == 1 and heard == ["automatic"]


def test_the_change_is_recorded_with_who_asked_for_it(stage: Stages, operator: Any) -> None:
    """S1.23, S1.24"""
    run = stage("automatic")
    set_mode(run.execution, "supervised", user=operator, origin=Origin.PAGE)
    run.run("accept", "accept", "accept")
    told = run.row().events.get(kind=EventKind.MODE_CHANGED).payload
    assert (told["was"], told["mode"], told["by"], told["origin"]) == ("automatic", "supervised", "operator", "page")
    assert [prompt.kind for prompt in run.asked] == [PromptKind.CONFIRMATION] * 3
    wish = run.row().wishes.get(verb="set_mode")
    assert (wish.name, wish.detail) == ("operator", {"mode": "supervised"})


def test_whoever_takes_over_from_watching_need_not_move_first(stage: Stages) -> None:
    """S1.18, S1.23: a run that watches waits for the person; told to act, it acts."""
    run = stage("observation")
    run.journal.on_step.append(lambda step: set_mode(run.execution, "automatic") and None)
    row = run.run()
    assert row.state == ExecutionState.COMPLETED and run.world.acts == ["ab", "bc", "cd"]


def test_a_run_that_shall_only_watch_acts_no_more(stage: Stages) -> None:
    run = stage("automatic")

    def watch(step: Any) -> None:
        set_mode(run.execution, "observation")
        if step.outcome == "observed":
            control.stop(execution_id=run.execution.execution_id)

    run.journal.on_step.append(watch)
    row = run.run()
    assert (run.world.acts, row.mode) == (["ab"], "observation")
    assert run.outcomes() == ["succeeded", "observed"]


def test_a_paused_run_changes_its_mode_before_it_goes_on(stage: Stages) -> None:
    run = stage("automatic")
    control.pause(execution_id=run.execution.execution_id)
    assert run.run().state == ExecutionState.PAUSED
    set_mode(run.execution, "supervised")
    row = run.resume("accept", "accept", "accept")
    assert (row.mode, len(run.asked)) == ("supervised", 3)


def test_a_pause_that_is_asked_for_is_not_lost_to_it(stage: Stages) -> None:
    run = stage("automatic")
    control.pause(execution_id=run.execution.execution_id)
    set_mode(run.execution, "supervised")
    row = run.run()
    assert (row.state, row.mode) == (ExecutionState.PAUSED, "supervised")


@pytest.mark.parametrize("mode", ["", "full throttle"])
def test_an_unknown_mode_is_refused(mode: str) -> None:
    with pytest.raises(BadMode):
        set_mode(make_run(), mode)


def test_the_gpu_follows(monkeypatch: pytest.MonkeyPatch, stage: Stages) -> None:
    """S1.15: at every change of a run's mode."""
    from execution.running.gpu_mode import GPU_MODE, RunDrivenGpu
    from gpu import ExecutionMode as GpuMode

    asked: list[GpuMode] = []
    monkeypatch.setattr(
        RunDrivenGpu, "follow", lambda self, journal: asked.append(GPU_MODE[ExecutionMode(journal.execution.mode)])
    )
    from execution.running.runner import Runner

    run = stage("automatic")
    Runner().listen_to(run.journal)
    set_mode(run.execution, "supervised")
    run.run("accept", "accept", "accept")
    assert asked == [GpuMode.IDLE]


# --- the doors ------------------------------------------------------------------------------------------------------
def test_by_the_api(operator: Any, client_of: Any) -> None:
    run = make_run(mode="coaching")
    address, api = f"/api/executions/{run.execution_id}/control/", client_of(operator)
    answer = api.post(address, {"verb": "set_mode", "mode": "supervised"}, content_type="application/json")
    assert (answer.status_code, answer.json()["mode"], answer.json()["wish_mode"]) == (200, "coaching", "supervised")
    early = api.post(address, {"verb": "set_mode", "mode": "automatic"}, content_type="application/json")
    assert (early.status_code, early.json()["error"]) == (422, "mode_not_earned")
    for body in ({"verb": "set_mode"}, {"verb": "set_mode", "mode": "x"}):
        assert api.post(address, body, content_type="application/json").status_code == 400


def test_by_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(mode="coaching")
    call_command("execution", "mode", run.execution_id, "automatic")
    run.refresh_from_db()
    assert (run.wish_mode, run.wishes.get().origin) == ("automatic", Origin.COMMAND)
    with pytest.raises(CommandError):
        call_command("execution", "mode", run.execution_id, "x")


def test_by_python() -> None:
    run = make_run(mode="coaching")
    loop = ExecutionLoop()
    assert not loop.set_mode(ExecutionMode.AUTOMATIC)
    loop._execution_id = run.execution_id
    assert loop.set_mode(ExecutionMode.AUTOMATIC)
    run.refresh_from_db()
    assert (run.wish_mode, run.wishes.get().origin) == ("automatic", Origin.PROGRAM)
    assert not loop.set_mode("x") and "x" in loop.last_error
