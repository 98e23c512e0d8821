"""What people said to suggestions, and what continuous capture did: of this run, while it goes on (S1.13, S1.14)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from execution.actions import control
from execution.choices import ExecutionState, Outcome
from execution.desktop.capture import ContinuousCapture
from execution.models import Execution, Prompt
from execution.running.robots import signs_of_life
from execution.running.shown_capture import ShownCapture
from execution.types import Frame, pixels_digest
from tests.doubles.stage import Stage
from tests.factories import make_execution
from workflows.pictures import PictureStore

pytestmark = pytest.mark.django_db

Stages = Callable[..., Stage]


def test_a_question_that_is_asked_again_after_a_pause_counts_once(stage: Stages) -> None:
    """S1.13"""
    run = stage("coaching")

    def pause(prompt: Prompt) -> None:
        control.pause(execution_id=run.execution.execution_id)

    assert run.run(pause).state == ExecutionState.PAUSED
    run.resume("accept", "accept", "accept")
    stats = run.row().coaching_stats()
    assert len(run.asked) == 4
    assert (stats["suggestions_made"], stats["accepted"], stats["acceptance_rate"]) == (3, 3, 1.0)


def test_a_question_that_was_answered_and_comes_again_counts_again(stage: Stages) -> None:
    run = stage("coaching")
    assert run.run("reject").state == ExecutionState.PAUSED
    run.resume("accept", "accept", "accept")
    assert (run.row().suggestions_made, len(run.asked)) == (4, 4)


def test_statistics_of_a_workflow_are_those_of_all_its_runs(viewer: Any, client_of: Any) -> None:
    """S1.13: in the API and on its page."""
    first = make_execution(suggestions_made=4, accepted=3, corrected=1)
    make_execution(version=first.version, suggestions_made=4, accepted=1, rejected=2, skipped=1)
    make_execution(suggestions_made=100)
    client = client_of(viewer)
    stats = client.get(f"/api/workflows/{first.workflow_id}/coaching_stats/").json()
    assert (stats["suggestions_made"], stats["accepted"], stats["acceptance_rate"]) == (8, 4, 0.5)
    assert stats["correction_rate"] == 0.125
    page = client.get(f"/workflows/{first.workflow_id}").content.decode()
    assert "8 suggestions" in page
    assert client.get("/api/workflows/nowhere/coaching_stats/").status_code == 404


class Still:
    """A desktop whose picture is another one at each look."""

    name = "still"

    def __init__(self) -> None:
        self.looks = 0
        self.looked = threading.Event()

    def grab(self) -> Frame:
        self.looks += 1
        self.looked.set()
        return frame(self.looks)


def frame(shade: int, at: datetime | None = None) -> Frame:
    pixels = np.full((4, 6, 3), shade % 250, np.uint8)
    return Frame(pixels=pixels, taken_at=at or datetime.now(UTC), digest=pixels_digest(pixels))


def test_another_run_is_counted_from_its_beginning_and_at_its_own_interval() -> None:
    """S1.14"""
    desktop = Still()
    capture = ContinuousCapture(desktop, interval_ms=1)  # type: ignore[arg-type]
    with_frames = threading.Event()
    capture._on_change = lambda frame: desktop.looks > 3 and with_frames.set()
    capture.start()
    assert with_frames.wait(60)
    capture.begin_anew(interval_ms=60_000)
    before = capture.stats()
    assert before.total_captures <= 1 and len(capture.recent()) <= 1  # one may have been under way
    capture.stop()
    assert capture.stats().total_captures <= 2


def test_they_are_renewed_while_the_run_goes_on(stage: Stages) -> None:
    """S1.14: with each sign of life, and not at the end alone."""
    run = stage("automatic")
    capture = ShownCapture(Still(), run.robot)  # type: ignore[arg-type]
    capture.tells = lambda stats: run.journal.capture_stats(asdict(stats))
    capture._keep(frame(1), took=0.5)
    assert signs_of_life(SimpleNamespace(report=dict), capture) == {"perception": {}}  # type: ignore[arg-type]
    kept = Execution.objects.get(pk=run.execution.pk).capture_stats
    assert (kept["total_captures"], kept["avg_capture_time_ms"]) == (1, 500)


def test_what_showed_in_between_is_kept_with_a_step_that_failed(stage: Stages) -> None:
    """S1.14: a message that came and went tells what became of it; what showed before the act does not."""
    run = stage("automatic")
    run.world.effects = {"ab": ["nothing"] * 9}
    begun = datetime.now(UTC)
    early, late = begun - timedelta(minutes=1), begun + timedelta(minutes=1)
    run.journal.recent_frames = lambda: [frame(1, early), frame(2, late), frame(2, late), frame(3, late)]
    run.run(*["done"] * 3)
    step = next(s for s in run.row().steps.all() if s.outcome == Outcome.FAILED or s.just_before)
    assert step.just_before == [PictureStore().put(frame(n).pixels) for n in (2, 3)]


def test_a_step_that_went_well_keeps_nothing_more(stage: Stages) -> None:
    run = stage("automatic")
    run.journal.recent_frames = lambda: [frame(2, datetime.now(UTC) + timedelta(minutes=1))]
    run.run()
    assert [step.just_before for step in run.row().steps.exclude(edge_id="")] == [[], [], []]


def test_a_capture_that_has_died_costs_no_step(stage: Stages) -> None:
    """S1.21"""
    run = stage("automatic")
    run.world.effects = {"ab": ["nothing"] * 9}

    def dead() -> list[Frame]:
        raise RuntimeError("no desktop")

    run.journal.recent_frames = dead
    row = run.run(*["done"] * 3)
    assert row.steps.exclude(outcome="").exists()
