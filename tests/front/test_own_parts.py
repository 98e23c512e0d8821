"""Parts of a user's own, one by one, on a scripted screen (S11.3 to S11.9)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from execution import execution_loop
from execution.desktop.lock import DesktopLock
from execution.execution_loop import (
    CoachingDecision,
    CoachingResponse,
    ExecutionLoop,
    ExecutionResult,
    ExecutionState,
    ExecutionStatus,
)
from execution.models import Decision, Execution, ReferenceVector, Robot
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.embedding import BuiltinEmbedder
from execution.record.claims import claim
from execution.running.program.stages import result_of
from execution.types import Point
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import ScriptedScreen, TextLabel
from tests.support.scripted import analyzer
from workflows.models import Workflow

pytestmark = pytest.mark.django_db(transaction=True)

SCREENS = [ScriptedScreen(name="one", title="One", widgets=[TextLabel(text="Step one", at=Point(40, 40))])]
ENDS = {ExecutionState.COMPLETED, ExecutionState.FAILED, ExecutionState.STOPPED, ExecutionState.PAUSED}


class Own:
    """A pipeline and an executor: a, then b, then nothing."""

    def __init__(self) -> None:
        self.node, self.calls, self.answer = "a", [], ExecutionResult(ExecutionStatus.SUCCESS)
        self.workflow: Any = {"entry_nodes": ["a"], "learning_state": "AUTO_CONFIRMED"}
        self.stays, self.target = False, "Next"

    def load_workflow(self, workflow_id: str) -> Any:
        return self.workflow

    def match_current_state(self, screenshot_path: str, workflow_id: str) -> Mapping[str, Any]:
        return {"node_id": self.node, "confidence": 0.8}

    def get_next_action(self, workflow_id: str, node_id: str) -> Mapping[str, Any] | None:
        if node_id != "a":
            return None
        return {"edge_id": "ab", "action": "sign", "target": self.target, "params": {"text": "{{who}}"}}

    def execute_edge(self, edge: Any, screen_state: Any, context: Any) -> Any:
        self.calls.append((edge, screen_state, context))
        if isinstance(self.answer, Exception):
            raise self.answer
        if not self.stays and str(getattr(self.answer, "status", "")) == "success":
            self.node = "b"
        return self.answer


@pytest.fixture
def own() -> Own:
    return Own()


@pytest.fixture
def make(own: Own) -> Iterator[Any]:
    made: list[ExecutionLoop] = []

    def loop(**parts: Any) -> ExecutionLoop:
        defaults: dict[str, Any] = {
            "pipeline": own, "action_executor": own, "capture_interval_ms": 10, "max_no_match_retries": 2,
            "desktop": ScriptedDesktop(SCREENS), "analyzer": ScreenAnalyzer(None, None, BuiltinEmbedder()),
        }  # fmt: skip
        made.append(ExecutionLoop(**{**defaults, **parts}))
        return made[-1]

    yield loop
    for one in made:
        one.cleanup()
    for thread in threading.enumerate():
        if thread.name.startswith("coach "):
            thread.join(20)  # late, it would answer the next test's question, which has the same number


def run(loop: ExecutionLoop, **given: Any) -> ExecutionState:
    """Until it has ended, or waits for a person."""
    over = threading.Event()
    loop.on_state_change(lambda state: over.set() if state in ENDS else None)
    assert loop.start("wf_own", **given), loop.last_error
    assert over.wait(30)
    state = loop.get_state()
    if state != ExecutionState.PAUSED:
        loop.wait(20)  # it lets the desktop go
    return state


# --- executors and pipelines ----------------------------------------------------------------------------------------
def test_an_executor_that_raises_is_asked_about_and_never_called_again(make: Any, own: Own) -> None:
    """S1.21, S9.3, S11.3"""
    own.answer = RuntimeError("the printer is on fire")
    loop, told = make(), []
    loop.on_error(lambda kind, error: told.append((kind, str(error))))
    assert run(loop) == ExecutionState.PAUSED
    assert len(own.calls) == 1
    assert told == [("execution_loop", "the printer is on fire")]


@pytest.mark.parametrize("answer", [None, ExecutionResult("timeout"), {"status": "failed", "error": "no"}, True])
def test_whatever_is_not_success_is_no_success(answer: Any) -> None:
    """S11.9"""
    assert result_of(answer, took_ms=1).status is ExecutionStatus.FAILED


def test_an_action_that_leaves_the_screen_as_it_was_is_not_done_again(make: Any, own: Own) -> None:
    """S9.3: the pipeline says the same once more, and nobody said that the action may be repeated."""
    own.stays = True
    assert run(make()) == ExecutionState.PAUSED
    assert len(own.calls) == 1


def test_several_actions_on_one_screen_are_done(make: Any, own: Own) -> None:
    """S11.5: a pipeline need not say where its actions lead."""
    left = ["ab", "ac", "ad"]
    own.stays = True
    own.get_next_action = lambda workflow_id, node_id: {  # type: ignore[method-assign]
        "edge_id": left[len(own.calls)], "action": "sign", "target": None, "params": {},
    } if len(own.calls) < 3 else None  # fmt: skip
    assert run(make()) == ExecutionState.COMPLETED
    assert [edge["edge_id"] for edge, *_rest in own.calls] == left


def test_the_hands_of_the_product_do_not_guess_at_an_action_that_nobody_knows(make: Any, own: Own) -> None:
    """S11.9: only the program's own executor is given it."""
    own.target = None
    assert run(make(action_executor=None), variables={"who": "x"}) == ExecutionState.PAUSED
    step = Execution.objects.get().steps.first()
    assert (step.action_type, step.effect_class) == ("sign", "opaque")
    assert "only a program" in step.message


def test_a_program_without_edges_of_its_own_gets_what_its_pipeline_said(make: Any, own: Own) -> None:
    """S11.5"""
    assert run(make(), variables={"who": "Zoé"}) == ExecutionState.COMPLETED
    edge, screen, context = own.calls[0]
    assert edge == {"edge_id": "ab", "action": "sign", "target": "Next", "params": {"text": "Zoé"}}
    assert (screen.frame.size.width > 0, context) == (True, {"who": "Zoé"})


def test_a_correction_that_the_programs_edge_has_no_place_for_is_not_carried_out(make: Any, own: Own) -> None:
    """S1.10, S11.9: never the uncorrected action."""

    class Closed:
        __slots__ = ("edge_id",)

        def __init__(self) -> None:
            self.edge_id = "ab"

    class Flow:
        entry_nodes, learning_state = ("a",), "COACHING"

        def get_edge(self, edge_id: str) -> Closed:
            return Closed()

    own.workflow = Flow()
    correction = {"corrected_params": {"text": "other"}}
    loop = make(coaching_callback=lambda m, i: CoachingResponse(CoachingDecision.CORRECT, correction))
    assert run(loop) == ExecutionState.PAUSED
    assert own.calls == []
    assert "no place" in Execution.objects.get().steps.first().message


# --- coaches --------------------------------------------------------------------------------------------------------
def test_what_a_person_has_done_is_not_done_again(make: Any, own: Own) -> None:
    """S11.4: `executed_manually`, whatever the decision is called."""
    done = CoachingResponse(CoachingDecision.ACCEPT, executed_manually=True)

    def coach(message: str, info: Mapping[str, Any]) -> CoachingResponse:
        own.node = "b"
        return done

    assert run(make(coaching_callback=coach), mode="coaching") == ExecutionState.COMPLETED
    assert own.calls == []
    assert Decision.objects.get().choice == "manual"


def test_a_coach_that_thinks_for_ever_can_be_stopped(make: Any, own: Own) -> None:
    """S1.7, S1.9"""
    asked, never = threading.Event(), threading.Event()

    def coach(message: str, info: Mapping[str, Any]) -> Any:
        asked.set()
        never.wait(20)
        return CoachingResponse(CoachingDecision.SKIP)

    loop = make(coaching_callback=coach)
    assert loop.start("wf_own", mode="coaching")
    assert asked.wait(60)
    assert loop.stop()
    assert loop.wait(60)
    assert (loop.get_state(), own.calls) == (ExecutionState.STOPPED, [])
    never.set()


def test_a_coaching_decision_is_no_confirmation_and_the_other_way_round(make: Any, own: Own) -> None:
    """S11.2"""
    loop = make()
    waiting = threading.Event()
    loop.on_state_change(lambda state: waiting.set() if state == "waiting" else None)
    assert loop.start("wf_own", mode="supervised")
    assert waiting.wait(60)
    assert not loop.submit_coaching_decision(CoachingResponse(CoachingDecision.ACCEPT))
    assert loop.confirm_action(True)
    assert loop.wait(60)
    assert loop.get_state() == ExecutionState.COMPLETED
    assert not loop.confirm_action(True)


# --- capturers ------------------------------------------------------------------------------------------------------
class Blind:
    def capture_screen(self) -> None:
        return None


class Small:
    def capture_screen(self) -> Image.Image:
        return Image.fromarray(np.zeros((30, 40, 3), np.uint8))


def test_a_capturer_that_sees_nothing_is_a_cause(make: Any) -> None:
    """S11.2: told at the start, and the desktop is let go."""
    loop = make(screen_capturer=Blind())
    assert not loop.start("wf_own")
    assert "gave no picture" in loop.last_error
    assert Execution.objects.count() == 0


def test_pictures_of_another_size_than_the_desktop_never_lead_a_click(make: Any) -> None:
    """S1.5: with hands of the product the pictures must be the desktop's."""
    loop = make(screen_capturer=Small(), action_executor=None)
    assert not loop.start("wf_own")
    assert "40 × 30" in loop.last_error


def test_a_capturer_without_capture_screen_is_refused(make: Any) -> None:
    """S11.9"""
    assert not make(screen_capturer=object()).start("wf_own")


def test_a_screen_says_truly_how_it_was_taken_and_where_its_vector_is(make: Any, own: Own) -> None:
    """S11.6"""
    assert run(make(screen_capturer=Small())) == ExecutionState.COMPLETED
    screen = Execution.objects.get().steps.first().screen
    assert screen["raw"]["capture_method"] == "screen_capturer"
    embedding = screen["perception"]["embedding"]
    kept = ReferenceVector.objects.by_id(embedding["vector_id"])
    assert kept.vector_id == embedding["vector_id"]
    assert len(np.frombuffer(bytes(kept.vector), "<f4")) == embedding["dimensions"] > 0


def test_a_screen_without_a_vector_names_none(make: Any, own: Own) -> None:
    """S11.6"""
    assert run(make(analyzer=ScreenAnalyzer(None, None, None))) == ExecutionState.COMPLETED
    screen = Execution.objects.get().steps.first().screen
    assert screen["perception"]["embedding"] == {"provider": "", "vector_id": "", "dimensions": 0}
    assert screen["raw"]["capture_method"] == "scripted"


def test_the_window_is_what_the_provider_or_else_the_capturer_says(make: Any, own: Own) -> None:
    """S2.7, S11.9"""

    class Knowing(Small):
        def get_active_window(self) -> Mapping[str, str]:
            return {"title": "Ledger", "app_name": "ledger"}

    assert run(make(screen_capturer=Knowing())) == ExecutionState.COMPLETED
    own.node, provided = "a", make(screen_capturer=Knowing(), window_info_provider=lambda: {"title": "Citrix"})
    assert run(provided) == ExecutionState.COMPLETED
    titles = [run.steps.first().screen["window"]["window_title"] for run in Execution.objects.order_by("pk")]
    assert titles == ["Ledger", "Citrix"]


# --- starting -------------------------------------------------------------------------------------------------------
def test_a_desktop_that_is_in_use_refuses_the_start_and_leaves_no_run(make: Any, settings: Any) -> None:
    """S11.2, S9.4"""
    desktop = ScriptedDesktop(SCREENS)
    loop = make(desktop=desktop)
    with DesktopLock(desktop.identity(), settings.DATA_DIR / "locks"):
        assert not loop.start("wf_own")
    assert "in use by" in loop.last_error
    assert Execution.objects.count() == 0
    assert run(loop) == ExecutionState.COMPLETED


def test_a_refused_start_lets_the_desktop_go(make: Any, own: Own, settings: Any) -> None:
    """S11.2"""
    desktop = ScriptedDesktop(SCREENS)
    assert not make(desktop=desktop).start("wf_own", mode="no such mode")
    with DesktopLock(desktop.identity(), settings.DATA_DIR / "locks"):
        pass


def test_a_flag_that_is_not_given_is_as_the_workflow_says(make: Any) -> None:
    """S2.2: also where what is given is what it would be anyway."""
    assert make().flags == {}
    assert make(enable_ocr=True, analyze_timeout_ms=9000).flags == {"enable_ocr": True, "analyze_timeout_ms": 9000}


def test_a_workflow_that_the_program_changed_is_run_as_it_is_now(make: Any, own: Own) -> None:
    """S1.3, S11.9: ends and learning state of a second start are those of the program by then."""
    assert run(make()) == ExecutionState.COMPLETED
    own.node, own.workflow = "a", {"entry_nodes": ["a"], "end_nodes": ["b"], "learning_state": "OBSERVATION"}
    loop = make()
    assert loop.start("wf_own")
    assert loop.get_progress()["mode"] == "observation"
    assert loop.stop() and loop.wait(20)
    versions = Workflow.objects.get(workflow_id="wf_own").versions.order_by("number")
    assert [version.spec().end_nodes for version in versions] == [(), ("b",)]


def test_variables_that_cannot_be_kept_are_a_cause(make: Any) -> None:
    """S11.2"""
    loop = make()
    assert not loop.start("wf_own", variables={"who": object()})
    assert "who" in loop.last_error


def test_a_run_that_is_stopped_before_it_was_taken_lets_the_loop_go(make: Any) -> None:
    """S1.7, S11.2"""
    loop = make(desktop=ScriptedDesktop(SCREENS, call_ms=100))
    assert loop.start("wf_own", mode="coaching")
    assert loop.stop()
    assert loop.wait(60)
    assert loop.get_state() == ExecutionState.STOPPED


def test_no_other_run_loop_is_offered_the_run_of_a_program(
    make: Any, own: Own, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9.4: not in the moment either in which it is queued and nobody has taken it."""
    elsewhere = Robot.objects.create(name="elsewhere:9", desktop="elsewhere:9", host="elsewhere", pid=1)
    offered: list[Any] = []
    begun = execution_loop.start_run

    def start_and_look(**asked: Any) -> Execution:
        execution = begun(**asked)
        assert execution.state == ExecutionState.QUEUED
        offered.append(claim(elsewhere, replace(ScriptedDesktop(SCREENS).identity(), name=":9")))
        return execution

    monkeypatch.setattr(execution_loop, "start_run", start_and_look)
    assert run(make()) == ExecutionState.COMPLETED
    assert offered == [None]


@pytest.mark.parametrize(
    ("action", "params", "told"),
    [
        ("type_text", {}, "the text must be given"),
        ("press_keys", {"keys": 7}, "the keys to press must be keys such as ctrl+s"),
    ],
)
def test_an_action_without_what_it_takes_is_not_done_and_says_so(
    make: Any, own: Own, action: str, params: dict[str, Any], told: str
) -> None:
    """S1.5, S11.5: a pipeline's action of the catalogue, for the hands of the product."""
    desktop = ScriptedDesktop(SCREENS)
    own.get_next_action = lambda workflow_id, node_id: {  # type: ignore[method-assign]
        "edge_id": "ab", "action": action, "target": None, "params": params,
    }  # fmt: skip
    assert run(make(action_executor=None, desktop=desktop, analyzer=analyzer(desktop))) == ExecutionState.PAUSED
    assert told in Execution.objects.get().steps.first().message
    assert {act.kind for act in desktop.log} <= {"release_all"}


def test_a_variable_that_nobody_gave_is_named(make: Any, own: Own) -> None:
    """S11.5: with hands of the product its text cannot be typed."""
    assert run(make(action_executor=None)) == ExecutionState.FAILED
    assert "“who”" in Execution.objects.get().error
