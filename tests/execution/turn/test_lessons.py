"""S1.10, S6.1: a coach who shows where a target is teaches it; the version stays, and nothing hidden is learned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from execution.choices import CorrectionKind, CorrectionState, ExecutionState, Outcome
from execution.learning.overlay import Taught, overlaid
from execution.learning.taught_as import of_target
from execution.matching.references import Reading
from execution.models import Execution, LearnedCorrection, Step
from execution.record.journal import Journal
from execution.record.reference_store import DatabaseReferences
from execution.targeting.resolver import TargetResolver
from execution.teaching.corrections import Learned, learned
from execution.teaching.evidence import teach_target
from execution.turn.lessons import Lesson, lesson_of, look_of
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
from workflows.models import Picture
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


def lesson(journal: Journal, state: ScreenState, box: Box | None, *, given: Any = None, **variables: str) -> Lesson:
    edge = journal.graph.edge("click_save")
    resolution = Resolution(status=ResolveStatus.FOUND, box=box, point=box.center if box else None)
    suggestion = Suggestion(edge=edge, node_id=edge.source, sentence="Click", params={}, resolution=resolution)
    given = {"target": {"point": [0.5, 0.5]}} if given is None else given
    return lesson_of(suggestion, given, state, journal=journal, variables={"patient": "Bob Li", **variables})


def shown(journal: Journal, state: ScreenState, box: Box | None, **variables: str) -> Learned | None:
    return lesson(journal, state, box, **variables).look


def test_what_was_shown_is_one_more_look_of_what_was_taught() -> None:
    journal = run(taught())
    state, box = screen("Bob Li", label="Show", top=260)
    look = shown(journal, state, box)
    assert look is not None
    assert (look.target.target_id, look.target.text) == (journal.graph.edge("click_save").target.target_id, "Show")
    assert Box.from_normalised(look.target.box, state.frame.size) == box
    assert "{{patient}}" in [n.text for n in look.target.neighbours], "the name in its row is the run's data"
    assert (look.conditions.theme, look.conditions.size) == ("light", (900, 500))


def test_a_text_that_is_a_value_of_the_run_is_its_variable_and_has_no_picture() -> None:
    journal = run(taught("line"))
    state, _ = screen("Bob Li")
    line = next(t.box for t in state.texts if t.text == "Bob Li").grown(3, state.frame.size)
    look = shown(journal, state, line)
    assert look is not None
    assert (look.target.text, look.target.picture) == ("{{patient}}", "")


def test_no_picture_that_is_kept_shows_a_value() -> None:
    journal = run(taught())
    state, box = screen("Bob Li", top=260)
    line = next(t.box for t in state.texts if t.text == "Bob Li")
    look = shown(journal, state, box)
    assert look is not None
    assert state.frame.crop(line).std() > 10
    assert PictureStore().get(look.picture)[line.y : line.bottom, line.x : line.right].std() == 0
    heading = next(t.box for t in state.texts if t.text.startswith("Patients"))
    assert PictureStore().get(look.picture)[heading.y : heading.bottom, heading.x : heading.right].std() > 10


def test_it_is_kept_on_trial_and_the_version_is_untouched() -> None:
    journal = run(taught())
    version, (state, box) = dict(journal.execution.version.graph), screen("Bob Li", top=260)
    edge = journal.graph.edge("click_save")
    resolution = Resolution(status=ResolveStatus.FOUND, box=box, point=box.center)
    suggestion = Suggestion(edge=edge, node_id=edge.source, sentence="Click", params={}, resolution=resolution)
    step = journal.open_step(
        state, Recognition(match=Match(node_id=edge.source, confidence=0.9)), suggestion, match_ms=1
    )
    taught_by = lesson(journal, state, box)
    journal.correction(step, taught_by, COACHED, None)
    journal.close_step(step, Outcome.SUCCEEDED, verification=Verification(answer=Answer.YES))
    row = LearnedCorrection.objects.get()
    assert target_from_json(row.payload["target"]) == taught_by.look.target
    assert (row.state, row.version_number, row.step) == (CorrectionState.ON_TRIAL, 1, step.index)
    assert PictureStore().get(row.payload["target"]["picture"]).shape == (30, 110, 3)
    journal.execution.version.refresh_from_db()
    assert journal.execution.version.graph == version
    laid = overlaid(journal.graph, journal.in_force()).graph.edge("click_save").target
    assert [one.text for one in laid.also] == ["Open"]


def panel(*labels: str) -> tuple[ScreenState, dict[str, Box]]:
    """Buttons in a row."""
    canvas = Canvas(900, 500)
    canvas.text("Prescription of the day", 80, 60, size=18)
    boxes = {label: canvas.button(label, Box(80 + 150 * n, 300, 130, 30)) for n, label in enumerate(labels)}
    elements = [Element(box=box, role=ElementRole.BUTTON, text=label) for label, box in boxes.items()]
    return canvas.state(elements=elements, window=Window(title="Records", box=Box(0, 0, 900, 500))), boxes


def shown_as(state: ScreenState, box: Box, **more: Any) -> TargetSpec:
    target = teach_target(state.frame, box, label="Remove", state=state, click=None, store=PictureStore())
    return replace(target, target_id="remove", **more)


def test_what_was_shown_of_a_target_that_was_taught_anew_clicks_nothing() -> None:
    """A coach showed “Delete”; since then the step archives, and its target kept its id."""
    state, boxes = panel("Delete", "Close")
    later, others = panel("Archive", "Close")
    deletes = shown_as(state, boxes["Delete"], text="Remove")
    archives = shown_as(later, others["Archive"])
    look = learned(
        deletes, Resolution(status=ResolveStatus.FOUND, box=boxes["Delete"]), state, store=PictureStore(), values={},
        secret={},
    )  # fmt: skip
    assert look is not None
    one = Taught(
        key="learned-1", kind=CorrectionKind.TARGET, edge_id="click_save", of="remove", target=look.target,
        taught_as=of_target(deletes),
    )  # fmt: skip
    graph, resolver = make_published().spec(), TargetResolver(pictures=PictureStore())

    def found(target: TargetSpec) -> Resolution:
        graph_of = replace(graph, edges=(*graph.edges[:2], replace(graph.edges[2], target=target)))
        laid = overlaid(graph_of, [one]).graph.edge("click_save")
        assert laid is not None
        assert laid.target is not None
        return resolver.resolve(laid.target, state, variables={})

    assert found(deletes).box == boxes["Delete"], "of the old one it is right"
    assert found(archives).status is ResolveStatus.NOT_FOUND, "“Archive” is not there, and “Delete” is not it"


def test_a_row_that_was_told_since_is_not_passed_over() -> None:
    """One record was on the screen when a coach showed its button. Since then the target says whose row it must be."""
    state, box = screen("Bob Li")
    bare = shown_as(state, box, text="Show")
    look = learned(
        bare, Resolution(status=ResolveStatus.FOUND, box=box), state, store=PictureStore(), values={}, secret={}
    )
    assert look is not None
    rowed = replace(bare, row=("{{patient}}",))
    one = Taught(key="learned-1", kind=CorrectionKind.TARGET, edge_id="click_save", of="remove", target=look.target,
                 taught_as=of_target(bare))  # fmt: skip
    graph = make_published().spec()
    graph = replace(graph, edges=(*graph.edges[:2], replace(graph.edges[2], target=rowed)))
    assert overlaid(graph, [one]).graph == graph


def test_nothing_that_is_hidden_is_learned() -> None:
    """S10.4: the number of a record by its form, and a region of the screen."""
    masks = {"mask_patterns": [r"\d{7}"], "masks": [[0.7, 0.8, 0.3, 0.2]]}
    journal = run(taught(), **masks)
    state, box = screen("Bob Li 4711234", top=260, left=290)
    look = shown(journal, state, box)
    assert look is not None
    said = [look.target.text, *(n.text for n in look.target.neighbours)]
    assert not any("4711234" in text or "•" in text for text in said)
    number = next(line.box for line in state.texts if "4711234" in line.text)
    assert contrast(state.frame.pixels, number) > 10
    assert colours(PictureStore().get(look.picture), number) <= 12, "squares of one colour each"
    assert shown(journal, state, state.elements[1].box) is None, "it lies in the region that is masked"


def test_a_secret_value_is_no_variable_of_a_text() -> None:
    journal = run(taught("line"), patient="")
    state, _ = screen("Bob Li")
    line = next(t.box for t in state.texts if t.text == "Bob Li").grown(3, state.frame.size)
    look = shown(journal, state, line, patient="", pin="Bob Li")
    assert look is None, "nothing is left to know it by"
    kept = lesson(
        journal, state, line, given={"params": {"text": "Bob Li"}, "target": {"text": "Bob Li"}}, pin="Bob Li"
    )
    assert "Bob Li" not in str(kept)


def test_a_correction_without_a_place_teaches_nothing() -> None:
    state, _ = screen()
    assert shown(run(taught()), state, None) is None
    assert not Step.objects.exists()


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ("pour M. Li, chambre 12", None),
        (["ctrl", "Bob Li"], ["ctrl", "{{patient}}"]),
        ({"a": {"b": "for LI Bob"}}, {"a": {"b": "for {{patient}}"}}),
        ({"a": ["Mr Li"]}, None),
    ],
)
def test_a_parameter_holds_of_a_value_its_variable_or_is_no_rule(given: Any, rule: Any) -> None:
    """However deep it lies, and in whatever form."""
    journal, (state, box) = run(taught()), screen("Bob Li")
    kept = lesson(journal, state, box, given={"params": {"text": given}})
    assert kept.params.get("text") == kept.correction["params"].get("text") == rule


def test_the_action_is_the_products_own_word() -> None:
    journal, (state, box) = run(taught()), screen("Bob Li")
    kept = lesson(journal, state, box, given={"action": "click"}, patient="Click here")
    assert kept.correction["action"] == "click"


# --- what else stood on the screen -----------------------------------------------------------------------------------
OTHERS = ("Zoe Durand", "Paul Martin", "MARTIN Ida")


def ward(names: tuple[str, ...], *, label: str = "Open", year: int = 1961) -> tuple[ScreenState, dict[str, Box]]:
    """A list with a button in each row."""
    canvas, elements, boxes = Canvas(900, 500), [], {}
    canvas.text("Patients of the ward", 80, 60, size=18)
    for n, name in enumerate(names):
        canvas.text(name, 80, 126 + 60 * n)
        canvas.text(f"born 0{n + 1}/02/{year}", 240, 126 + 60 * n)
        boxes[name] = canvas.button(label, Box(400, 120 + 60 * n, 110, 30))
        elements.append(Element(box=boxes[name], role=ElementRole.BUTTON, text=label))
    title = f"Records of {names[-1]}"
    return canvas.state(elements=elements, window=Window(title=title, box=Box(0, 0, 900, 500))), boxes


def in_ward() -> tuple[Journal, TargetSpec]:
    state, boxes = ward(("Ana Costa", "Kim Roe"), year=1950)
    target = teach_target(state.frame, boxes["Ana Costa"], label="Row", state=state, click=None, store=PictureStore())
    for digest in (target.picture, target.context):
        height, width = PictureStore().get(digest).shape[:2]
        Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})
    journal = run(target)
    node = journal.graph.node(journal.graph.edge("click_save").source)
    node = replace(node, picture=PictureStore().put(state.frame.pixels))
    journal.graph = replace(journal.graph, nodes=(node, *(n for n in journal.graph.nodes if n.node_id != node.node_id)))
    reading = Reading(picture=node.picture, maker="m", size=state.frame.size, texts=state.texts)
    DatabaseReferences().keep_reading(reading)
    return journal, target


def contrast(picture: np.ndarray, box: Box) -> float:
    return float(picture[box.y : box.bottom, box.x : box.right].std())


def colours(picture: np.ndarray, box: Box) -> int:
    return len(np.unique(picture[box.y : box.bottom, box.x : box.right].reshape(-1, 3), axis=0))


def test_of_other_patients_neither_names_nor_pictures_are_kept() -> None:
    journal, target = in_ward()
    state, boxes = ward(("Bob Li", *OTHERS), label="Show")
    look = shown(journal, state, boxes["Bob Li"])
    assert look is not None and look.target.text == "Show"
    said = str(look)
    for one in ("Durand", "Zoe", "Martin", "MARTIN", "Ida", "Bob", "1961"):
        assert one not in said
    assert (look.target.context, look.target.window_title) == ("", target.window_title)
    assert PictureStore().get(look.target.picture).shape == (30, 110, 3)
    picture = PictureStore().get(look.picture)
    for line in state.texts:
        same = line.text in ("Patients of the ward", "Show")
        assert contrast(state.frame.pixels, line.box) > 10
        assert (contrast(picture, line.box) > 10) is same, line.text


def test_a_record_of_a_list_that_was_shown_is_no_look_of_another() -> None:
    journal, _target = in_ward()
    state, _boxes = ward(("Bob Li", *OTHERS))
    for name in OTHERS:
        line = next(t.box for t in state.texts if t.text == name).grown(3, state.frame.size)
        assert shown(journal, state, line) is None, "its name is somebody's, and so is its picture"


@pytest.mark.parametrize(("said", "at", "kept"), [
    ("Put away", 380, True), ("Classement", 120, True), ("Classement", 380, False), ("DURAND", 120, False),
    ("Zoe Durand", 120, False), ("zoe durand", 380, False), ("Zoe de Durand", 380, False), ("Supprimer", 380, True),
])  # fmt: skip
def test_what_is_no_control_for_sure_is_kept_where_nobody_is_called_so(said: str, at: int, kept: bool) -> None:
    """No role: another word where the button stood, or words that are written as no name is."""
    state, box = screen(top=120)
    target = teach_target(state.frame, box, label="Row", state=state, click=None, store=PictureStore())
    canvas = Canvas(900, 500)
    canvas.text(said, 410, at + 8)
    now = canvas.state(elements=[], window=Window(title="Records", box=Box(0, 0, 900, 500)))
    line = now.texts[0].box.grown(2, now.frame.size)
    found = Resolution(status=ResolveStatus.FOUND, box=line, point=line.center)
    look = learned(target, found, now, store=PictureStore(), values={}, secret={})
    assert (look is not None and look.target.text == said) is kept


def test_nothing_lies_on_the_disk_of_what_was_not_kept() -> None:
    journal, _target = in_ward()
    state, _boxes = ward(("Bob Li", *OTHERS))
    line = next(t.box for t in state.texts if t.text == OTHERS[0]).grown(3, state.frame.size)
    before = files()
    assert shown(journal, state, line) is None
    assert files() == before
    state, boxes = ward(("Bob Li", *OTHERS), label="Show")
    look = shown(journal, state, boxes["Bob Li"])
    assert {PictureStore().path(one) for one in (look.picture, look.target.picture)} == files() - before


def files() -> set[Path]:
    return {path for path in Path(PictureStore().where).rglob("*") if path.is_file()}


def test_a_picked_screen_is_kept_without_what_the_taught_one_has_not() -> None:
    journal, _target = in_ward()
    state, _boxes = ward(("Bob Li", *OTHERS))
    node = journal.graph.node(journal.graph.edge("click_save").source)
    look = look_of(node, state, journal=journal, variables={"patient": "Bob Li"})
    picture = PictureStore().get(look.picture)
    for line in state.texts:
        same = line.text in ("Patients of the ward", "Open")
        assert (contrast(picture, line.box) > 10) is same, line.text


def test_what_is_no_text_is_not_kept_either() -> None:
    journal, _target = in_ward()
    state, boxes = ward(("Bob Li",), label="Show")
    noise = np.random.default_rng(1).integers(0, 255, (120, 100, 3), dtype=np.uint8)
    pixels = state.frame.pixels.copy()
    pixels[300:420, 600:700] = noise
    look = shown(journal, replace(state, frame=replace(state.frame, pixels=pixels)), boxes["Bob Li"])
    assert colours(PictureStore().get(look.picture), Box(600, 300, 100, 120)) <= 30, "squares of one colour each"
    assert shown(journal, state, Box(600, 300, 100, 120)) is None, "nor as the target itself"


def test_frames_and_labels_of_controls_are_kept_and_what_may_be_a_name_on_one_is_not() -> None:
    """A picked screen is known by them; two words on a button may be somebody, one is what the button is called."""
    journal, _target = in_ward()
    canvas, elements = Canvas(900, 500), []
    labels = {"Put away": True, "Zoe Durand": False, "DURAND": True, "Delete": True}
    boxes = {said: canvas.button(said, Box(100, 60 + 70 * n, 160, 36)) for n, said in enumerate(labels)}
    elements += [Element(box=box, role=ElementRole.BUTTON, text=said) for said, box in boxes.items()]
    state = canvas.state(elements=elements, window=Window(title="Records", box=Box(0, 0, 900, 500)))
    node = journal.graph.node(journal.graph.edge("click_save").source)
    picture = PictureStore().get(look_of(node, state, journal=journal, variables={}).picture)
    for line in state.texts:
        assert (contrast(picture, line.box) > 10) is labels[line.text], line.text
    for box in boxes.values():
        edge = Box(box.x - 1, box.y + 8, 5, 20)
        assert (
            picture[edge.y : edge.bottom, edge.x : edge.right]
            == state.frame.pixels[edge.y : edge.bottom, edge.x : edge.right]
        ).all()
