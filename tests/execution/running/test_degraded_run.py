"""A run whose analysis is too slow goes on degraded, says so everywhere, and is let see again (S2.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from execution.actions import control
from execution.actions.start import effective_flags
from execution.choices import EventKind, ExecutionState
from execution.desktop.scripted import ScriptedDesktop
from execution.execution_loop import ExecutionLoop
from execution.models import Execution, Step
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.journal import Journal
from execution.running.parts import build_stages
from execution.running.runner import Hooks, Runner
from execution.types import ScreenState
from tests.factories import make_published
from tests.support.scripted import KnownReader, queue, screens
from workflows.models import Workflow
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

NAMES = ("one", "two", "three")


class SlowOnce(ScreenAnalyzer):
    """Says of its first look that it took longer than any limit."""

    looks = 0

    def analyze(self, *args: Any, **kwargs: Any) -> ScreenState:
        state = super().analyze(*args, **kwargs)
        self.looks += 1
        return replace(state, timings=replace(state.timings, analyze_ms=99_999.0)) if self.looks == 1 else state


def publish() -> Any:
    """Screens known by their window alone; from each the button “Go on” leads to the next."""
    nodes = [
        {
            "node_id": name, "name": name.title(), "texts": [], "window_title": f"{name.title()} - Forms",
            "is_entry": name == "one", "is_end": name == "three",
        }
        for name in NAMES
    ]  # fmt: skip
    edges = [
        {
            "edge_id": f"{source}_{then}", "source": source, "destination": then, "action_type": "click",
            "target": {"target_id": f"go_{source}", "label": "Go on", "text": "Go on", "role": "button"},
            "expect": {"window_title": f"{then.title()} - Forms"},
            "settle_ms": 20, "settle_timeout_ms": 500, "retry_backoff_ms": 0,
        }
        for source, then in (("one", "two"), ("two", "three"))
    ]  # fmt: skip
    return make_published(nodes=nodes, edges=edges, variables=[])


def test_the_slow_step_is_whole_and_the_next_is_degraded_on_step_stream_and_run() -> None:
    execution = queue(publish())
    desktop = ScriptedDesktop(screens(*NAMES))
    asked: list[tuple[str, bool]] = []

    def stop(prompt: Any) -> None:
        run = Execution.objects.get()
        asked.append((prompt.kind, run.degraded))
        control.stop(execution_id=run.execution_id)

    analyzer = SlowOnce(KnownReader(desktop), None, None)
    Runner(desktop=desktop, analyzer=analyzer, once=True, hooks=Hooks(on_prompt=stop)).run()
    execution.refresh_from_db()
    first, second = Step.objects.order_by("index")
    assert (first.degraded, first.analyze_ms, first.success) == (False, 99_999, True)
    assert (second.degraded, second.ocr_ms, second.cache_hit) == (True, 0, False)
    assert second.screen["perception"]["detected_text"] == []
    assert second.screen["notes"][0] == {"code": "turn.analysis_slow", "took": 99999.0, "limit": 8000}
    assert asked == [("target", True)]
    told = execution.events.filter(kind=EventKind.DEGRADED).get()
    assert told.payload["reason"] == {"code": "turn.analysis_slow", "took": 99999.0, "limit": 8000}
    steps = [event.payload for event in execution.events.filter(kind=EventKind.STEP)]
    assert [payload["degraded"] for payload in steps] == [False, True]
    assert (execution.degraded, execution.state) == (True, ExecutionState.STOPPED)


def test_a_loop_that_takes_over_knows_that_the_run_is_degraded_and_tells_it_once() -> None:
    execution = queue(publish())
    Execution.objects.filter(pk=execution.pk).update(degraded=True, degraded_reason="slow")
    execution.refresh_from_db()
    desktop = ScriptedDesktop(screens(*NAMES))
    journal = Journal(execution, execution.version.spec(), pictures=PictureStore())
    analyzer = ScreenAnalyzer(KnownReader(desktop), None, None)
    eyes = build_stages(journal, desktop, analyzer, pictures=PictureStore()).eyes
    assert (eyes.degraded, eyes.degraded_reason) == (True, "slow")
    state = eyes.observe()
    assert (state.degraded, state.notes, state.texts) == (True, ("slow",), ())

    Runner(desktop=desktop, analyzer=analyzer, once=True, hooks=Hooks(on_prompt=lift_and_stop)).run()
    assert not execution.events.filter(kind=EventKind.DEGRADED).exists()


def lift_and_stop(prompt: Any) -> None:
    run = Execution.objects.get()
    control.lift_degraded(execution_id=run.execution_id)
    control.stop(execution_id=run.execution_id)


def test_whether_it_is_degraded_can_be_read_on_the_loop() -> None:
    loop = ExecutionLoop()
    assert loop.degraded is False
    loop._execution_id = queue(publish()).execution_id
    Execution.objects.update(degraded=True)
    assert loop.degraded is True


def test_profiling_is_never_degraded() -> None:
    """S2.2: 999 999 ms."""
    queue(publish(), flags={"analyze_timeout_ms": 999_999})
    desktop = ScriptedDesktop(screens(*NAMES))
    Runner(desktop=desktop, analyzer=SlowOnce(KnownReader(desktop), None, None), once=True).run()
    execution = Execution.objects.get()
    assert (execution.state, execution.degraded) == (ExecutionState.COMPLETED, False)
    assert not Step.objects.filter(degraded=True).exists()


# --- precedence of the flags ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("setting", [True, False])
@pytest.mark.parametrize("of_workflow", [None, True, False])
@pytest.mark.parametrize("asked", [None, True, False])
def test_a_flag_is_that_of_the_run_else_of_the_workflow_else_of_the_settings(
    settings: Any, setting: bool, of_workflow: bool | None, asked: bool | None
) -> None:
    """S2.2: setting < workflow < execution; an explicit "no" counts as much as a "yes"."""
    settings.RPA_ENABLE_OCR = settings.RPA_ENABLE_UI_DETECTION = setting
    workflow = Workflow(enable_ocr=of_workflow, enable_ui_detection=of_workflow)
    flags = effective_flags(workflow, {"enable_ocr": asked, "enable_ui_detection": asked})
    expected = next(value for value in (asked, of_workflow, setting) if value is not None)
    assert (flags["enable_ocr"], flags["enable_ui_detection"]) == (expected, expected)


def test_limit_and_provider_follow_the_same_order(settings: Any) -> None:
    """S2.2"""
    settings.RPA_ANALYZE_TIMEOUT_MS, settings.RPA_WINDOW_INFO_PROVIDER = 7000, "site.provider"
    bare, own = Workflow(), Workflow(analyze_timeout_ms=15_000, window_info_provider="workflow.provider")
    asked = {"analyze_timeout_ms": 3000, "window_info_provider": "run.provider"}
    got = [
        tuple(effective_flags(workflow, flags)[name] for name in asked)
        for workflow, flags in ((bare, {}), (own, {}), (own, asked), (bare, asked))
    ]
    assert got == [
        (7000, "site.provider"), (15_000, "workflow.provider"), (3000, "run.provider"), (3000, "run.provider"),
    ]  # fmt: skip
