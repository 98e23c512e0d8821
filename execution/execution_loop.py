"""The loop for Python programs, by the names of S11: a thin front on the same engine and the same rows (S1.19)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db import connections
from django.utils.translation import gettext as _

from execution.actions import control
from execution.actions.decide import decide, decide_open
from execution.actions.start import start as start_run
from execution.choices import FINAL, ExecutionMode, ExecutionState, PromptKind
from execution.desktop.base import Desktop, DesktopError
from execution.desktop.local import open_desktop
from execution.exceptions import AlreadyDecided, ExecutionError, NothingToDecide
from execution.journal import Journal
from execution.loop import LoopLimits
from execution.models import Execution, Prompt, Step
from execution.perception.analyzer import ScreenAnalyzer
from execution.program import ActionExecutor, CapturerDesktop, ExecutionResult, Pipeline, ProgramStages, version_of
from execution.runner import Hooks, Runner
from execution.stages import Stages
from execution.targeting.resolver import TargetResolver
from execution.targeting.rungs.marks import MarksRung
from execution.types import (
    ActionResult,
    ActionStatus,
    Choice,
    DecisionSource,
    Resolution,
    ScreenState,
    StepResult,
)
from workflows.exceptions import DomainError
from workflows.graph import TargetSpec
from workflows.models import Workflow
from workflows.pictures import PictureStore

__all__ = [
    "CoachingDecision",
    "CoachingResponse",
    "ExecutionContext",
    "ExecutionLoop",
    "ExecutionMode",
    "ExecutionResult",
    "ExecutionState",
    "StepResult",
    "create_execution_loop",
]

log = logging.getLogger(__name__)

CLEANUP_S = 10.0


class CoachingDecision(StrEnum):
    ACCEPT = "accept"
    REJECT = "reject"
    CORRECT = "correct"
    EXECUTE_MANUAL = "manual"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class CoachingResponse:
    decision: CoachingDecision
    correction: Mapping[str, Any] | None = None
    feedback: str | None = None
    executed_manually: bool = False


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
    variables: Mapping[str, str] = field(default_factory=dict)
    history: tuple[Mapping[str, Any], ...] = ()


CoachingCallback = Callable[[str, Mapping[str, Any]], CoachingResponse]
ConfirmationCallback = Callable[[str, Mapping[str, Any]], bool]


class ExecutionLoop:
    """Runs one workflow at a time in a thread of its own, on the desktop of this process."""

    def __init__(
        self,
        pipeline: Pipeline | None = None,
        action_executor: ActionExecutor | None = None,
        screen_capturer: Any = None,
        capture_interval_ms: int = 500,
        max_no_match_retries: int = 5,
        confirmation_callback: ConfirmationCallback | None = None,
        coaching_callback: CoachingCallback | None = None,
        enable_ui_detection: bool = True,
        enable_ocr: bool = True,
        analyze_timeout_ms: int = 8000,
        window_info_provider: Callable[[], Mapping[str, Any] | None] | str | None = None,
        *,
        desktop: Desktop | None = None,
        analyzer: ScreenAnalyzer | None = None,
    ) -> None:
        self.pipeline, self.action_executor, self.screen_capturer = pipeline, action_executor, screen_capturer
        self.confirmation_callback, self.coaching_callback = confirmation_callback, coaching_callback
        self.flags = {
            "enable_ui_detection": enable_ui_detection,
            "enable_ocr": enable_ocr,
            "analyze_timeout_ms": analyze_timeout_ms,
        }
        self.window_info_provider = window_info_provider
        self.limits = LoopLimits(capture_interval_ms=capture_interval_ms, max_no_match_retries=max_no_match_retries)
        self.last_error = ""
        self._given_desktop, self._analyzer = desktop, analyzer
        self._desktop: Desktop | None = None
        self._execution_id = ""
        self._thread: threading.Thread | None = None
        self._leave = threading.Event()
        self._listeners: dict[str, list[Callable[..., None]]] = {"step": [], "state": [], "error": []}

    # --- control ----------------------------------------------------------------------------------------------------
    def start(
        self,
        workflow_id: str,
        mode: ExecutionMode | str | None = None,
        start_node_id: str | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> bool:
        """Start a run and return at once; False with the cause in `last_error` when it cannot be started."""
        if self._thread is not None and self._thread.is_alive():
            return self._refuse(_("This loop is running already; stop it or wait for its end."))
        try:
            self._make_sure_of(workflow_id)
            self._desktop = self._open_desktop()
            execution = start_run(
                workflow_id=workflow_id,
                mode=str(mode) if mode else None,
                start_node_id=start_node_id,
                variables=variables,
                flags=self.flags,
            )
        except (DomainError, DesktopError) as error:
            return self._refuse(str(error))
        self.last_error, self._execution_id = "", execution.execution_id
        self._leave.clear()
        self._thread = threading.Thread(target=self._run, name=f"loop {execution.execution_id}", daemon=True)
        self._thread.start()
        return True

    def stop(self) -> bool:
        return self._ask(control.stop)

    def pause(self) -> bool:
        return self._ask(control.pause)

    def resume(self) -> bool:
        return self._ask(control.resume)

    def set_mode(self, mode: ExecutionMode | str) -> bool:
        """Another mode from the next turn on (S1.23); False with the cause in `last_error`."""
        return self._ask(control.set_mode, mode=str(mode))

    def confirm_action(self, approved: bool = True) -> bool:
        return self._answer(Choice.ACCEPT if approved else Choice.REJECT)

    def submit_coaching_decision(self, response: CoachingResponse) -> bool:
        """False when nothing waits for a decision, or somebody else was first."""
        return self._answer(Choice(response.decision), correction=response.correction, feedback=response.feedback or "")

    def set_continuous_capture(self, enabled: bool) -> None:
        if self._execution_id:
            control.set_continuous_capture(execution_id=self._execution_id, enabled=enabled)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the run; whether it has ended."""
        if self._thread is not None:
            self._thread.join(timeout)
        return self._thread is None or not self._thread.is_alive()

    def cleanup(self) -> None:
        """Stop what runs and let go of the desktop."""
        if self._thread is not None and self._thread.is_alive():
            self.stop()
            self._thread.join(CLEANUP_S)
            self._leave.set()  # whatever it waits for: it leaves, and its run is left for the next run loop
            self._thread.join()
        self._thread = None

    # --- what is going on -------------------------------------------------------------------------------------------
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
        """S6.9; nothing learns continuously yet, the confidences are those of this run's steps."""
        execution = self._execution()
        history: dict[str, list[float]] = {}
        for node_id, confidence in execution.steps.values_list("node_id", "confidence") if execution else ():
            history.setdefault(node_id, []).append(confidence)
        return {
            "continuous_learner_available": False,
            "confidence_history": {
                node_id: {"count": len(c), "mean": sum(c) / len(c), "min": min(c), "max": max(c)}
                for node_id, c in history.items()
            },
        }

    def get_context(self) -> ExecutionContext | None:
        execution = self._execution()
        if execution is None:
            return None
        steps = list(execution.steps.order_by("index"))
        return ExecutionContext(
            workflow_id=execution.workflow_id,
            execution_id=execution.execution_id,
            mode=ExecutionMode(execution.mode),
            started_at=execution.started_at,
            current_node_id=execution.current_node_id or None,
            current_edge_id=execution.current_edge_id or None,
            steps_executed=execution.steps_executed,
            steps_succeeded=execution.steps_succeeded,
            steps_failed=execution.steps_failed,
            last_screenshot_path=screenshot_path(steps[-1]) if steps else None,
            last_match_confidence=execution.last_confidence,
            variables=execution.variables,
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

    def resolve_target_advanced(self, target_spec: TargetSpec, screen_state: ScreenState) -> Resolution:
        execution = self._execution()
        resolver = TargetResolver(
            pictures=PictureStore(), similarity_threshold=settings.RPA_SIMILARITY_THRESHOLD, further=(MarksRung().find,)
        )
        return resolver.resolve(target_spec, screen_state, variables=execution.variables if execution else {})

    def on_step_complete(self, listener: Callable[[StepResult], None]) -> None:
        self._listeners["step"].append(listener)

    def on_state_change(self, listener: Callable[[ExecutionState], None]) -> None:
        self._listeners["state"].append(listener)

    def on_error(self, listener: Callable[[str, Exception], None]) -> None:
        self._listeners["error"].append(listener)

    # --- inside -----------------------------------------------------------------------------------------------------
    def _run(self) -> None:
        runner = Runner(
            execution_id=self._execution_id,
            leave=self._leave,
            desktop=self._desktop,
            analyzer=self._analyzer,
            hooks=Hooks(
                stages=self._stages,
                limits=self.limits,
                on_begin=self._begin,
                on_prompt=self._on_prompt,
                on_error=lambda kind, error: self._tell("error", kind, error),
                window_provider=self.window_info_provider,
            ),
        )
        try:
            runner.run()
        except DesktopError as error:
            self._refuse(str(error))
            self._tell("error", "execution_loop", error)
        finally:
            connections.close_all()

    def _stages(self, journal: Journal, own: Stages) -> Stages:
        if self.pipeline is None and self.action_executor is None:
            return own
        return ProgramStages(
            own, journal, pipeline=self.pipeline, executor=self.action_executor, context=self.get_context()
        )

    def _begin(self, journal: Journal) -> None:
        journal.on_step.append(lambda step: self._tell("step", step_result(step)))
        journal.on_state.append(lambda execution: self._tell("state", ExecutionState(execution.state)))

    def _on_prompt(self, prompt: Prompt) -> None:
        """A program's own coach answers in the loop's thread; one that raises counts as skip, or as a rejection."""
        confirmation = prompt.kind == PromptKind.CONFIRMATION
        callback = self.confirmation_callback if confirmation else self.coaching_callback
        if callback is None or prompt.kind == PromptKind.IN_DOUBT:
            return
        try:
            answer = callback(prompt.message, prompt_info(prompt))
        except Exception:
            log.exception("the %s callback failed", prompt.kind)
            answer = None
        try:
            if confirmation:
                self._decide(prompt, Choice.ACCEPT if answer else Choice.REJECT)
            elif isinstance(answer, CoachingResponse) and answer.decision in prompt.choices:
                self._decide(prompt, Choice(answer.decision), answer.correction, answer.feedback or "")
            else:
                self._decide(prompt, Choice.SKIP)
        except (AlreadyDecided, NothingToDecide):
            log.info("somebody else was first", extra={"execution": self._execution_id})

    def _decide(
        self, prompt: Prompt, choice: Choice, correction: Mapping[str, Any] | None = None, feedback: str = ""
    ) -> None:
        decide(
            prompt_id=prompt.pk,
            choice=choice,
            correction=correction,
            feedback=feedback,
            source=DecisionSource.PROGRAM,
        )

    def _open_desktop(self) -> Desktop:
        desktop = self._given_desktop or open_desktop(None)
        return CapturerDesktop(self.screen_capturer, desktop) if self.screen_capturer else desktop  # type: ignore

    def _make_sure_of(self, workflow_id: str) -> None:
        """A workflow that only the program's pipeline knows gets rows of its own."""
        if self.pipeline is None or Workflow.objects.filter(workflow_id=workflow_id).exists():
            return
        loaded = self.pipeline.load_workflow(workflow_id)
        if loaded:
            version_of(workflow_id, loaded)

    def _execution(self) -> Execution | None:
        return Execution.objects.by_id(self._execution_id) if self._execution_id else None

    def _ask(self, verb: Callable[..., Any], **more: Any) -> bool:
        if not self._execution_id:
            return self._refuse(_("Nothing runs."))
        try:
            verb(execution_id=self._execution_id, **more)
        except DomainError as error:
            return self._refuse(str(error))
        return True

    def _answer(self, choice: Choice, **more: Any) -> bool:
        execution = self._execution()
        if execution is None or execution.state in FINAL:
            return self._refuse(_("Nothing waits for a decision."))
        try:
            decide_open(execution=execution, choice=choice, source=DecisionSource.PROGRAM, **more)
        except ExecutionError as error:
            return self._refuse(str(error))
        return True

    def _refuse(self, why: str) -> bool:
        log.warning(why, extra={"execution": self._execution_id})
        self.last_error = why
        return False

    def _tell(self, kind: str, *values: Any) -> None:
        for listener in self._listeners[kind]:
            try:
                listener(*values)
            except Exception:
                log.exception("a listener for %s failed", kind)


def create_execution_loop(pipeline: Pipeline | None = None, capture_interval_ms: int = 500) -> ExecutionLoop:
    return ExecutionLoop(pipeline=pipeline, capture_interval_ms=capture_interval_ms)


def screenshot_path(step: Step) -> str | None:
    return str(PictureStore().path(step.picture_before)) if step.picture_before else None


def step_result(step: Step) -> StepResult:
    acted = step.intent_at is not None
    return StepResult(
        success=step.success,
        node_id=step.node_id,
        edge_id=step.edge_id or None,
        action_result=(
            ActionResult(
                status=ActionStatus.DONE if step.success else ActionStatus.FAILED,
                message=step.message,
                act_ms=step.act_ms,
            )
            if acted
            else None
        ),
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
