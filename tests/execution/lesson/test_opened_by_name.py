"""A row that is opened by its name: other rows, and as few as one, are there another day (S6.13)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from execution.choices import LessonStepState
from execution.lesson.drafting import Draft
from execution.lesson.lines import opened_by_name
from execution.lesson.screens import Look
from execution.models import Lesson, LessonStep
from execution.teaching.evidence import teach_target
from execution.types import Box, ScreenState, Window
from tests.doubles.stage import LINE
from tests.execution.perception.drawing import Canvas, Pictures
from tests.factories import make_workflow
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db]

DEVICES = (("Syringe pump Alaris", "Room 3"), ("Defibrillator Lifepak", "Shock room"), ("Ventilator Oxylog", "Room 1"))


def store_of(*devices: tuple[str, str]) -> ScreenState:
    canvas = Canvas(700, 420)
    for text, x in (("Add device", 30), ("Inspections", 160)):
        canvas.button(text, Box(x, 20, 120, 30))
    for text, x in (("Device", 60), ("Place", 380)):
        canvas.text(text, x, 80)
    for row, (name, place) in enumerate(devices):
        canvas.text(name, 40, 110 + 20 * row)
        canvas.text(place, 340, 110 + 20 * row)
    canvas.text("Ready", 30, 390)
    return canvas.state(window=Window(title="Device store", box=Box(0, 0, 700, 420)))


def opened(state: ScreenState, texts: list[str], *, others: ScreenState | None = None) -> Any:
    """The screen of the list, once its second row was opened by its name."""
    workflow = make_workflow(nodes=[{**LINE[0], "texts": texts}, {**LINE[1], "texts": ["Add device"]}], edges=[])
    looks = {"a": [Look.of_state(state, "p")], "b": [Look.of_state(others, "q")] if others else []}
    here: Any = SimpleNamespace(draft=Draft(workflow, PictureStore()), looks=lambda: looks)
    lesson = Lesson.objects.create(workflow=workflow)
    step = LessonStep.objects.create(lesson=lesson, index=1, act="double_click", state=LessonStepState.DONE)
    box = next(line.box for line in state.texts if line.text == DEVICES[1][0])
    spec = teach_target(state.frame, box, label="device", state=state, click=box.center, store=Pictures())
    opened_by_name(here, step, spec, box, state)
    return workflow.nodes.get(node_id="a")


def test_its_list_is_an_area_of_its_own_and_no_row_tells_the_screen() -> None:
    state = store_of(*DEVICES)
    node = opened(state, ["Add device", "Ventilator Oxylog"])
    assert node.texts == ["Add device"]
    [region] = node.regions
    area = Box.from_normalised(tuple(region["box"]), state.frame.size)
    inside = {line.text for line in state.texts if area.contains(line.box.center)}
    assert region["kind"] == "list"
    assert inside == {text for device in DEVICES for text in device}


def test_where_nothing_else_would_tell_the_screen_it_stays_as_it_was() -> None:
    node = opened(store_of(*DEVICES), ["Add device", "Ventilator Oxylog"], others=store_of(("Bed", "Ward 4")))
    assert (node.texts, node.regions) == (["Add device", "Ventilator Oxylog"], [])


def test_what_stands_alone_is_no_list() -> None:
    assert opened(store_of(DEVICES[1]), ["Add device"]).regions == []
