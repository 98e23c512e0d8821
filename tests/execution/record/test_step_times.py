"""What a step took, by a clock that nobody sets: from the beginning of its turn to its end (S2.5)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from analytics.models import StepMetric
from analytics.projection import project, rebuild
from execution.actions.decide import decide
from execution.choices import Outcome
from execution.models import Prompt
from execution.models.step import PARTS
from execution.record.payloads import step_payload
from execution.running.runner import Runner
from execution.types import ScreenState, Timings
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.stage import Stage
from tests.doubles.world import World
from tests.support.scripted import analyzer, publish_line, queue, screens
from workflows.graph import EdgeSpec

pytestmark = pytest.mark.django_db

Stages = Callable[..., Stage]


@pytest.fixture
def uncounted() -> None:
    """Here figures are made."""


class Clock:
    """Stands still unless it is told to go on; in milliseconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_ms = 5000.0
        monkeypatch.setattr("time.perf_counter", lambda: self.now_ms / 1000)

    def goes(self, ms: float) -> float:
        self.now_ms += ms
        return ms


class TimedWorld:
    """A world whose every part takes a time of its own, and says so."""

    def __init__(self, world: World, clock: Clock, rng: random.Random) -> None:
        self._world, self._clock, self._rng = world, clock, rng

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def _takes(self) -> float:
        return self._clock.goes(self._rng.uniform(0.1, 900))

    def observe(self, *, whole: bool = False) -> ScreenState:
        capture = self._takes()
        ocr, ui = self._takes(), self._takes()
        timings = Timings(capture_ms=capture, ocr_ms=ocr, ui_ms=ui, analyze_ms=ocr + ui + self._takes())
        return replace(self._world.observe(whole=whole), timings=timings)

    def recognise(self, *args: Any, **kwargs: Any) -> Any:
        self._takes()
        return self._world.recognise(*args, **kwargs)

    def suggest(self, *args: Any) -> Any:
        suggestion = self._world.suggest(*args)
        return replace(suggestion, resolution=replace(suggestion.resolution, resolve_ms=self._takes()))

    def act(self, *args: Any) -> Any:
        return replace(self._world.act(*args), act_ms=self._takes())

    def verify(self, *args: Any) -> Any:
        verification, after = self._world.verify(*args)
        return replace(verification, verify_ms=self._takes()), after

    def settle(self, edge: EdgeSpec, *, enough: object = None) -> ScreenState:
        self._world.settle(edge)
        self._takes()  # until the screen stands still
        return self.observe()


def timed(stage: Stages, monkeypatch: pytest.MonkeyPatch, seed: int, mode: str) -> tuple[Stage, Clock]:
    run, clock = stage(mode), Clock(monkeypatch)
    run.loop.stages = run.loop.performer.stages = TimedWorld(run.world, clock, random.Random(seed))  # type: ignore
    run.loop.performer.readiness.stages = run.loop.chooser.stages = run.loop.stages
    return run, clock


@pytest.mark.parametrize("seed", range(2))
def test_the_whole_is_at_least_the_sum_of_its_parts(stage: Stages, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """S2.5: for parts of any length; the turn begins before the capture, and waiting for a person is a part."""
    run, clock = timed(stage, monkeypatch, seed, "coaching")

    def think(prompt: Prompt) -> None:
        clock.goes(60_000 + seed)
        decide(prompt_id=prompt.pk, choice="accept")

    run.run(think, think, think)
    steps = [step for step in run.row().steps.all() if step.edge_id]
    assert [step.outcome for step in steps] == [Outcome.SUCCEEDED] * 3
    for step in steps:
        parts = sum(getattr(step, name) for name in PARTS)
        assert min(getattr(step, name) for name in PARTS) > 0
        assert step.total_ms >= parts - 1e-6
        assert step.waited_ms == pytest.approx(60_000 + seed)
        assert step.robot_ms == pytest.approx(step.total_ms - step.waited_ms) and step.robot_ms < 30_000
        assert step.ocr_ms + step.ui_ms <= step.analyze_ms
        assert not step.cache_hit


def test_it_is_no_longer_than_its_turn(stage: Stages, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2.5: by the clock, from the beginning of the turn to the end of the step, and not from the turn before."""
    run, clock = timed(stage, monkeypatch, 3, "automatic")
    began, turns = clock.now_ms, []
    run.journal.on_step.append(lambda step: turns.append(clock.now_ms))
    run.run()
    steps = [step for step in run.row().steps.all() if step.edge_id]
    assert steps[0].total_ms == pytest.approx(turns[0] - began)
    assert steps[1].total_ms == pytest.approx(turns[1] - turns[0])


def test_a_clock_that_is_set_back_makes_no_negative_time(stage: Stages, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2.5: durations are of the monotonic clock, and no step ends before it began."""
    run, _clock = timed(stage, monkeypatch, 7, "automatic")
    real = timezone.now

    def set_back(world: World) -> None:
        monkeypatch.setattr("django.utils.timezone.now", lambda: real() - timedelta(hours=1))

    run.world.on_act = set_back
    run.run()
    step = run.row().steps.first()
    assert step is not None and step.ended_at is not None
    assert step.total_ms >= step.measured_ms > 0
    assert step.ended_at >= step.started_at


@pytest.mark.django_db(transaction=True)
def test_waiting_is_told_wherever_times_are(stage: Stages, monkeypatch: pytest.MonkeyPatch) -> None:
    """S7.1, S7.5: in the API and the metrics, and the same when they are made again."""
    run, clock = timed(stage, monkeypatch, 1, "supervised")

    def think(prompt: Prompt) -> None:
        clock.goes(4000)
        decide(prompt_id=prompt.pk, choice="accept")

    run.run(think, think, think)
    step = run.row().steps.first()
    assert step is not None
    told = step_payload(step)
    assert (told["waited_ms"], told["duration_ms"]) == (4000, told["total_ms"])
    made = project(step.pk)
    kept = list(StepMetric.objects.order_by("step").values("step", "waited_ms", "total_ms", "started_at"))
    assert (made.waited_ms, made.total_ms, made.started_at) == (step.waited_ms, step.total_ms, step.started_at)
    StepMetric.objects.update(waited_ms=-1, total_ms=-1)
    rebuild()
    assert list(StepMetric.objects.order_by("step").values("step", "waited_ms", "total_ms", "started_at")) == kept


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_folder")
def test_reading_after_an_act_is_told_and_what_was_read_is_not_called_known() -> None:
    """S7.7: the screen that an act led to is read in its step; the next one finds it known, and reads what follows."""
    execution = queue(publish_line("one", "two", "three"))
    desktop = ScriptedDesktop(screens("one", "two", "three"))
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True).run()
    first, second, *rest = execution.steps.order_by("index")
    assert first.look_ms > 0 and second.look_ms > 0
    assert second.ocr_ms == 0, "it was read after the act before"
    assert (first.cache_hit, second.cache_hit) == (False, False)
    assert [(step.edge_id, step.cache_hit, step.look_ms) for step in rest] == [("", True, 0)]
    assert step_payload(second)["look_ms"] == round(second.look_ms, 2)
