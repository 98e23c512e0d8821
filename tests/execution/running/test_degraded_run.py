"""A run whose analysis is too slow goes on degraded, says so everywhere, and is let see again (S2.4)."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from execution.actions import control
from execution.actions.start import effective_flags
from execution.choices import EventKind, ExecutionState
from execution.execution_loop import ExecutionLoop
from execution.models import Execution, Step
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.journal import Journal
from execution.running.parts import build_stages
from execution.running.runner import Hooks, Runner
from execution.types import ScreenState
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import KnownReader, publish_line, queue, screens
from workflows.actions.publish import publish
from workflows.models import Workflow
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

NAMES = ("one", "two", "three")


class SlowOnce(ScreenAnalyzer):
    """Says of its first looks that they took longer than any limit."""

    looks, slow = 0, 1

    def analyze(self, *args: Any, **kwargs: Any) -> ScreenState:
        state = super().analyze(*args, **kwargs)
        self.looks += 1
        return replace(state, timings=replace(state.timings, analyze_ms=99_999.0)) if self.looks <= self.slow else state


def published(**edges: Any) -> Any:
    """Screens known by their window alone; from each the button “Go on” leads to the next."""
    version = publish_line(*NAMES)
    version.workflow.edges.update(**edges) if edges else None
    version.workflow.nodes.update(texts=[])
    return publish(workflow=version.workflow, user=None)


@pytest.mark.parametrize("edges", [{}, {"retries": 0}], ids=["looks again", "asks at once"])
def test_a_run_that_was_degraded_is_told_and_sees_whole_again_before_anybody_is_asked(edges: dict[str, int]) -> None:
    """S2.13: the slow step is whole; the look after it reads nothing, and denies nothing."""
    execution = queue(published(**edges))
    desktop = ScriptedDesktop(screens(*NAMES))
    asked: list[str] = []
    analyzer = SlowOnce(KnownReader(desktop), None, None)

    def ask(prompt: Any) -> None:
        asked.append(prompt.kind)
        stop(prompt)

    Runner(desktop=desktop, analyzer=analyzer, once=True, hooks=Hooks(on_prompt=ask)).run()
    execution.refresh_from_db()
    steps = list(Step.objects.order_by("index"))
    assert (steps[0].degraded, steps[0].analyze_ms, steps[0].success) == (False, 99_999, True)
    assert not any(step.degraded for step in steps)
    told = execution.events.filter(kind=EventKind.DEGRADED).get()
    assert told.payload["reason"] == {"code": "turn.analysis_slow", "took": 99999.0, "limit": 8000}
    assert (asked, execution.state, execution.degraded) == ([], ExecutionState.COMPLETED, False)


def test_where_every_look_is_slow_each_step_is_seen_whole_once_and_the_run_stays_degraded() -> None:
    """S2.4, S2.13"""
    execution = queue(published())
    desktop = ScriptedDesktop(screens(*NAMES))
    analyzer = SlowOnce(KnownReader(desktop), None, None)
    analyzer.slow = 10_000
    Runner(desktop=desktop, analyzer=analyzer, once=True, hooks=Hooks(on_prompt=stop)).run()
    execution.refresh_from_db()
    assert (execution.state, execution.degraded) == (ExecutionState.COMPLETED, True)
    assert execution.events.filter(kind=EventKind.DEGRADED).count() == 1


def stop(_prompt: Any) -> None:
    control.stop(execution_id=Execution.objects.get().execution_id)


def test_a_loop_that_takes_over_knows_that_the_run_is_degraded_and_tells_it_once() -> None:
    execution = queue(published())
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
    loop._execution_id = queue(published()).execution_id
    Execution.objects.update(degraded=True)
    assert loop.degraded is True


# --- precedence of the flags ----------------------------------------------------------------------------------------
def test_a_flag_is_that_of_the_run_else_of_the_workflow_else_of_the_settings(settings: Any) -> None:
    """S2.2: setting < workflow < execution; an explicit "no" counts as much as a "yes"."""
    for setting, of_workflow, asked in product((True, False), (None, True, False), (None, True, False)):
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
