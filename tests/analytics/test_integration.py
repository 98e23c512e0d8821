from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DatabaseError

from analytics import integration
from analytics import integration as module
from analytics.integration import AnalyticsExecutionIntegration, ResourceSampler
from analytics.models import ResourceSample, StepMetric
from execution.models import Robot, Step
from execution.signals import run_begun, run_ended, step_recorded
from gpu.types import VRAMInfo
from tests.analytics.steps import make_step
from tests.factories import make_execution

NEVER = 3600.0


@pytest.fixture
def analytics() -> Iterator[AnalyticsExecutionIntegration]:
    made = AnalyticsExecutionIntegration(every_s=NEVER)
    yield made
    for execution_id in list(made._monitors):
        made.stop_resource_monitoring(execution_id)


def threads_of(execution_id: str) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == f"resources {execution_id}"]


# --- what the product's signals do ----------------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_recorded_step_becomes_a_metric() -> None:
    """S7.1, S11.8"""
    step = make_step()
    step_recorded.send_robust(sender=Step, step_id=step.pk)
    assert StepMetric.objects.get().execution_id == step.execution.execution_id


@pytest.mark.django_db
def test_a_run_is_watched_from_its_beginning_to_its_end() -> None:
    """S7.2"""
    execution_id = make_execution().execution_id
    run_begun.send_robust(sender=None, execution_id=execution_id)
    assert len(threads_of(execution_id)) == 1
    run_ended.send_robust(sender=None, execution_id=execution_id)
    assert threads_of(execution_id) == []
    assert ResourceSample.objects.filter(execution_id=execution_id).count() == 1  # a run of a moment has one too


# --- the object -----------------------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_second_start_and_a_second_stop_change_nothing(analytics: AnalyticsExecutionIntegration) -> None:
    analytics.on_execution_start("exec_1")
    analytics.start_resource_monitoring("exec_1")
    assert len(threads_of("exec_1")) == 1
    analytics.on_execution_complete("exec_1")
    analytics.stop_resource_monitoring("exec_1")
    assert ResourceSample.objects.count() == 1


@pytest.mark.django_db
def test_a_projection_that_fails_costs_one_warning_a_run_and_no_step(
    analytics: AnalyticsExecutionIntegration, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """S1.21: in the log and on the status page."""

    def broken(step_id: int) -> None:
        raise RuntimeError("disk full")

    monkeypatch.setattr(module, "project", broken)
    robot = Robot.objects.create(name="r", desktop="r", host="h", pid=1, warnings={"ocr": {"message": "slow"}})
    run = make_execution(robot=robot)
    for step in (make_step(run), make_step(run), make_step(run)):
        analytics.on_step_result(step.pk)
    assert caplog.text.count("RuntimeError: disk full") == 1
    robot.refresh_from_db()
    assert robot.warnings["analytics"]["message"] == "RuntimeError: disk full"
    assert robot.warnings["ocr"] == {"message": "slow"}


# --- samples --------------------------------------------------------------------------------------------------------
class Card:
    """One GPU that is busy."""

    def read(self) -> tuple[VRAMInfo, ...]:
        return (VRAMInfo(uuid="GPU-1", name="A card", total_mb=8000, used_mb=5000, free_mb=3000),)

    def utilisation(self) -> dict[str, int]:
        return {"GPU-1": 75}


@pytest.mark.django_db
def test_a_sample_says_what_the_machine_gives() -> None:
    """S7.2"""
    sample = ResourceSampler("exec_1", vram=Card()).sample()  # type: ignore[arg-type]
    assert 0 <= sample.cpu_percent <= 100
    assert 0 < sample.ram_percent <= 100
    assert sample.process_ram_mb > 10
    assert (sample.gpu_percent, sample.vram_used_mb, sample.vram_total_mb) == (75, 5000, 8000)
    assert ResourceSample.objects.get(execution_id="exec_1").vram_used_mb == 5000


@pytest.mark.django_db
def test_what_is_not_known_is_empty_and_not_zero() -> None:
    class Nothing(Card):
        def read(self) -> tuple[VRAMInfo, ...]:
            return ()

        def utilisation(self) -> dict[str, int]:
            return {}

    sample = ResourceSampler("exec_1", vram=Nothing()).sample()  # type: ignore[arg-type]
    assert (sample.gpu_percent, sample.vram_used_mb, sample.vram_total_mb) == (None, None, None)


@pytest.mark.django_db(transaction=True)
def test_samples_are_taken_while_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """S7.2"""
    taken, third = [], threading.Event()
    real = ResourceSampler.sample

    def counted(self: ResourceSampler) -> Any:
        taken.append(real(self))
        if len(taken) == 3:
            third.set()
        return taken[-1]

    monkeypatch.setattr(ResourceSampler, "sample", counted)
    monitor = ResourceSampler("exec_1", every_s=0.01)
    monitor.start()
    assert third.wait(60)
    monitor.stop()
    assert ResourceSample.objects.filter(execution_id="exec_1").count() == len(taken)
    moments = [sample.at for sample in ResourceSample.objects.filter(execution_id="exec_1").order_by("at")]
    assert moments == sorted(moments)


@pytest.mark.django_db(transaction=True)
def test_a_sample_that_is_not_kept_does_not_end_the_sampling(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    calls, second = [], threading.Event()

    def busy_once(self: ResourceSampler) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise DatabaseError("database is locked")
        second.set()

    monkeypatch.setattr(integration.ResourceSampler, "sample", busy_once)
    monitor = ResourceSampler("exec_1", every_s=0.01)
    monitor.start()
    assert second.wait(60)
    monitor.stop()
    assert "a resource sample was not kept: database is locked" in caplog.text
