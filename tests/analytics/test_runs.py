"""Analytics and the GPU beside a real run loop: what they keep of a run, and what a run loses when they fail."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from analytics.models import ResourceSample, StepMetric
from execution.choices import WAITING, ExecutionMode, ExecutionState, StepPhase
from execution.models import Execution
from execution.running.runner import Hooks, Runner
from gpu import ExecutionMode as GpuMode
from gpu.manager import get_gpu_resource_manager
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import analyzer, publish_line, queue, screens

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = ("one", "two", "three")


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def run() -> Execution:
    """One automatic run of three screens; one that wants a person is left, and the test says what it wanted."""
    execution = queue(publish_line(*NAMES))
    desktop, leave, lines = ScriptedDesktop(screens(*NAMES)), threading.Event(), []

    def leave_when_asked(run: Execution) -> None:
        if run.state in WAITING | {ExecutionState.PAUSED}:
            leave.set()

    hooks = Hooks(on_begin=lambda journal: journal.on_state.append(leave_when_asked))
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True, leave=leave, hooks=hooks, out=lines.append).run()
    assert not leave.is_set(), lines
    return Execution.objects.by_id(execution.execution_id)


def test_a_run_leaves_a_metric_for_each_step_and_samples_of_the_machine() -> None:
    """S7.1, S7.2"""
    done = run()
    assert done.state == ExecutionState.COMPLETED
    steps = list(done.steps.filter(phase=StepPhase.CLOSED).values_list("index", "rung", "total_ms"))
    assert steps
    metrics = StepMetric.objects.filter(execution_id=done.execution_id).order_by("step")
    assert list(metrics.values_list("step", "rung", "total_ms")) == steps
    assert ResourceSample.objects.filter(execution_id=done.execution_id).exists()


def test_the_mode_of_the_run_drives_the_gpu() -> None:
    """S1.15"""
    manager = get_gpu_resource_manager()
    manager.set_execution_mode_sync(GpuMode.IDLE)
    assert run().mode == ExecutionMode.AUTOMATIC
    assert manager.get_status().execution_mode is GpuMode.AUTOPILOT
