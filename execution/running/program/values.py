"""The values that programs rely on, by the names of S11.3 and S11.4, and how they are made of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from execution.choices import ExecutionMode
from execution.models import Execution, Prompt, Step
from execution.types import Choice, ExecutionResult, ExecutionStatus, StepResult
from workflows.exceptions import PictureAway, PictureMissing
from workflows.pictures import PictureStore


class CoachingDecision(StrEnum):
    ACCEPT = "accept"
    REJECT = "reject"
    CORRECT = "correct"
    EXECUTE_MANUAL = "manual"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class CoachingResponse:
    """`executed_manually`: the person has done it, so that it is not done again, whatever else was decided for it."""

    decision: CoachingDecision
    correction: Mapping[str, Any] | None = None
    feedback: str | None = None
    executed_manually: bool = False

    @property
    def choice(self) -> Choice:
        """Raises ValueError for what is no decision."""
        choice = Choice(str(getattr(self.decision, "value", self.decision)).lower())
        return Choice.MANUAL if self.executed_manually and choice in (Choice.ACCEPT, Choice.CORRECT) else choice


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionContext:
    workflow_id: str
    execution_id: str
    mode: ExecutionMode
    started_at: datetime | None
    current_node_id: str | None = None
    current_edge_id: str | None = None
    steps_executed: int = 0
    steps_succeeded: int = 0
    steps_failed: int = 0
    last_screenshot_path: str | None = None
    last_match_confidence: float = 0.0
    variables: Mapping[str, Any] = field(default_factory=dict)
    history: tuple[Mapping[str, Any], ...] = ()


CoachingCallback = Callable[[str, Mapping[str, Any]], CoachingResponse]
ConfirmationCallback = Callable[[str, Mapping[str, Any]], bool]


def context_of(execution: Execution) -> ExecutionContext:
    """The run as it is now; where nothing was recognised yet, it is at the node it was started at."""
    steps = list(execution.steps.order_by("index"))
    return ExecutionContext(
        workflow_id=execution.workflow_id,
        execution_id=execution.execution_id,
        mode=ExecutionMode(execution.mode),
        started_at=execution.started_at,
        current_node_id=execution.current_node_id or execution.start_node_id or None,
        current_edge_id=execution.current_edge_id or None,
        steps_executed=execution.steps_executed,
        steps_succeeded=execution.steps_succeeded,
        steps_failed=execution.steps_failed,
        last_screenshot_path=screenshot_path(steps[-1]) if steps else None,
        last_match_confidence=execution.last_confidence,
        variables=dict(execution.variables),
        history=tuple(
            {
                "timestamp": (s.ended_at or s.started_at).isoformat(),
                "node_id": s.node_id,
                "edge_id": s.edge_id or None,
                "success": s.success,
                "confidence": s.confidence,
            }
            for s in steps
        ),
    )


def screenshot_path(step: Step) -> str | None:
    """A file of this machine; None where there is no picture, or none that can be read now."""
    try:
        return str(PictureStore().file(step.picture_before)) if step.picture_before else None
    except (PictureMissing, PictureAway):
        return None


def step_result(step: Step, given: ExecutionResult | None = None) -> StepResult:
    """A finished step; `given` is what the program's own executor answered, where it has one."""
    return StepResult(
        success=step.success,
        node_id=step.node_id,
        edge_id=step.edge_id or None,
        action_result=(given or own_result(step)) if step.intent_at is not None else None,
        match_confidence=step.confidence,
        message=step.message,
        screenshot_path=screenshot_path(step),
        ocr_ms=step.ocr_ms,
        ui_ms=step.ui_ms,
        analyze_ms=step.analyze_ms,
        total_ms=step.total_ms,
        cache_hit=step.cache_hit,
        degraded=step.degraded,
    )


def own_result(step: Step) -> ExecutionResult:
    """What came of an act of the product's own hands."""
    return ExecutionResult(
        status=ExecutionStatus.SUCCESS if step.success else ExecutionStatus.FAILED,
        message=step.message,
        duration_ms=step.act_ms,
        error=None if step.success else step.message,
    )


def prompt_info(prompt: Prompt) -> dict[str, Any]:
    """What a callback is told of the question (S11.3)."""
    step, execution = prompt.step, prompt.execution
    return {
        "edge_id": step.edge_id,
        "action": step.action_type,
        "target": step.suggestion.get("target"),
        "params": step.suggestion.get("params") or {},
        "screenshot_path": screenshot_path(step),
        "context": {
            "workflow_id": execution.workflow_id,
            "execution_id": execution.execution_id,
            "step": step.index,
        },
    }
