"""A tip that the pointer holds open is no dialog: the pointer is taken off what was acted on."""

from __future__ import annotations

from typing import Any

import pytest

from execution.choices import ExecutionState
from execution.turn.pointer import resting_place
from execution.types import Box, Element, ElementRole, Point, Window
from tests.execution.perception.drawing import Canvas

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_nearest_place_where_nothing_stands() -> None:
    canvas = Canvas(900, 600)
    save = canvas.button("Save", Box(100, 100, 120, 40))
    canvas.text("Nothing is saved yet", 100, 160)
    window = Window(title="Editor", box=Box(50, 50, 600, 400))
    state = canvas.state(window=window, elements=(Element(box=save, role=ElementRole.BUTTON),))
    place = resting_place(state, save.center)
    assert place is not None
    assert window.box is not None and window.box.contains(place)
    assert not any(box.grown(4, state.frame.size).contains(place) for box in (save, *(t.box for t in state.texts)))
    assert abs(place.x - save.center.x) < 120 and abs(place.y - save.center.y) < 120


def test_where_all_of_it_may_answer_the_pointer_stays() -> None:
    canvas = Canvas(300, 200)
    state = canvas.state(elements=(Element(box=Box(0, 0, 300, 200), role=ElementRole.BUTTON),))
    assert resting_place(state, Point(10, 10)) is None


def test_what_goes_with_the_pointer_is_not_asked_about(stage: Any) -> None:
    """S9.8: a tip came after the first act, and lay over the screen at each look."""
    s = stage("automatic")
    told: list[str] = []

    def tip(world: Any) -> None:
        if world.acts and not told:
            told.append("Saves the form")
            world.dialog = world.tip = told[0]

    s.world.on_observe = tip
    assert s.run().state == ExecutionState.COMPLETED
    assert told and not s.asked
