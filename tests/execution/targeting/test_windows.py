"""Whether the window in front is of the taught program (S5.3): a right-looking place in another is not the target."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.targeting.resolver import TargetResolver
from execution.targeting.signs import Signs, Surroundings
from execution.targeting.titles import names_only_a_document
from execution.targeting.windows import window_problem
from execution.teaching.evidence import teach_target
from execution.types import Box, Resolution, ResolveStatus, ScreenState, Window
from tests.execution.perception.drawing import Canvas, Pictures
from tests.execution.targeting.forms import context
from workflows.graph import TargetSpec

SAVE, AREA = Box(500, 400, 100, 30), Box(40, 40, 720, 480)


def screen(app: str, *, title: str = "report.odt") -> ScreenState:
    canvas = Canvas(800, 600)
    for row, label in enumerate(("Name", "Street", "Town")):
        canvas.text(label, 80, 100 + 60 * row)
    canvas.button("Save", SAVE)
    return canvas.state(window=Window(title=title, app_name=app, box=AREA))


def taught_and(state: ScreenState, *, app: str = "Writer", **changes: object) -> Resolution:
    store, first = Pictures(), screen(app)
    target: TargetSpec = teach_target(first.frame, SAVE, label="Save", state=first, click=None, store=store)
    return TargetResolver(pictures=store).resolve(replace(target, **changes), state, variables={})


def test_the_same_screen_of_another_program_is_refused_with_both_names():
    found = taught_and(screen("Calc"))
    assert (found.status, found.point) == (ResolveStatus.NOT_FOUND, None)
    assert found.message == "the program in front is “Calc”, not “Writer”"


@pytest.mark.parametrize(
    ("taught", "now"), [("Writer", "writer"), ("Éditeur", "editeur"), ("", "Calc"), ("Writer", "")]
)
def test_a_name_written_otherwise_or_not_known_is_no_other_program(taught, now):
    assert taught_and(screen(now), app=taught).status is ResolveStatus.FOUND


def test_what_was_taught_outside_of_the_window_belongs_to_no_program():
    """A button on the task bar is there whatever program is in front."""
    found = taught_and(screen("Calc"), window_box=(0.2, 1.3, 0.1, 0.05))
    assert "the program in front" not in found.message


def test_of_a_part_that_is_no_pixel_of_its_window_no_window_is_told():
    state = screen("Writer")
    told = {"target_id": "t", "label": "Save", "box": (0.6, 0.6, 0.1, 0.05), "screen_size": (800, 600)}
    for part, window in (((0.5, 0.5, 0.2, 0.1), (400.0, 300.0)), ((0.5, 0.5, 1e-9, 0.1), (720.0, 480.0))):
        seen = context(TargetSpec(window_box=part, **told), state, Pictures())
        assert seen.taught_window == pytest.approx(window, abs=1)
        assert all(abs(side) < 100_000 for box in seen.taught_places() for side in box)


def test_titles_of_nothing_but_documents_are_told_by_their_program():
    state = screen("Writer", title="letter.odt")
    strangers = {"neighbours": (), "shapes": ()}
    assert taught_and(state, **strangers).status is ResolveStatus.FOUND
    unknown = taught_and(state, app="", **strangers)
    assert unknown.message == "the window in front is “letter.odt”, not “report.odt”"


@pytest.mark.parametrize(("seen", "asked", "known"), [(2, 4, True), (2, 5, False), (1, 1, False)])
def test_another_title_is_forgiven_where_half_of_what_stood_around_is_there(seen: int, asked: int, known: bool):
    """One text alone may stand in any window."""
    target = TargetSpec(target_id="t", label="Save", window_title="Customers - Writer")
    there = context(target, screen("", title="Orders - Ledger"), Pictures())
    problem = window_problem(there, Signs(box=SAVE, around=Surroundings(seen=seen, asked=asked)))
    assert (problem == "") is known


@pytest.mark.parametrize(
    ("title", "is_so"), [("report.odt", True), ("/home/ana/notes.txt", True), ("a.txt - Editor", False), ("", False)]
)
def test_a_title_of_a_document_alone_says_nothing_of_the_program(title, is_so):
    assert names_only_a_document(title) is is_so
