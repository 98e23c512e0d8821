"""The integration as programs call it (S11.10)."""

from __future__ import annotations

from typing import Any

import pytest

from analytics.integration import AnalyticsExecutionIntegration
from analytics.models import ResourceSample, StepMetric
from execution.models import Step
from execution.signals import run_begun, run_ended, step_recorded
from tests.analytics.steps import make_step

NAMES = (
    "on_execution_start", "start_resource_monitoring", "on_step_complete", "stop_resource_monitoring",
    "on_execution_complete",
)  # fmt: skip


class System:
    """A user's own: keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES:
            raise AttributeError(name)
        return lambda **told: self.heard.append((name, told))


def tell_all(integration: AnalyticsExecutionIntegration, execution_id: str, step_id: Any = 1) -> None:
    integration.on_execution_start(workflow_id="wf", execution_id=execution_id, mode="automatic")
    integration.start_resource_monitoring(execution_id=execution_id)
    integration.on_step_complete(
        workflow_id="wf", execution_id=execution_id, step_id=step_id, success=True, duration_ms=3.0, confidence=0.9
    )
    integration.stop_resource_monitoring(execution_id=execution_id)
    integration.on_execution_complete(
        workflow_id="wf", execution_id=execution_id, success=True, duration_ms=9.0, steps_executed=1,
        steps_succeeded=1, steps_failed=0, error_message=None,
    )  # fmt: skip


@pytest.mark.django_db
def test_every_call_by_keyword_goes_on_to_the_users_own_system() -> None:
    """S11.10: once, and with what was told."""
    system = System()
    tell_all(AnalyticsExecutionIntegration(analytics_system=system, every_s=3600), "exec_of_a_program")
    assert sorted(name for name, _told in system.heard) == sorted(NAMES)
    told = dict(system.heard)
    assert told["on_execution_start"] == {"workflow_id": "wf", "execution_id": "exec_of_a_program", "mode": "automatic"}
    assert told["on_execution_complete"]["steps_succeeded"] == 1
    assert ResourceSample.objects.filter(execution_id="exec_of_a_program").count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("step_id", [1, "1", "step_of_mine", None])
def test_without_a_system_the_calls_cost_nothing(step_id: Any, caplog: pytest.LogCaptureFixture) -> None:
    """S11.10: a step that is recorded gets its metric, with its run's end if not before; one that only the program
    knows has none."""
    step = make_step()
    integration, heard = AnalyticsExecutionIntegration(every_s=3600), str(step_id) == str(step.index)
    integration.on_step_complete(
        workflow_id="wf", execution_id=step.execution.execution_id, step_id=step_id, success=True
    )
    assert StepMetric.objects.count() == (1 if heard else 0)
    tell_all(integration, step.execution.execution_id, step_id)
    assert list(StepMetric.objects.values_list("step", flat=True)) == [step.index]
    assert "metrics are incomplete" not in caplog.text


@pytest.mark.django_db
def test_a_system_hears_of_the_runs_of_this_process() -> None:
    """S11.8: where its integration is connected; the product's own hears as well."""
    system, step = System(), make_step()
    integration = AnalyticsExecutionIntegration(analytics_system=system, every_s=3600)
    integration.connect()
    try:
        run_begun.send_robust(sender=None, execution_id=step.execution.execution_id)
        step_recorded.send_robust(sender=Step, step_id=step.pk)
        run_ended.send_robust(sender=None, execution_id=step.execution.execution_id)
    finally:
        for signal in (run_begun, step_recorded, run_ended):
            signal.receivers = [kept for kept in signal.receivers if str(id(integration)) not in str(kept[0])]
            signal.sender_receivers_cache.clear()
    told = dict(system.heard)
    assert told["on_step_complete"]["step_id"] == step.index
    assert told["on_execution_start"]["workflow_id"] == step.execution.workflow_id
    assert told["on_execution_complete"]["success"] is False
    assert StepMetric.objects.count() == 1
