"""A secret typed while teaching is in no picture, row or log: field and value are hidden before (S6.1, S10.4)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from django.core import serializers

from execution.desktop.scripted import ScriptedDesktop
from execution.desktop.widgets import Field
from execution.models import Lesson, LessonStep
from execution.types import Box
from tests.factories import make_user
from tests.support.scripted import BUTTON, screens
from tests.support.teaching import Teacher, taught_on, teacher_of
from workflows.models import Edge, Node, Target, Variable, Workflow
from workflows.pictures import PictureStore

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder"),
    pytest.mark.security,
]

FIELD = Box(300, 200, 400, 120)
SECRET = "hunter2-Azerty"


@pytest.fixture
def form() -> ScriptedDesktop:
    """A field that shows in clear what is typed into it."""
    page, *others = screens("form", "end")
    note = Field(name="note", label="Note", box=FIELD, lines=4)
    return ScriptedDesktop([replace(page, widgets=[*page.widgets, note]), *others])


@pytest.fixture
def lesson(form: ScriptedDesktop) -> Iterator[Lesson]:
    workflow = Workflow.objects.create(workflow_id="wf_form", name="Form")
    Variable.objects.create(workflow=workflow, name="password", kind="secret")
    Variable.objects.create(workflow=workflow, name="patient")
    with taught_on(form, user=make_user("designer"), workflow=workflow) as lesson:
        yield lesson


@pytest.fixture
def teacher(lesson: Lesson) -> Iterator[Teacher]:
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")
        yield teacher


def inside(pixels: np.ndarray) -> np.ndarray:
    """What a picture shows inside of the field."""
    box = Box(FIELD.x + 6, FIELD.y + 6, FIELD.w - 12, FIELD.h - 12)
    return pixels[box.y : box.bottom, box.x : box.right]


def test_what_is_typed_as_a_secret_is_kept_nowhere(
    teacher: Teacher, lesson: Lesson, form: ScriptedDesktop, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    teacher.click(FIELD)
    teacher.until(lambda: teacher.steps(), what="the click")
    shown_before = len(teacher.pictures)
    done = teacher.do(type="type", text="{{password}}", secret=SECRET)
    assert done["state"] == "done", done
    assert form.memory["note"] == SECRET
    teacher.click(BUTTON)
    teacher.until(lambda: len(teacher.lesson["screens"]) == 2, what="the end")
    edge = lesson.workflow.edges.get(action_type="type_text")
    assert edge.params == {"text": "{{password}}"}
    rows: tuple[Any, ...] = (Lesson, LessonStep, Node, Edge, Target, Variable)
    kept = "".join(serializers.serialize("json", model.objects.all()) for model in rows)
    assert "hunter2" not in kept
    assert "hunter2" not in str(teacher.told) + str(teacher.lesson)
    assert "hunter2" not in caplog.text
    for _number, _taken_at, jpeg in teacher.pictures[shown_before:]:
        seen = inside(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)).astype(int)
        assert np.ptp(seen) < 40, "something is to be read in the field, or showed for a moment"
    whole = [step.picture_before for step in lesson.steps.all()] + [n.reference.digest for n in Node.objects.all()]
    for digest in filter(None, whole):
        pixels = PictureStore().get(digest)
        if pixels.shape[0] > FIELD.bottom:
            assert np.ptp(inside(pixels).astype(int)) < 40


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"text": "{{patient}}", "secret": SECRET}, "There is no secret variable"),
        ({"text": "{{nobody}}", "secret": SECRET}, "There is no secret variable"),
        ({"text": "mine", "secret": SECRET}, "no act"),
        ({"text": "{{password}}", "secret": ""}, "no act"),
    ],
)
def test_what_is_no_secret_is_not_typed_as_one(
    teacher: Teacher, form: ScriptedDesktop, message: dict[str, str], why: str
) -> None:
    teacher.click(FIELD)
    refused = teacher.do(type="type", **message)
    assert refused["state"] == "refused"
    assert why in refused["why"]
    assert not form.memory.get("note")


def test_where_nobody_can_tell_the_field_nothing_is_typed(teacher: Teacher, form: ScriptedDesktop) -> None:
    refused = teacher.do(type="type", text="{{password}}", secret=SECRET)
    assert refused["state"] == "refused"
    assert refused["why"].startswith("Click the field first")
    assert not form.memory.get("note")


def test_what_is_typed_without_being_kept_is_known_by_its_length_alone(
    teacher: Teacher, lesson: Lesson, form: ScriptedDesktop
) -> None:
    """Somebody may be logging in by hand; what writes nothing stands as it is."""
    teacher.click(FIELD)
    teacher.until(lambda: teacher.steps(), what="the click")
    teacher.do(type="type", text=SECRET, keep=False)
    for keys in ("q", "shift+j", "tab"):
        teacher.do(type="keys", keys=keys, keep=False)
    assert form.memory["note"].startswith(SECRET)
    unkept = lesson.steps.exclude(act="click").order_by("index")
    assert [(step.act, step.params) for step in unkept] == [
        ("type_text", {"length": len(SECRET)}),
        ("type_text", {"length": 1}),
        ("type_text", {"length": 1}),
        ("press_keys", {"keys": "tab"}),
    ]
    rows: tuple[Any, ...] = (Lesson, LessonStep, Node, Edge, Target, Variable)
    assert "hunter2" not in "".join(serializers.serialize("json", model.objects.all()) for model in rows)
