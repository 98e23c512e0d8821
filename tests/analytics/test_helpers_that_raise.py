"""Analytics that raise anywhere in a run: one warning, and the run is what it would have been (S1.21)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from analytics import integration as module
from analytics.integration import AnalyticsExecutionIntegration, ResourceSampler, integration
from execution.choices import ExecutionState
from execution.models import Execution, Robot, Step
from execution.running.runner import Runner
from execution.signals import run_begun, run_ended, step_recorded, tell
from tests.analytics.steps import make_step
from tests.doubles.scripted import ScriptedDesktop
from tests.factories import make_execution
from tests.support.scripted import analyzer, publish_line, queue, screens

NAMES = ("one", "two")


@pytest.fixture(autouse=True)
def place(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture(autouse=True)
def no_thread_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A sampler whose `stop` is the broken part would sample on, in the tests that follow."""
    made: list[ResourceSampler] = []
    begin = ResourceSampler.__init__

    def noted(self: ResourceSampler, *args: Any, **kwargs: Any) -> None:
        made.append(self)
        begin(self, *args, **kwargs)

    monkeypatch.setattr(ResourceSampler, "__init__", noted)
    yield
    for sampler in made:
        sampler._stop.set()
        if sampler._thread.is_alive():
            sampler._thread.join()
    integration._monitors.clear()


def broken(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("the helper is broken")


def run() -> Execution:
    execution = queue(publish_line(*NAMES))
    desktop = ScriptedDesktop(screens(*NAMES))
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True).run()
    assert len([act for act in desktop.log if act.kind == "click"]) == 1
    return Execution.objects.by_id(execution.execution_id)


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if "the helper is broken" in r.getMessage() or r.exc_info]


def is_whole(done: Execution) -> None:
    assert (done.state, done.steps_succeeded, done.steps_failed) == (ExecutionState.COMPLETED, 1, 0)
    assert not done.steps.exclude(outcome__in=("succeeded", "terminal")).exists()
    assert not done.events.filter(kind="error").exists()


def announced() -> None:
    """What a run loop tells of a run with one step; nothing that is raised comes back to it."""
    back: list[str] = []
    robot = Robot.objects.create(name="r", desktop="r", host="h", pid=1)
    execution = make_execution(robot=robot)
    for signal, said in (
        (run_begun, {"execution_id": execution.execution_id}), (step_recorded, {"step_id": make_step(execution).pk}),
        (run_ended, {"execution_id": execution.execution_id}),
    ):  # fmt: skip
        tell(signal, lambda kind, message: back.append(message), sender=None, **said)
    assert back == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("where", "name"),
    [
        (module, "project"),
        (ResourceSampler, "start"),
        (ResourceSampler, "stop"),
        (ResourceSampler, "sample"),
        (AnalyticsExecutionIntegration, "on_execution_start"),
        (AnalyticsExecutionIntegration, "on_step_result"),
        (AnalyticsExecutionIntegration, "on_execution_complete"),
        (AnalyticsExecutionIntegration, "start_resource_monitoring"),
        (AnalyticsExecutionIntegration, "stop_resource_monitoring"),
    ],
)
def test_whatever_raises_inside_costs_one_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, where: Any, name: str
) -> None:
    monkeypatch.setattr(where, name, broken)
    with caplog.at_level(logging.WARNING):
        announced()
    assert len(told(caplog)) == 1, told(caplog)
    assert "the helper is broken" in Robot.objects.get().warnings["analytics"]["message"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        "on_execution_start",
        "on_step_complete",
        "on_execution_complete",
        "start_resource_monitoring",
        "stop_resource_monitoring",
    ],
)
def test_a_system_of_the_users_own_that_raises_costs_one_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    """S11.10"""
    monkeypatch.setattr(integration, "analytics_system", type("Own", (), {name: broken})())
    with caplog.at_level(logging.WARNING):
        announced()
    assert len(told(caplog)) == 1, told(caplog)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("signal", [run_begun, run_ended, step_recorded])
def test_any_receiver_that_raises_costs_one_warning(caplog: pytest.LogCaptureFixture, signal: Any) -> None:
    """Also one that others connected: each of a run's signals is sent robustly, and what it raised is told."""
    signal.connect(broken)
    try:
        with caplog.at_level(logging.WARNING):
            done = run()
    finally:
        signal.disconnect(broken)
    is_whole(done)
    assert len(told(caplog)) == 1, told(caplog)
    assert Step.objects.count() == 2
