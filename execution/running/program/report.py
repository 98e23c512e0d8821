"""What a run comes to, as a program asks for it by the names of S11."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from execution.choices import ExecutionState
from execution.models import Execution
from execution.running.learner import summary
from execution.running.program.stages import target_of
from execution.running.program.values import ExecutionContext, context_of
from execution.targeting.resolver import TargetResolver
from execution.types import Resolution, ScreenState
from workflows.graph import TargetSpec
from workflows.pictures import PictureStore


class RunReport:
    """The rows of one run, read anew each time; of no run before the first start."""

    _execution_id = ""

    def _execution(self) -> Execution | None:
        return Execution.objects.by_id(self._execution_id) if self._execution_id else None

    def get_state(self) -> ExecutionState:
        execution = self._execution()
        return ExecutionState(execution.state) if execution else ExecutionState.IDLE

    def get_progress(self) -> dict[str, Any]:
        execution = self._execution()
        return execution.progress() if execution else {"status": "idle"}

    @property
    def degraded(self) -> bool:
        """Whether screens are no longer read anew, because an analysis took too long (S2.4)."""
        execution = self._execution()
        return bool(execution and execution.degraded)

    def get_coaching_stats(self) -> dict[str, Any]:
        execution = self._execution()
        return execution.coaching_stats() if execution else Execution.objects.none().coaching_stats()

    def get_capture_stats(self) -> dict[str, Any]:
        execution = self._execution()
        return dict(execution.capture_stats) if execution else {}

    def get_resolver_stats(self) -> dict[str, int]:
        """How many targets each rung of the ladder resolved."""
        execution = self._execution()
        rungs = execution.steps.exclude(rung="").values_list("rung", flat=True) if execution else ()
        return {rung: list(rungs).count(rung) for rung in dict.fromkeys(rungs)}

    def get_learning_stats(self) -> dict[str, Any]:
        """S6.9, of the confidences of this run's steps."""
        execution = self._execution()
        history: dict[str, list[float]] = {}
        for node_id, confidence in execution.steps.values_list("node_id", "confidence") if execution else ():
            history.setdefault(node_id, []).append(confidence)
        return {
            "continuous_learner_available": True,
            "confidence_history": {node_id: summary(confidences) for node_id, confidences in history.items()},
        }

    def get_context(self) -> ExecutionContext | None:
        """The run as it is now; None before the first start."""
        execution = self._execution()
        return context_of(execution) if execution else None

    def resolve_target_advanced(self, target_spec: TargetSpec | Any, screen_state: ScreenState) -> Resolution:
        """Where a target is on a screen; it may be given as a dict with some of its fields, or as its text."""
        execution = self._execution()
        resolver = TargetResolver(pictures=PictureStore(), similarity_threshold=settings.RPA_SIMILARITY_THRESHOLD)
        target = target_of(target_spec, "asked")
        return resolver.resolve(target, screen_state, variables=execution.variables if execution else {})
