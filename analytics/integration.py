"""The one object through which analytics hears of runs (S11.8). Whatever fails here costs a run one warning (S1.21)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError
from django.utils import timezone

from analytics.projection import project
from analytics.resources import SAMPLE_EVERY_S, ResourceSampler
from execution.models import Robot, Step
from execution.signals import run_begun, run_ended, step_recorded

log = logging.getLogger(__name__)

KIND = "analytics"


class AnalyticsExecutionIntegration:
    """`connect` makes it hear of the runs of this process; a program of the user's may call the five methods itself."""

    def __init__(self, *, every_s: float = SAMPLE_EVERY_S) -> None:
        self._every_s = every_s
        self._lock = threading.Lock()
        self._monitors: dict[str, ResourceSampler] = {}
        self._warned: set[str] = set()

    def connect(self) -> None:
        step_recorded.connect(self._heard_step, dispatch_uid="analytics.step", weak=False)
        run_begun.connect(self._heard_begin, dispatch_uid="analytics.begin", weak=False)
        run_ended.connect(self._heard_end, dispatch_uid="analytics.end", weak=False)

    def on_execution_start(self, execution_id: str) -> None:
        """A run begins, or is gone on with: watch what it takes of the machine."""
        with self._lock:
            self._warned.discard(execution_id)
        self.start_resource_monitoring(execution_id)

    def on_step_result(self, step_id: int) -> None:
        """A step was recorded: its metric is made, or made again."""
        self._carefully(lambda: project(step_id), lambda: _run_of(step_id))

    def on_execution_complete(self, execution_id: str) -> None:
        """The run has ended, or its loop has left it."""
        self.stop_resource_monitoring(execution_id)

    def start_resource_monitoring(self, execution_id: str) -> None:
        """Sample from now on; a second start of the same run changes nothing."""
        with self._lock:
            if execution_id in self._monitors:
                return
            monitor = self._monitors[execution_id] = ResourceSampler(execution_id, every_s=self._every_s)
        self._carefully(monitor.start, lambda: execution_id)

    def stop_resource_monitoring(self, execution_id: str) -> None:
        """Take the last sample; nothing where nothing is being sampled."""
        with self._lock:
            monitor = self._monitors.pop(execution_id, None)
        if monitor is not None:
            self._carefully(monitor.stop, lambda: execution_id)

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
            warning = {"message": message, "at": timezone.now().isoformat()}
            Robot.objects.filter(pk=robot.pk).update(warnings={**robot.warnings, KIND: warning})

    def _heard_step(self, sender: Any, step_id: int, **kwargs: Any) -> None:
        self.on_step_result(step_id)

    def _heard_begin(self, sender: Any, execution_id: str, **kwargs: Any) -> None:
        self.on_execution_start(execution_id)

    def _heard_end(self, sender: Any, execution_id: str, **kwargs: Any) -> None:
        self.on_execution_complete(execution_id)


def _run_of(step_id: int) -> str:
    """The run of a step; empty where not even that can be asked."""
    try:
        return Step.objects.values_list("execution__execution_id", flat=True).filter(pk=step_id).first() or ""
    except DatabaseError:
        return ""


integration = AnalyticsExecutionIntegration()
