"""The one object through which analytics hears of runs (S11.8). Whatever fails here costs a run one warning (S1.21)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError, connections
from django.utils import timezone

from analytics.models import ResourceSample
from analytics.projection import catch_up, project, project_marked, project_run
from execution.choices import ExecutionState
from execution.models import Execution, Robot, Step
from execution.record.patience import let_go_of_broken
from execution.signals import run_begun, run_ended, step_marked, step_recorded
from gpu.resources import ResourceMonitor, VRAMMonitor
from workflows.parsing import whole_number

# How busy the machine is while a run goes on: a sample every few seconds, in a thread of its own (S7.2).


SAMPLE_EVERY_S = 5.0


class ResourceSampler:
    """Samples from `start` to `stop`; the last one is taken at the stop, so that a short run has one too."""

    def __init__(
        self,
        execution_id: str,
        *,
        vram: VRAMMonitor | None = None,
        every_s: float = SAMPLE_EVERY_S,
        on_problem: Callable[[Exception], None] | None = None,
    ) -> None:
        self.execution_id, self.every_s = execution_id, every_s
        self._on_problem = on_problem or self._log
        self._monitor = ResourceMonitor(vram=vram)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"resources {execution_id}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        self.sample()

    def sample(self) -> ResourceSample:
        """Measure now and keep it."""
        return ResourceSample.objects.create(execution_id=self.execution_id, at=timezone.now(), **self._measure())

    def _measure(self) -> dict[str, Any]:
        now = self._monitor.read()
        return {
            "cpu_percent": now.cpu_percent,
            "ram_percent": now.ram_percent,
            "process_ram_mb": now.process_ram_mb,
            "gpu_percent": now.gpu_percent,
            "vram_used_mb": now.vram_used_mb,
            "vram_total_mb": now.vram_total_mb,
        }

    def _run(self) -> None:
        try:
            self._sample_until_stopped(lambda: self._stop.wait(self.every_s))
        finally:
            connections.close_all()

    def _sample_until_stopped(self, stopped: Callable[[], bool]) -> None:
        while not stopped():
            let_go_of_broken()
            try:
                self.sample()
            except Exception as error:  # noqa: BLE001  a helper: the next sample may be kept
                self._on_problem(error)

    def _log(self, error: Exception) -> None:
        log.warning("a resource sample was not kept: %s", error, extra={"execution": self.execution_id})


log = logging.getLogger(__name__)

KIND = "analytics"


class AnalyticsExecutionIntegration:
    """`connect` makes it hear of the runs of this process; a program of the user's may call its methods itself.

    `analytics_system` is one of the user's own: each call goes on to its method of the same name, by the same keywords,
    where it has one (S11.10).
    """

    def __init__(self, analytics_system: Any = None, *, every_s: float = SAMPLE_EVERY_S) -> None:
        self.analytics_system = analytics_system
        self._every_s = every_s
        self._lock = threading.Lock()
        self._monitors: dict[str, ResourceSampler] = {}
        self._warned: set[str] = set()

    def connect(self) -> None:
        step_recorded.connect(self._heard_step, dispatch_uid=f"analytics.step.{id(self)}", weak=False)
        step_marked.connect(self._heard_mark, dispatch_uid=f"analytics.mark.{id(self)}", weak=False)
        run_begun.connect(self._heard_begin, dispatch_uid=f"analytics.begin.{id(self)}", weak=False)
        run_ended.connect(self._heard_end, dispatch_uid=f"analytics.end.{id(self)}", weak=False)

    def on_execution_start(self, execution_id: str, workflow_id: str = "", mode: str = "") -> None:
        """A run begins, or is gone on with: watch what it takes of the machine."""
        with self._lock:
            self._warned.discard(execution_id)
        self._hand_on("on_execution_start", workflow_id=workflow_id, execution_id=execution_id, mode=mode)
        self._carefully(catch_up, lambda: execution_id)
        self.start_resource_monitoring(execution_id)

    def on_step_result(self, step_id: int) -> None:
        """A step was recorded: its metric is made, or made again."""
        self._carefully(lambda: project(step_id), lambda: _run_of(step_id))

    def on_step_complete(
        self,
        workflow_id: str,
        execution_id: str,
        step_id: Any,
        success: bool,
        duration_ms: float = 0.0,
        confidence: float = 0.0,
    ) -> None:
        """A step of a run is done. Metrics are made of recorded steps alone (S7.5): `step_id` is the index of one."""
        self._hand_on(
            "on_step_complete",
            workflow_id=workflow_id,
            execution_id=execution_id,
            step_id=step_id,
            success=success,
            duration_ms=duration_ms,
            confidence=confidence,
        )
        self._carefully(lambda: self._project_of(execution_id, step_id), lambda: execution_id)

    def on_execution_complete(
        self,
        execution_id: str,
        workflow_id: str = "",
        success: bool = False,
        duration_ms: float = 0.0,
        steps_executed: int = 0,
        steps_succeeded: int = 0,
        steps_failed: int = 0,
        error_message: str | None = None,
    ) -> None:
        """The run has ended, or its loop has left it: its own metric is made where it has ended."""
        self.stop_resource_monitoring(execution_id)
        self._carefully(lambda: project_run(execution_id), lambda: execution_id)
        self._hand_on(
            "on_execution_complete",
            workflow_id=workflow_id,
            execution_id=execution_id,
            success=success,
            duration_ms=duration_ms,
            steps_executed=steps_executed,
            steps_succeeded=steps_succeeded,
            steps_failed=steps_failed,
            error_message=error_message,
        )

    def start_resource_monitoring(self, execution_id: str) -> None:
        """Sample from now on; a second start of the same run changes nothing."""
        with self._lock:
            if execution_id in self._monitors:
                return
            monitor = self._monitors[execution_id] = ResourceSampler(
                execution_id,
                every_s=self._every_s,
                on_problem=lambda error: self._warn(execution_id, f"{type(error).__name__}: {error}"),
            )
        self._carefully(monitor.start, lambda: execution_id)
        self._hand_on("start_resource_monitoring", execution_id=execution_id)

    def stop_resource_monitoring(self, execution_id: str) -> None:
        """Take the last sample; nothing where nothing is being sampled."""
        with self._lock:
            monitor = self._monitors.pop(execution_id, None)
        if monitor is not None:
            self._carefully(monitor.stop, lambda: execution_id)
            self._hand_on("stop_resource_monitoring", execution_id=execution_id)

    def _hand_on(self, name: str, *, execution_id: str, **told: Any) -> None:
        """To the user's own system, where it wants to hear of it."""
        heard = getattr(self.analytics_system, name, None)
        if callable(heard):
            self._carefully(lambda: heard(execution_id=execution_id, **told), lambda: execution_id)

    def _project_of(self, execution_id: str, step_id: Any) -> None:
        if (index := whole_number(str(step_id))) is None:
            return  # a step that only the program knows
        step = Step.objects.filter(execution__execution_id=execution_id, index=index).only("pk").first()
        if step is not None:
            project(step.pk)

    def _carefully(self, work: Callable[[], Any], run_of: Callable[[], str]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  a helper: whatever it raises is told, and the run goes on
            self._warn(run_of(), f"{type(error).__name__}: {error}")

    def _warn(self, execution_id: str, message: str) -> None:
        """Once a run: one line in the log, one on the status page of the robot."""
        with self._lock:
            if execution_id in self._warned:
                return
            self._warned.add(execution_id)
        log.warning("metrics are incomplete: %s", message, extra={"execution": execution_id, "kind": KIND})
        try:
            self._tell_robot(execution_id, message)
        except DatabaseError as error:
            log.info("the status page could not be told: %s", error, extra={"execution": execution_id})

    def _tell_robot(self, execution_id: str, message: str) -> None:
        robot = Robot.objects.filter(executions__execution_id=execution_id).first()
        if robot is not None:
            Robot.objects.warn(robot.pk, KIND, message)

    # --- what the signals of this process tell ------------------------------------------------------------------------
    def _heard_step(self, sender: Any, step_id: int, **kwargs: Any) -> None:
        self._carefully(lambda: self.on_step_result(step_id), lambda: _run_of(step_id))
        if self.analytics_system is not None:
            self._carefully(lambda: self._hand_on_step(step_id), lambda: _run_of(step_id))

    def _heard_mark(self, sender: Any, step_id: int, **kwargs: Any) -> None:
        self._carefully(lambda: project_marked(step_id), lambda: _run_of(step_id))

    def _hand_on_step(self, step_id: int) -> None:
        step = Step.objects.select_related("execution__version__workflow").get(pk=step_id)
        self._hand_on(
            "on_step_complete",
            workflow_id=step.execution.workflow_id,
            execution_id=step.execution.execution_id,
            step_id=step.index,
            success=step.success,
            duration_ms=step.total_ms,
            confidence=step.confidence,
        )

    def _heard_begin(self, sender: Any, execution_id: str, **kwargs: Any) -> None:
        self._carefully(
            lambda: self.on_execution_start(execution_id, **self._told_of(execution_id, _beginning)),
            lambda: execution_id,
        )

    def _heard_end(self, sender: Any, execution_id: str, **kwargs: Any) -> None:
        self._carefully(
            lambda: self.on_execution_complete(execution_id, **self._told_of(execution_id, _end)),
            lambda: execution_id,
        )

    def _told_of(self, execution_id: str, told: Callable[[Execution], dict[str, Any]]) -> dict[str, Any]:
        """What a system of the user's own is told of the run; nothing where there is none."""
        found: dict[str, Any] = {}
        if self.analytics_system is not None:
            self._carefully(lambda: found.update(told(Execution.objects.by_id(execution_id))), lambda: execution_id)
        return found


def _beginning(execution: Execution) -> dict[str, Any]:
    return {"workflow_id": execution.workflow_id, "mode": execution.mode}


def _end(execution: Execution) -> dict[str, Any]:
    return {
        "workflow_id": execution.workflow_id,
        "success": execution.state == ExecutionState.COMPLETED,
        "duration_ms": execution.duration_seconds * 1000,
        "steps_executed": execution.steps_executed,
        "steps_succeeded": execution.steps_succeeded,
        "steps_failed": execution.steps_failed,
        "error_message": execution.error or None,
    }


def _run_of(step_id: int) -> str:
    """The run of a step; empty where not even that can be asked."""
    try:
        return Step.objects.values_list("execution__execution_id", flat=True).filter(pk=step_id).first() or ""
    except DatabaseError:
        return ""


integration = AnalyticsExecutionIntegration()
