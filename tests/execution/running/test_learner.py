"""What a run loop learns of its steps on a scripted desktop: prototypes, drift, trust (S6.6 to S6.9, S11.7)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from execution.actions import control
from execution.actions.mark import mark
from execution.choices import EventKind, ExecutionState, Watched
from execution.execution_loop import ContinuousLearner, DriftStatus
from execution.learning.drift import ALARM, Surety, after
from execution.learning.prototypes import REACH, SHARE, angle, unit
from execution.matching.references import Reference
from execution.models import DriftWatch, Execution, Prototype, ReferenceVector, Robot
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.embedding.builtin import BuiltinEmbedder
from execution.record import prototypes
from execution.record.drifting import begin_anew, digest_of
from execution.record.journal import Journal
from execution.record.reference_store import references_for
from execution.running.runner import Hooks, Runner
from execution.turn.limits import LoopLimits
from execution.types import Box, Embedding, Point, TextLine
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import TextLabel
from tests.support.scripted import KnownReader, publish_line, queue, screens
from workflows.actions.publish import publish
from workflows.exceptions import UnknownNode
from workflows.models import Node, Picture, Workflow, WorkflowVersion
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

NAMES = ("one", "two", "three")
MODEL = BuiltinEmbedder.model_id


def taught() -> WorkflowVersion:
    """The line of three pages, each with its picture."""
    version = publish_line(*NAMES)
    for name, (_page, pixels) in zip(NAMES, drawn(), strict=True):
        digest = PictureStore().put(pixels)
        height, width = pixels.shape[:2]
        picture, _ = Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})
        Node.objects.filter(workflow=version.workflow, node_id=name).update(reference=picture)
    return publish(workflow=version.workflow, user=None)


@cache
def drawn() -> list[tuple[ScriptedDesktop, np.ndarray]]:
    """Each page by itself, and how it looks."""
    pages = [ScriptedDesktop(screens(*NAMES[number:])) for number in range(len(NAMES))]
    return [(page, page.grab().pixels) for page in pages]


class EyesThatKnow(KnownReader):
    """Reads what is drawn on a taught picture as well, not what the desktop happens to show."""

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        shown = self.desktop
        for page, looks in drawn():
            if np.array_equal(looks, pixels):
                self.desktop = page
        try:
            return super().read(pixels, region)
        finally:
            self.desktop = shown


def redrawn() -> ScriptedDesktop:
    """The same pages with a line more on each."""
    pages = screens(*NAMES)
    for page in pages:
        page.widgets.append(TextLabel(text="New: ask your ward", at=Point(60, 500)))
    return ScriptedDesktop(pages)


def run(version: WorkflowVersion, desktop: ScriptedDesktop, **hooks: Any) -> Execution:
    execution = queue(version)
    analyzer = ScreenAnalyzer(EyesThatKnow(desktop), None, BuiltinEmbedder())
    hooks = {"on_begin": stop_when_paused, "on_prompt": unasked, **hooks}
    Runner(desktop=desktop, analyzer=analyzer, once=True, hooks=Hooks(**hooks)).run()
    return Execution.objects.by_id(execution.execution_id)


def stop_when_paused(journal: Any) -> None:
    journal.on_state.append(
        lambda row: row.state == ExecutionState.PAUSED and control.stop(execution_id=row.execution_id)
    )


def unasked(prompt: Any) -> None:
    control.stop(execution_id=prompt.execution.execution_id)
    pytest.fail(f"a person was asked: {prompt.message}")


def watch(version: WorkflowVersion, confidences: list[float], name: str = "two") -> DriftWatch:
    """As if so many runs had looked at that screen."""
    graph = version.spec()
    surety = after(Surety(), confidences, of=("two",))  # the same draws every time: 1 workflow in 16 is told sooner
    return DriftWatch.objects.create(
        workflow=version.workflow,
        kind=Watched.SCREEN,
        name=name,
        taught=digest_of(graph.node(name)),  # type: ignore[arg-type]
        gathered=surety.to_json(),
        recent=list(surety.recent),
        looks=surety.looks,
    )


def test_a_screen_that_looks_a_little_different_is_followed_and_found_by_the_next_loop() -> None:
    version = taught()
    assert run(version, redrawn()).state == ExecutionState.COMPLETED
    rows = list(Prototype.objects.filter(node_id="one"))
    assert [row.number for row in rows] == [1]
    assert 0 < rows[0].away <= REACH
    run(version, redrawn())
    later = Prototype.objects.get(node_id="one", number=2)
    assert later.away > rows[0].away
    assert later.execution_id.startswith("exec_")
    journal = Journal(Execution.objects.by_id(later.execution_id), version.spec())
    analyzer = ScreenAnalyzer(None, None, BuiltinEmbedder())
    begun = {"analyzer": analyzer, "pictures": PictureStore(), "tell": str, "leave": lambda: False}
    now = references_for(journal, **begun)["one"].embedding
    assert now is not None
    assert angle(unit(now.vector), unit(np.frombuffer(later.vector, "<f4"))) < 1e-3  # type: ignore[call-overload]
    assert prototypes.reset(version.workflow, "one", name="ada") == 1
    assert prototypes.reset(version.workflow, "one") == 0
    after_reset = prototypes.by_prototypes(references_of(version), version.workflow)["one"].embedding
    assert after_reset is not None
    assert angle(unit(after_reset.vector), unit(references_of(version)["one"].embedding.vector)) < 1e-3  # type: ignore[union-attr]


def references_of(version: WorkflowVersion) -> dict[str, Reference]:
    return {
        node.node_id: Reference(
            picture=node.picture,
            embedding=Embedding(
                model=MODEL,
                vector=np.frombuffer(ReferenceVector.objects.get(picture=node.picture, model=MODEL).vector, "<f4"),
            ),
        )
        for node in version.spec().nodes
    }


def test_a_poisoned_series_carries_no_prototype_across_and_the_bound_holds_after_teaching_anew() -> None:
    version = taught()
    run(version, ScriptedDesktop(screens(*NAMES)))
    references, graph = references_of(version), version.spec()
    home, other = (references[name].embedding for name in ("one", "two"))
    assert home is not None
    assert other is not None
    halfway = unit(0.52 * unit(home.vector) + 0.48 * unit(other.vector)).astype(np.float32)
    for number in range(200):
        prototypes.move(version.workflow, graph, "one", Embedding(model=MODEL, vector=halfway), step=number)
        prototypes.move(version.workflow, graph, "one", other, step=number)
    held = prototypes.by_prototypes(references, version.workflow)["one"].embedding
    assert held is not None
    apart = angle(unit(home.vector), unit(other.vector))
    assert angle(unit(held.vector), unit(home.vector)) <= min(REACH, SHARE * apart) + 1e-6
    assert Prototype.objects.filter(node_id="one").count() <= prototypes.KEPT


def test_a_step_that_is_marked_wrong_takes_back_what_it_moved() -> None:
    version = taught()
    execution = run(version, redrawn())
    moved = Prototype.objects.get(node_id="one")
    mark(step=execution.steps.get(index=moved.step), feedback="incorrect")
    newest = Prototype.objects.filter(node_id="one").first()
    assert newest is not None
    assert (newest.is_reset, newest.away) == (True, 0.0)


def test_a_change_is_told_in_the_stream_and_to_the_program_and_lowers_the_trust() -> None:
    version = taught()
    Workflow.objects.filter(pk=version.workflow.pk).update(learning_state="AUTO_CONFIRMED")
    heard: list[tuple[str, str]] = []
    watch(version, [1.0] * 200)
    known = run(version, ScriptedDesktop(screens(*NAMES)))
    row = DriftWatch.objects.get(name="two", kind=Watched.SCREEN)
    assert (row.looks, row.recent[-1]) == (201, round(known.steps.get(node_id="two").confidence, 4))
    assert not row.is_drifting
    row.delete()
    watch(version, [1.0] * 200 + [0.5] * 3)  # not enough yet to tell
    assert not Surety.from_json(DriftWatch.objects.get(name="two").gathered).told
    DriftWatch.objects.filter(name="two").update(gathered=almost(DriftWatch.objects.get(name="two")))
    execution = run(version, ScriptedDesktop(screens(*NAMES)), on_error=lambda kind, e: heard.append((kind, str(e))))
    event = execution.events.get(kind=EventKind.DRIFT_DETECTED)
    assert event.payload["node_id"] == "two"
    assert event.payload["recommended_action"] == "re-teach"
    assert 0 < event.payload["drift_severity"] <= 1
    assert [kind for kind, _ in heard] == ["drift_detected"]
    assert "“Two” is recognised less surely" in heard[0][1]
    assert Workflow.objects.get(pk=version.workflow.pk).learning_state == "AUTO_CANDIDATE"
    assert execution.events.get(kind=EventKind.ERROR).payload["message"]["code"] == "standing.demoted"
    again = run(version, ScriptedDesktop(screens(*NAMES)))
    assert not again.events.filter(kind=EventKind.DRIFT_DETECTED).exists()  # it is told once
    assert DriftWatch.objects.get(name="two", kind=Watched.SCREEN).is_drifting


def almost(row: DriftWatch) -> dict[str, Any]:
    """With so much evidence that any look that is not surer than usual tells it."""
    return {**row.gathered, "evidence": [ALARM * 4] * 3}


def test_what_is_taught_anew_and_what_a_person_says_is_fine_begin_anew() -> None:
    version = taught()
    row = watch(version, [0.95] * 100 + [0.5] * 12)
    DriftWatch.objects.filter(pk=row.pk).update(is_drifting=True)
    Node.objects.filter(workflow=version.workflow, node_id="two").update(texts=["Page two", "Go on"])
    run(publish(workflow=version.workflow, user=None), ScriptedDesktop(screens(*NAMES)))
    row.refresh_from_db()
    assert (row.looks, row.is_drifting) == (1, False)
    begin_anew(row)
    row.refresh_from_db()
    assert (row.looks, row.gathered, row.recent) == (0, {}, [])


def test_a_screen_that_is_not_recognised_any_more_is_drift_as_well() -> None:
    version = publish_line(*NAMES)
    pages = screens(*NAMES)
    pages[1].widgets[0] = TextLabel(text="Seite zwei", at=Point(60, 90))
    desktop = ScriptedDesktop(pages)
    execution = queue(version)
    analyzer = ScreenAnalyzer(KnownReader(desktop), None, None)
    limits = LoopLimits(capture_interval_ms=5, max_no_match_retries=2)
    Runner(desktop=desktop, analyzer=analyzer, once=True, hooks=Hooks(on_begin=stop_when_paused, limits=limits)).run()
    assert Execution.objects.by_id(execution.execution_id).state == ExecutionState.STOPPED
    row = DriftWatch.objects.get(name="two")
    assert row.looks == 1
    assert row.recent[0] < 0.75


def test_a_learner_that_raises_costs_a_warning_and_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """S1.21"""

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("no learning today")

    version = taught()
    monkeypatch.setattr("execution.record.drifting.saw", broken)
    execution = run(version, redrawn())
    assert (execution.state, execution.steps_succeeded) == (ExecutionState.COMPLETED, 2)
    assert "no learning today" in str(Robot.objects.get().warnings)


def test_programs_ask_by_the_names_of_the_contract() -> None:
    """S11.7, S6.9"""
    version = taught()
    run(version, ScriptedDesktop(screens(*NAMES)))
    learner = ContinuousLearner()
    seen = BuiltinEmbedder().embed(redrawn().grab().pixels)
    assert not learner.update_prototype("one", seen, execution_success=False)
    assert not Prototype.objects.exists()
    assert learner.update_prototype("one", seen.vector.tolist(), execution_success=True)
    assert Prototype.objects.get().model == MODEL
    with pytest.raises(ValueError, match="vectors of this size"):
        learner.update_prototype("one", [1.0, 0.0], execution_success=True)
    with pytest.raises(UnknownNode):
        learner.update_prototype("nowhere", seen, execution_success=True)
    assert learner.detect_drift("one", [0.9]) == DriftStatus(False, 0.0, "none")
    DriftWatch.objects.all().delete()
    watch(version, [0.95] * 100, "one")
    status = ContinuousLearner(version.workflow.workflow_id).detect_drift("one", [0.8] * 10)
    assert (status.is_drifting, status.recommended_action) == (True, "re-teach")
    assert status.drift_severity == pytest.approx(0.75)
    assert DriftWatch.objects.get().looks == 100  # nothing is kept
    stats = learner.get_learning_stats()
    assert stats["continuous_learner_available"] is True
    assert stats["confidence_history"]["one"] == {"count": 10, "mean": pytest.approx(0.95), "min": 0.95, "max": 0.95}
