"""The names and shapes that programs rely on (S11.1 to S11.5), driven on a scripted desktop."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from execution import execution_loop as front
from execution.actions.decide import decide
from execution.choices import PromptKind
from execution.exceptions import BadDecision
from execution.execution_loop import (
    CoachingDecision,
    CoachingResponse,
    ExecutionLoop,
    ExecutionMode,
    ExecutionResult,
    ExecutionState,
    create_execution_loop,
)
from execution.models import Prompt, Step
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Box, Point, TextLine, Window
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Button, ScriptedScreen, TextLabel
from tests.factories import make_execution, make_published, make_workflow

pytestmark = pytest.mark.django_db(transaction=True)

SCREENS = [
    ScriptedScreen(
        name="one",
        title="One",
        widgets=[
            TextLabel(text="Step one", at=Point(40, 40)),
            Button(name="Next", text="Next", box=Box(40, 200, 120, 40)),
        ],
    )
]


class Program:
    """A user's own pipeline and executor: three nodes in a line, moved on by what is executed."""

    def __init__(self) -> None:
        self.node = "a"
        self.executed: list[str] = []
        self.asked: list[str] = []

    def load_workflow(self, workflow_id: str) -> Mapping[str, Any] | None:
        known = {"name": "By a program", "learning_state": "COACHING", "entry_nodes": ["a"], "end_nodes": ["c"]}
        return known if workflow_id == "wf_program" else None

    def match_current_state(self, screenshot_path: str, workflow_id: str) -> Mapping[str, Any]:
        self.asked.append(screenshot_path)
        return {"node_id": self.node, "confidence": 0.9}

    def get_next_action(self, workflow_id: str, node_id: str) -> Mapping[str, Any] | None:
        following = {"a": ("ab", "click"), "b": ("bc", "type_text")}.get(node_id)
        return following and {
            "edge_id": following[0],
            "action": following[1],
            "target": "Next",
            "params": {"text": "x"},
        }

    def execute_edge(self, edge: Mapping[str, Any], screen_state: Any, context: Any) -> ExecutionResult:
        self.executed.append(edge["edge_id"])
        self.node = {"ab": "b", "bc": "c"}[edge["edge_id"]]
        return ExecutionResult("success", duration_ms=3.0)


@pytest.fixture
def program() -> Program:
    return Program()


@pytest.fixture
def loop(program: Program) -> Iterator[ExecutionLoop]:
    made = ExecutionLoop(
        pipeline=program,
        action_executor=program,
        capture_interval_ms=10,
        max_no_match_retries=2,
        desktop=ScriptedDesktop(SCREENS),
        analyzer=ScreenAnalyzer(None, None, None),
    )
    yield made
    made.cleanup()


def test_the_names_are_there() -> None:
    """S11.1, S1.1, S1.2"""
    assert set(front.__all__) >= {
        "ExecutionLoop", "create_execution_loop", "ExecutionMode", "ExecutionState", "CoachingDecision",
        "CoachingResponse", "ExecutionContext", "StepResult",
    }  # fmt: skip
    assert [m.value for m in ExecutionMode] == ["observation", "coaching", "supervised", "automatic"]
    assert (ExecutionState.WAITING_CONFIRMATION, ExecutionState.WAITING_COACHING) == ("waiting", "coaching")
    assert CoachingDecision.EXECUTE_MANUAL == "manual"
    assert isinstance(create_execution_loop(capture_interval_ms=100), ExecutionLoop)


def test_nothing_runs_before_a_start() -> None:
    """S1.12, S11.2"""
    loop = create_execution_loop()
    assert loop.get_progress() == {"status": "idle"}
    assert loop.get_state() == ExecutionState.IDLE
    assert loop.get_context() is None
    assert loop.get_coaching_stats()["acceptance_rate"] == 0.0
    assert not loop.stop()
    assert not loop.submit_coaching_decision(CoachingResponse(CoachingDecision.ACCEPT))


def test_a_coached_run_by_a_program(loop: ExecutionLoop, program: Program) -> None:
    """S11.3: the callback is told what S11.3 says; S1.3: the mode follows the learning state."""
    told: list[tuple[str, Mapping[str, Any]]] = []

    def coach(message: str, info: Mapping[str, Any]) -> CoachingResponse:
        told.append((message, info))
        return CoachingResponse(CoachingDecision.ACCEPT)

    steps, states = [], []
    loop.coaching_callback = coach
    loop.on_step_complete(steps.append)
    loop.on_state_change(states.append)
    assert loop.start("wf_program")
    assert loop.wait(30)
    assert loop.get_state() == ExecutionState.COMPLETED
    assert program.executed == ["ab", "bc"]
    message, info = told[0]
    assert message.startswith("Suggested action: ")
    assert set(info) == {"edge_id", "action", "target", "params", "screenshot_path", "context"}
    assert set(info["context"]) == {"workflow_id", "execution_id", "step"}
    assert (info["edge_id"], info["action"], info["context"]["workflow_id"]) == ("ab", "click", "wf_program")
    assert [s.edge_id for s in steps] == ["ab", "bc", None]
    assert steps[0].duration_ms == steps[0].total_ms
    assert steps[0].action_result.duration_ms == 3.0
    assert states[-1] == ExecutionState.COMPLETED
    context = loop.get_context()
    assert context is not None
    assert set(context.history[0]) == {"timestamp", "node_id", "edge_id", "success", "confidence"}
    assert context.last_screenshot_path == program.asked[-1]
    assert loop.get_coaching_stats()["accepted"] == 2
    assert set(loop.get_capture_stats()) == {
        "total_captures", "captures_per_second", "unchanged_skipped", "avg_capture_time_ms", "buffer_size", "memory_mb",
    }  # fmt: skip
    assert loop.get_learning_stats()["confidence_history"]["a"]["count"] == 1


def test_a_callback_that_raises_counts_as_skip(loop: ExecutionLoop, program: Program) -> None:
    """S11.3"""

    def broken(message: str, info: Mapping[str, Any]) -> CoachingResponse:
        raise RuntimeError("no")

    loop.coaching_callback = broken
    assert_skipped(loop, program)


def assert_skipped(loop: ExecutionLoop, program: Program) -> None:
    paused = threading.Event()
    loop.on_state_change(lambda state: paused.set() if state == ExecutionState.PAUSED else None)
    assert loop.start("wf_program")
    assert paused.wait(30)
    assert loop.get_coaching_stats()["skipped"] == 1
    assert program.executed == []


@pytest.mark.parametrize("correction", [{"target": [1]}, 7])
def test_a_bad_correction_counts_as_skip_and_never_ends_the_run(loop, program, correction) -> None:
    """S11.3"""
    loop.coaching_callback = lambda message, info: CoachingResponse(CoachingDecision.CORRECT, correction=correction)
    assert_skipped(loop, program)


CANNOT_BE_DONE: list[dict[str, Any]] = [
    {"action": "type_text", "params": {"text": None}},
    {"action": "press_keys", "params": {"keys": 5}},
    {"action": "navigate"},
    {"target": {"box": [0, 0, 0, 0]}},
    {"target": {"label": "Next"}},
]


@pytest.mark.parametrize("correction", CANNOT_BE_DONE)
def test_a_correction_that_the_products_executor_cannot_do_is_refused(correction: dict[str, Any]) -> None:
    """S11.3: without an executor of the program's own the catalogue says what can be done."""
    run = make_execution()
    step = Step.objects.create(execution=run, index=1, epoch=0, mode=run.mode, action_type="click")
    prompt = Prompt.objects.create(execution=run, step=step, kind=PromptKind.COACHING, message="?")
    answer: dict[str, Any] = {"prompt_id": prompt.pk, "choice": "correct", "correction": correction}
    with pytest.raises(BadDecision):
        decide(**answer)
    assert decide(**answer, own_executor=True).choice == "correct"


def test_listeners_that_raise_are_harmless(loop: ExecutionLoop, program: Program) -> None:
    """S11.3"""
    loop.on_step_complete(lambda step: 1 / 0)
    loop.on_state_change(lambda state: 1 / 0)
    assert loop.start("wf_program", mode="automatic")
    assert loop.wait(30)
    assert loop.get_state() == ExecutionState.COMPLETED


def test_confirmation_by_callback_and_by_method(loop: ExecutionLoop, program: Program) -> None:
    """S1.8, S11.2, S11.3"""
    messages: list[str] = []
    loop.confirmation_callback = lambda message, info: messages.append(message) or True
    assert loop.start("wf_program", mode=ExecutionMode.SUPERVISED)
    assert loop.wait(30)
    assert messages[0].startswith("Execute action: ")
    assert program.executed == ["ab", "bc"]


def test_decisions_by_method(loop: ExecutionLoop, program: Program) -> None:
    """S11.2: while it waits, a decision is taken; a second one for the same prompt is not."""
    waiting = threading.Semaphore(0)
    loop.on_state_change(lambda state: waiting.release() if state == ExecutionState.WAITING_COACHING else None)
    assert loop.start("wf_program")
    for _ in range(2):
        assert waiting.acquire(timeout=30)
        assert loop.submit_coaching_decision(CoachingResponse(CoachingDecision.ACCEPT, feedback="fine"))
    assert loop.wait(30)
    assert not loop.submit_coaching_decision(CoachingResponse(CoachingDecision.ACCEPT))
    assert program.executed == ["ab", "bc"]


def test_start_says_no_with_the_cause(loop: ExecutionLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1.4, S11.2"""
    assert not loop.start("wf_unknown")
    assert "wf_unknown" in loop.last_error
    draft = make_workflow(workflow_id="wf_draft")
    assert not loop.start(draft.workflow_id)
    assert "published" in loop.last_error
    asking = make_published(
        workflow_id="wf_asking", variables=[{"name": "patient", "label": "Patient", "required": True}]
    )
    assert not loop.start(asking.workflow.workflow_id)
    assert "Patient" in loop.last_error
    assert not loop.start(asking.workflow.workflow_id, start_node_id="nowhere", variables={"patient": "x"})
    assert "nowhere" in loop.last_error
    monkeypatch.setenv("DISPLAY", ":987")
    nowhere = ExecutionLoop()
    assert not nowhere.start(asking.workflow.workflow_id, variables={"patient": "x"})
    assert ":987" in nowhere.last_error


def test_a_second_start_is_refused_while_it_runs_and_a_stop_ends_it(loop: ExecutionLoop) -> None:
    """S11.2"""
    waiting = threading.Event()
    loop.on_state_change(lambda state: waiting.set() if state == ExecutionState.WAITING_COACHING else None)
    assert loop.start("wf_program")
    assert waiting.wait(30)
    assert not loop.start("wf_program")
    assert "running already" in loop.last_error
    loop.set_continuous_capture(False)
    assert loop.pause()
    assert loop.stop()
    assert loop.wait(30)
    assert loop.get_state() == ExecutionState.STOPPED


def test_no_match_is_told_to_the_program(loop: ExecutionLoop, program: Program) -> None:
    """S1.6, S11.3: the program hears of it, and the run is paused with the cause."""
    errors: list[tuple[str, Exception]] = []
    paused = threading.Event()
    program.match_current_state = lambda path, workflow_id: None  # type: ignore[method-assign, assignment, return-value]
    loop.on_error(lambda kind, error: errors.append((kind, error)))
    loop.on_state_change(lambda state: paused.set() if state == ExecutionState.PAUSED else None)
    assert loop.start("wf_program", mode="automatic")
    assert paused.wait(30)
    assert [kind for kind, _ in errors] == ["no_match"]
    assert loop.get_progress()["status"] == "paused"
    assert loop.stop()
    assert loop.wait(30)
    assert loop.get_state() == ExecutionState.STOPPED


class Reader:
    """Reads what the scripted screen is known to show."""

    name = "known"

    def read(self, pixels: Any, region: Box | None = None) -> tuple[TextLine, ...]:
        return (TextLine(text="Step one", box=Box(40, 40, 200, 30)),)


def test_resolve_target_advanced_and_a_capturer_of_ones_own(loop: ExecutionLoop) -> None:
    """S11.2, S11.9: a capturer gives a PIL image; a target is resolved on a screen state."""
    from PIL import Image

    from execution.running.program.capturer import CapturerDesktop
    from workflows.graph import TargetSpec

    scripted = ScriptedDesktop(SCREENS)

    class Capturer:
        def capture_screen(self) -> Any:
            return Image.fromarray(scripted.grab().pixels[:, :, ::-1])

    frame = CapturerDesktop(Capturer(), scripted, acts=True).grab()
    assert (frame.pixels == scripted.grab().pixels).all()
    state = ScreenAnalyzer(Reader(), None, None).analyze(frame, Window(title="One"))
    found = loop.resolve_target_advanced(TargetSpec(target_id="t", label="Step one", text="Step one"), state)
    assert (found.status, found.rung) == ("found", "ocr_text")
