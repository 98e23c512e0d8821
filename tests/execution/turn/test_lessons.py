"""S1.10, S6.1: a coach who shows where a target is teaches it; the version stays, and nothing hidden is learned."""

from __future__ import annotations

from typing import Any

import pytest

from execution.choices import ExecutionState, Outcome
from execution.models import Execution, Step
from execution.record.journal import Journal
from execution.teaching.corrections import Learned
from execution.teaching.evidence import teach_target
from execution.turn.lessons import lesson_of
from execution.types import (
    Answer,
    Box,
    Choice,
    Decision,
    DecisionSource,
    Element,
    ElementRole,
    Match,
    Recognition,
    Resolution,
    ResolveStatus,
    ScreenState,
    Suggestion,
    Verification,
    Window,
)
from tests.execution.perception.drawing import Canvas
from tests.factories import EDGES, make_execution, make_published
from workflows.graph import TargetSpec, target_from_json
from workflows.models import Correction, Picture
from workflows.pictures import PictureStore
from workflows.specs import target_columns

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]

COACHED = Decision(choice=Choice.CORRECT, source=DecisionSource.COACH)
VARIABLES = (
    {"name": "patient", "label": "Patient", "default": "Ana Costa"},
    {"name": "pin", "label": "PIN", "kind": "secret", "required": False},
)


def screen(name: str = "Ana Costa", *, label: str = "Open", top: int = 200, left: int = 80) -> tuple[ScreenState, Box]:
    """A list with one record, and a button in its row."""
    canvas = Canvas(900, 500)
    canvas.text("Patients of the ward", 80, 60, size=18)
    canvas.text(name, left, top + 6)
    box = canvas.button(label, Box(400, top, 110, 30))
    close = canvas.button("Close", Box(700, 440, 110, 30))
    elements = [
        Element(box=box, role=ElementRole.BUTTON, text=label), Element(box=close, role=ElementRole.BUTTON, text="Close")
    ]  # fmt: skip
    return canvas.state(elements=elements, window=Window(title="Records", box=Box(0, 0, 900, 500))), box


def run(target: TargetSpec, *, patient: str = "Bob Li", version: Any = None, **fields: Any) -> Journal:
    columns: dict[str, Any] = {**target_columns(target), "picture": target.picture, "context": target.context}
    edges = (*EDGES[:2], {**EDGES[2], "target": columns})
    version = version or make_published(edges=edges, variables=VARIABLES, **fields)
    execution = make_execution(version=version, variables={"patient": patient})
    execution.move(ExecutionState.QUEUED)
    execution.move(ExecutionState.RUNNING, desktop=f"here:{execution.pk}", epoch=1)
    return Journal(Execution.objects.by_id(execution.execution_id), execution.version.spec())


def taught(box_of: str = "button") -> TargetSpec:
    state, button = screen()
    line = next(t.box for t in state.texts if t.text == "Ana Costa").grown(3, state.frame.size)
    box, store = (button if box_of == "button" else line), PictureStore()
    target = teach_target(state.frame, box, label="Row", state=state, click=None, store=store)
    for digest in (target.picture, target.context):
        height, width = store.get(digest).shape[:2]
        Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})
    return target


def shown(journal: Journal, state: ScreenState, box: Box | None, **variables: str) -> Learned | None:
    edge = journal.graph.edge("click_save")
    resolution = Resolution(status=ResolveStatus.FOUND, box=box, point=box.center if box else None)
    suggestion = Suggestion(edge=edge, node_id=edge.source, sentence="Click", params={}, resolution=resolution)
    return lesson_of(suggestion, state, journal=journal, variables={"patient": "Bob Li", **variables})


def kept(journal: Journal, state: ScreenState, box: Box, lesson: Learned, *, well: bool = True) -> Correction:
    """The correction as it is kept, and how the step that was corrected came out."""
    edge = journal.graph.edge("click_save")
    resolution = Resolution(status=ResolveStatus.FOUND, box=box, point=box.center)
    suggestion = Suggestion(edge=edge, node_id=edge.source, sentence="Click", params={}, resolution=resolution)
    recognition = Recognition(match=Match(node_id=edge.source, confidence=0.9))
    step = journal.open_step(state, recognition, suggestion, match_ms=1)
    journal.correction(step, {"target": {"point": [0.5, 0.5]}}, COACHED, None, lesson)
    outcome, answer = (Outcome.SUCCEEDED, Answer.YES) if well else (Outcome.FAILED, Answer.NO)
    journal.close_step(step, outcome, verification=Verification(answer=answer))
    return Correction.objects.latest("pk")


def test_what_was_shown_and_what_was_taught_are_one_target() -> None:
    journal = run(taught())
    state, box = screen("Bob Li", top=260)
    lesson = shown(journal, state, box)
    assert lesson is not None and lesson.target is not None
    assert (lesson.target.target_id, lesson.target.text) == (journal.graph.edge("click_save").target.target_id, "Open")
    assert lesson.target.demonstrations == 2
    assert Box.from_normalised(lesson.target.box, state.frame.size) == box
    assert "{{patient}}" in [n.text for n in lesson.target.neighbours], "the name in its row is the run's data"


def test_a_text_that_was_one_value_and_now_is_another_becomes_the_variable() -> None:
    journal = run(taught("line"))
    state, _ = screen("Bob Li")
    line = next(t.box for t in state.texts if t.text == "Bob Li").grown(3, state.frame.size)
    lesson = shown(journal, state, line)
    assert lesson is not None and lesson.target is not None
    assert lesson.target.text == "{{patient}}"


def test_another_thing_is_kept_as_it_was_shown_and_teaches_nothing_of_the_target() -> None:
    journal = run(taught())
    state, _ = screen("Bob Li")
    close = state.elements[1].box
    lesson = shown(journal, state, close)
    assert lesson is not None
    assert (lesson.shown.text, lesson.target) == ("Close", None)


def test_it_is_kept_with_the_correction_and_the_version_is_untouched() -> None:
    journal = run(taught())
    version, (state, box) = dict(journal.execution.version.graph), screen("Bob Li", top=260)
    lesson = shown(journal, state, box)
    row = kept(journal, state, box, lesson)
    assert target_from_json(row.learned_target) == lesson.target
    assert target_from_json(row.shown_target) == lesson.shown
    assert PictureStore().get(row.shown_target["picture"]).shape == (30, 110, 3)
    journal.execution.version.refresh_from_db()
    assert journal.execution.version.graph == version


def test_what_proved_right_is_built_upon_and_what_did_not_is_not() -> None:
    journal = run(taught())
    state, box = screen("Bob Li", top=260)
    kept(journal, state, box, shown(journal, state, box), well=False)
    assert journal.learned_before("click_save") is None
    kept(journal, state, box, shown(journal, state, box))
    again, box = screen("Cy Wu", top=320)
    third = shown(journal, again, box, patient="Cy Wu")
    assert third is not None and third.target is not None
    assert third.target.demonstrations == 3
    other = run(taught(), version=make_published())
    assert other.learned_before("click_save") is None, "of another version nothing is taken"


def test_nothing_that_is_hidden_is_learned() -> None:
    """S10.4: the number of a record by its form, and a region of the screen."""
    masks = {"mask_patterns": [r"\d{7}"], "masks": [[0.7, 0.8, 0.3, 0.2]]}
    journal = run(taught(), **masks)
    state, box = screen("Bob Li 4711234", top=260, left=290)
    lesson = shown(journal, state, box)
    assert lesson is not None
    said = [lesson.shown.text, *(n.text for n in lesson.shown.neighbours)]
    assert not any("4711234" in text or "•" in text for text in said)
    around = Box(352, 212, 206, 126)
    picture = PictureStore().get(lesson.shown.context)
    number = Box(0, 54, 36, 16)  # of the picture: where the end of it stands
    assert state.frame.crop(around)[number.y : number.bottom, : number.w].std() > 10
    assert picture.shape[:2] == (around.h, around.w)
    assert picture[number.y : number.bottom, : number.w].std() == 0
    assert shown(journal, state, state.elements[1].box) is None, "it lies in the region that is masked"


def test_a_secret_value_is_no_variable_of_a_text() -> None:
    journal = run(taught("line"))
    state, _ = screen("Bob Li")
    line = next(t.box for t in state.texts if t.text == "Bob Li").grown(3, state.frame.size)
    lesson = shown(journal, state, line, patient="", pin="Bob Li")
    assert lesson is None or lesson.target is None or "pin" not in str(lesson.target)


def test_a_correction_without_a_place_teaches_nothing() -> None:
    state, _ = screen()
    assert shown(run(taught()), state, None) is None
    assert not Step.objects.exists()
