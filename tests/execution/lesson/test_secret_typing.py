"""A secret typed while teaching is in no picture, row or log: field and value are hidden before (S6.1, S10.4)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import cv2
import numpy as np
import pytest
from django.core import serializers

from execution.lesson.recorder import Recorder
from execution.lesson.secrecy import TypedSecrets, typed_before
from execution.models import Lesson, LessonStep
from execution.record.hidden import Hidden
from execution.record.redaction import Redaction
from execution.types import Box, TextLine
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Field
from tests.factories import make_user
from tests.support.scripted import BUTTON, analyzer, screens
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
CURSOR = 8  # pixels wide at most, in a JPEG; the secret takes more than a hundred
SIZE = ScriptedDesktop(screens("any")).grab().size


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
    teacher.until(lambda: any(one["name"].startswith("End") for one in teacher.lesson["screens"]), what="the end")
    edge = lesson.workflow.edges.get(action_type="type_text")
    assert edge.params == {"text": "{{password}}"}
    rows: tuple[Any, ...] = (Lesson, LessonStep, Node, Edge, Target, Variable)
    kept = "".join(serializers.serialize("json", model.objects.all()) for model in rows)
    assert "hunter2" not in kept
    assert "hunter2" not in str(teacher.told) + str(teacher.lesson)
    assert "hunter2" not in caplog.text
    for _number, _taken_at, jpeg in teacher.pictures[shown_before:]:
        seen = inside(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)).astype(int)
        drawn = np.count_nonzero(
            np.ptp(seen, axis=0).max(axis=1) >= 40
        )  # columns; the cursor may show until it is typed
        assert drawn <= CURSOR, "something is to be read in the field, or showed for a moment"
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


# --- what the next run loop hides -------------------------------------------------------------------------------------
def hides_the_field(lesson: Lesson) -> bool:
    """Whether a run loop that begins now hides where the secret was typed."""
    return any(Box.from_normalised(place.box, SIZE).contains(FIELD.center) for place in typed_before(lesson))


def test_from_the_first_key_of_a_secret_its_row_says_where(
    teacher: Teacher, lesson: Lesson, form: ScriptedDesktop
) -> None:
    """S10.4: a run loop that is killed right then leaves a field that shows the secret."""
    teacher.click(FIELD)
    teacher.do(type="type", text="{{password}}", secret=SECRET)
    assert hides_the_field(lesson)
    (place,) = typed_before(lesson)
    assert place.within(form.grab().pixels) == (place.box,)
    form.show("end")
    assert place.within(form.grab().pixels) == (), "what stands there on another screen is no secret"


def test_a_step_in_doubt_still_says_where_a_secret_was_typed() -> None:
    """S10.4: as the next run loop finds it when it takes the lesson up."""
    workflow = Workflow.objects.create(workflow_id="wf_form", name="Form")
    Variable.objects.create(workflow=workflow, name="password", kind="secret")
    lesson = Lesson.objects.create(workflow=workflow)
    row = LessonStep.objects.create(
        lesson=lesson,
        index=1,
        act="type_text",
        params={"text": "{{password}}"},
        state="doing",
        screen={"box": list(FIELD.normalised(SIZE))},
    )
    Recorder(lesson, desktop=Mock(), sight=Mock(), here=Mock(spec_set=["begin"])).begin()
    row.refresh_from_db()
    assert row.state == "doubt"
    assert row.screen["why"]
    assert hides_the_field(lesson)


def test_what_is_typed_behind_a_secret_is_a_step_of_its_own(teacher: Teacher, lesson: Lesson) -> None:
    teacher.click(FIELD)
    teacher.do(type="type", text="{{password}}", secret=SECRET)
    teacher.do(type="type", text="and plain")
    steps = teacher.until(
        lambda: [s for s in teacher.steps() if s["act"] == "type_text" and s["edge_id"]][1:], what="a step of its own"
    )
    assert len(steps) == 1
    assert [e.params["text"] for e in lesson.workflow.edges.filter(action_type="type_text").order_by("pk")] == [
        "{{password}}",
        "and plain",
    ]
    assert hides_the_field(lesson)


def test_where_nobody_knew_the_field_a_secret_is_hidden_where_it_stands(lesson: Lesson, form: ScriptedDesktop) -> None:
    """It was typed as it stands, without a click, and said to be secret afterwards."""
    step = LessonStep.objects.create(
        lesson=lesson, index=90, act="type_text", params={"text": "{{password}}"}, state="done"
    )
    assert not hides_the_field(lesson)
    line = TextLine(text=f"Note {SECRET}", box=Box(FIELD.x, FIELD.y, 300, 100))
    state = replace(analyzer(form).analyze(form.grab(), form.window()), texts=(line,))
    recorder = Mock(lesson=lesson, **{"sight.current.return_value": state})
    TypedSecrets(recorder, Redaction(Hidden(()))).hide({"password": SECRET})
    step.refresh_from_db()
    assert [place.box for place in typed_before(lesson)] == [
        line.box.grown(2, state.frame.size).normalised(state.frame.size)
    ]
    assert "hunter2" not in str(step.screen)
