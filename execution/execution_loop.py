"""The loop for Python programs, by the names of S11: a thin front on the same engine and the same rows (S1.19)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, Self

from django.conf import settings
from django.db import connections
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from execution.actions import control
from execution.actions.decide import decide_open
from execution.actions.start import resolve_mode
from execution.actions.start import start as start_run
from execution.choices import FINAL, ExecutionMode, ExecutionState, PromptKind
from execution.desktop.base import Desktop, DesktopError, DesktopIdentity
from execution.exceptions import ExecutionError, IllegalMove
from execution.learning.drift import DriftStatus
from execution.models import CorrectionPack, Execution, Prompt, Robot, Step
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.journal import Journal
from execution.running.learner import ContinuousLearner
from execution.running.program.capturer import NO_DISPLAY, OwnCapture, open_for, window_provider_of
from execution.running.program.coaching import consult
from execution.running.program.report import RunReport
from execution.running.program.stages import ActionExecutor, Pipeline, ProgramStages
from execution.running.program.training import FeedbackProcessor, TrainingDataCollector
from execution.running.program.values import (
    CoachingCallback,
    CoachingDecision,
    CoachingResponse,
    ConfirmationCallback,
    ExecutionContext,
    step_result,
)
from execution.running.program.workflow import keep_rows, learning_state
from execution.running.robots import robot_name
from execution.running.runner import Hooks, Runner
from execution.running.shown_capture import ShownCapture
from execution.signals import call_each
from execution.turn.limits import LoopLimits
from execution.turn.stages import Stages
from execution.turn.workflow_stages import WorkflowStages
from execution.types import (
    Choice,
    DecisionSource,
    ExecutionResult,
    ExecutionStatus,
    StepResult,
)
from sentences.said import cause, say, worded
from workflows.exceptions import DomainError

__all__ = [
    "CoachingDecision",
    "CoachingResponse",
    "ContinuousLearner",
    "CorrectionPack",
    "DriftStatus",
    "ExecutionContext",
    "ExecutionLoop",
    "ExecutionMode",
    "ExecutionResult",
    "ExecutionState",
    "ExecutionStatus",
    "FeedbackProcessor",
    "StepResult",
    "TrainingDataCollector",
    "create_execution_loop",
]

log = logging.getLogger(__name__)

CLEANUP_S = 10.0
OWN_PARTS = ("pipeline", "action_executor", "screen_capturer")
FLAGS = {"enable_ui_detection": True, "enable_ocr": True, "analyze_timeout_ms": 8000}


class ExecutionLoop(RunReport):
    """Runs one workflow at a time in a thread of its own, on the desktop of this process.

    A perception flag that is not given is as the workflow, else the settings, say (S2.2).
    """

    _given: frozenset[str] = frozenset()

    def __new__(cls, *args: Any, **given: Any) -> Self:
        loop = super().__new__(cls)
        loop._given = frozenset(given)
        return loop

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
        flags = {
            "enable_ui_detection": enable_ui_detection,
            "enable_ocr": enable_ocr,
            "analyze_timeout_ms": analyze_timeout_ms,
        }
        self.flags = {name: value for name, value in flags.items() if name in self._given or value != FLAGS[name]}
        self.window_info_provider = window_info_provider
        self.limits = LoopLimits(capture_interval_ms=capture_interval_ms, max_no_match_retries=max_no_match_retries)
        self.last_error = ""
        self._given_desktop, self._analyzer = desktop, analyzer
        self._workflow: Any = None  # what the program's pipeline loaded for this run
        self._continuous = True
        self._program: ProgramStages | None = None
        self._thread: threading.Thread | None = None
        self._begun, self._started = threading.Event(), False
        self._leave = threading.Event()
        self._listeners: dict[str, list[Callable[..., None]]] = {"step": [], "state": [], "error": []}

    # --- control ----------------------------------------------------------------------------------------------------
    def start(
        self,
        workflow_id: str,
        mode: ExecutionMode | str | None = None,
        start_node_id: str | None = None,
        variables: Mapping[str, Any] | None = None,
    ) -> bool:
        """Start a run and return once this loop has the desktop; False with the cause in `last_error`.

        With a workflow of the program's own any node and any variables are taken: it alone knows them.
        """
        if self.get_state() in FINAL:
            self.wait(CLEANUP_S)  # it is over, and lets the desktop go
        if self._thread is not None and self._thread.is_alive():
            return self._refuse(_("This loop is running already; stop it or wait for its end."))
        try:
            self._workflow = self._loaded(workflow_id)
            provider = self._provider()
        except Exception as error:  # the program's own pipeline: whatever it raises is the cause that is told
            log.exception("the run was not started")
            return self._refuse(worded(error) or type(error).__name__)
        asked = {
            "workflow_id": workflow_id,
            "mode": self._mode(mode),
            "start_node_id": start_node_id,
            "variables": variables,
            "flags": self.flags,
            "declared": self._workflow is None,
            "own_parts": self._own_parts,
        }
        self.last_error, self._program, self._started = "", None, False
        self._begun.clear()
        self._leave.clear()
        self._thread = threading.Thread(target=self._run, args=(asked, provider), name=f"loop {workflow_id}")
        self._thread.daemon = True
        self._thread.start()
        self._begun.wait()
        if not self._started:
            self._thread.join()  # by then the desktop is let go
        return self._started

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
        """False when no confirmation is waited for."""
        return self._answer({PromptKind.CONFIRMATION}, Choice.ACCEPT if approved else Choice.REJECT)

    def submit_coaching_decision(self, response: CoachingResponse) -> bool:
        """False when nothing waits for a decision, or somebody else was first."""
        try:
            choice = response.choice
        except ValueError as error:
            return self._refuse(worded(error))
        coached = set(PromptKind) - {PromptKind.CONFIRMATION}
        return self._answer(
            coached,
            choice,
            correction=response.correction,
            feedback=response.feedback or "",
            own_executor=self.action_executor is not None,
        )

    def set_continuous_capture(self, enabled: bool) -> None:
        """For the run that goes on, and for those that are started after it."""
        self._continuous = enabled
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

    # --- who listens ------------------------------------------------------------------------------------------------
    def on_step_complete(self, listener: Callable[[StepResult], None]) -> None:
        self._listeners["step"].append(listener)

    def on_state_change(self, listener: Callable[[ExecutionState], None]) -> None:
        self._listeners["state"].append(listener)

    def on_error(self, listener: Callable[[str, Exception], None]) -> None:
        self._listeners["error"].append(listener)

    # --- starting ---------------------------------------------------------------------------------------------------
    @property
    def _own_parts(self) -> str:
        return ", ".join(name for name in OWN_PARTS if getattr(self, name) is not None)

    def _loaded(self, workflow_id: str) -> Any:
        """The program's own workflow, asked for anew at each start; whatever its pipeline raises is the cause."""
        if self.screen_capturer is not None and not callable(getattr(self.screen_capturer, "capture_screen", None)):
            raise TypeError(_("The screen capturer has no capture_screen()."))
        if self.pipeline is None:
            return None
        loaded = self.pipeline.load_workflow(workflow_id)
        if loaded is not None:
            keep_rows(workflow_id, loaded)
        return loaded

    def _provider(self) -> Any:
        """A callable, or a name or dotted path as one; the capturer's own window where nothing else is given."""
        given = self.window_info_provider
        if isinstance(given, str) and given:
            return import_string(settings.RPA_WINDOW_PROVIDERS.get(given, given))  # the program's own process
        return given or (window_provider_of(self.screen_capturer) if self.screen_capturer is not None else None)

    def _mode(self, mode: ExecutionMode | str | None) -> str | None:
        if mode:
            return str(getattr(mode, "value", mode))
        state = learning_state(self._workflow) if self._workflow is not None else ""
        return str(resolve_mode(None, state)) if state else None

    def _run(self, asked: Mapping[str, Any], provider: Any) -> None:
        def hold(identity: DesktopIdentity) -> str:
            if not self._started:  # else the desktop was lost, and is back
                self._execution_id, self._started = self._start(identity, asked), True
                self._begun.set()
            return self._execution_id

        def failed(kind: str, error: Exception) -> None:
            if not self._started:  # nothing is waited for: whoever starts is told
                self._leave.set()
                self._refuse(worded(error))
            self._tell("error", kind, error)

        runner = Runner(
            leave=self._leave,
            analyzer=self._analyzer,
            hooks=Hooks(
                stages=self._stages,
                own_parts=self._own_parts,
                limits=self.limits,
                on_begin=self._begin,
                on_prompt=self._on_prompt,
                on_error=failed,
                window_provider=provider,
                open_desktop=self._open_desktop,
                on_hold=hold,
                capture=self._capture,
            ),
        )
        try:
            runner.run()
        except (DomainError, DesktopError) as error:
            self._refuse(worded(error))
            self._tell("error", "execution_loop", error)
        except Exception as error:  # the end of the thread: who started it is told, and nobody else would be
            log.exception("the loop failed")
            self._refuse(worded(cause(error)))
            self._tell("error", "execution_loop", error)
        finally:
            self._begun.set()
            connections.close_all()

    def _start(self, identity: DesktopIdentity, asked: Mapping[str, Any]) -> str:
        """The run's row, for this desktop alone: no other run loop may take what has this program's own parts."""
        desktop = robot_name(identity)
        for left in Execution.objects.abandoned_on(desktop):
            if not identity.name.startswith(NO_DISPLAY):
                raise IllegalMove(
                    _("The run %(id)s was left on this desktop: let “runloop --execution %(id)s” go on with it first.")
                    % {"id": left.execution_id}
                )
            Journal(left, left.version.spec()).finish(ExecutionState.FAILED, say("program.ended"))
        execution = start_run(desktop=desktop, **asked)
        if not self._continuous:
            control.set_continuous_capture(execution_id=execution.execution_id, enabled=False)
        return execution.execution_id

    def _open_desktop(self, name: str | None) -> Desktop:
        acts = self.action_executor is None
        return open_for(self.screen_capturer, acts=acts, name=name, given=self._given_desktop)

    def _capture(self, desktop: Desktop, robot: Robot) -> ShownCapture:
        if callable(getattr(self.screen_capturer, "start_continuous", None)):
            return OwnCapture(self.screen_capturer, desktop, robot, interval_ms=self.limits.capture_interval_ms)
        return ShownCapture(desktop, robot)

    def _stages(self, journal: Journal, own: WorkflowStages) -> Stages:
        if self.pipeline is None and self.action_executor is None:
            return own
        self._program = ProgramStages(
            own,
            journal,
            pipeline=self.pipeline,
            executor=self.action_executor,
            workflow=self._workflow,
            on_error=lambda kind, error: self._tell("error", kind, error),
        )
        return self._program

    # --- while it runs ----------------------------------------------------------------------------------------------
    def _begin(self, journal: Journal) -> None:
        journal.on_step.append(self._step_done)
        journal.on_state.append(lambda execution: self._tell("state", ExecutionState(execution.state)))

    def _step_done(self, step: Step) -> None:
        self._tell("step", step_result(step, self._program.result if self._program else None))

    def _on_prompt(self, prompt: Prompt) -> None:
        """A program's own coach is asked; where it has none for this, people answer."""
        confirmation = prompt.kind == PromptKind.CONFIRMATION
        callback = self.confirmation_callback if confirmation else self.coaching_callback
        if callback is not None and prompt.kind != PromptKind.IN_DOUBT:
            consult(callback, prompt, own_executor=self.action_executor is not None)

    # --- inside -----------------------------------------------------------------------------------------------------
    def _ask(self, verb: Callable[..., Any], **more: Any) -> bool:
        if not self._execution_id:
            return self._refuse(_("Nothing runs."))
        try:
            verb(execution_id=self._execution_id, **more)
        except DomainError as error:
            return self._refuse(worded(error))
        return True

    def _answer(self, kinds: set[PromptKind], choice: Choice, **more: Any) -> bool:
        execution = self._execution()
        waiting = None if execution is None or execution.state in FINAL else execution.prompts.open().first()
        if execution is None or waiting is None or waiting.kind not in kinds:
            return self._refuse(_("Nothing waits for a decision."))
        try:
            decide_open(execution=execution, choice=choice, source=DecisionSource.PROGRAM, **more)
        except ExecutionError as error:
            return self._refuse(worded(error))
        return True

    def _refuse(self, why: str) -> bool:
        log.warning(why, extra={"execution": self._execution_id})
        self.last_error = why
        return False

    def _tell(self, kind: str, *values: Any) -> None:
        call_each(self._listeners[kind], *values, of=f"the loop's {kind}")


def create_execution_loop(pipeline: Pipeline | None = None, capture_interval_ms: int = 500) -> ExecutionLoop:
    return ExecutionLoop(pipeline=pipeline, capture_interval_ms=capture_interval_ms)
