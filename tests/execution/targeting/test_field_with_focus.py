"""A field that has a label is found whether it has the focus, and whatever is filled in (S5.3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.perception.elements import FrameDetector
from execution.targeting.resolver import TargetResolver
from execution.teaching.evidence import teach_target
from execution.types import Box, ElementRole, ResolveStatus, ScreenState, Window
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.choices import EffectClass

GREY, DARK = (217, 217, 217), (0, 0, 0)
LABELS = ("File number", "Name", "Date", "Room")


def form(focus: str = "", covered: str = "", **values: str) -> ScreenState:
    """Fields as Tk draws them: sunken, and with a black frame around the one that has the focus."""
    canvas = Canvas(760, 460, background=GREY)
    canvas.text("New admission", 40, 30, size=22)
    for row, label in enumerate(LABELS):
        box = Box(200, 90 + 40 * row, 312, 24)
        canvas.text(label, 40, box.y + 4, size=15)
        canvas.draw.rectangle(
            (box.x, box.y, box.right - 1, box.bottom - 1), fill=(255, 255, 255), outline=(153, 153, 153)
        )
        if label == focus:
            canvas.draw.rectangle((box.x - 1, box.y - 1, box.right, box.bottom), outline=DARK)
        if value := values.get(label.split()[0]):
            canvas.text(value, box.x + 4, box.y + 4, size=15, ink=DARK)
        if label == covered:
            canvas.draw.rectangle((box.x - 6, box.y - 4, box.right + 5, box.bottom + 3), fill=(210, 200, 190))
    canvas.button("Save", Box(40, 270, 70, 32))
    window = Window(title="Admissions", box=Box(0, 0, 760, 460))
    state = canvas.state(window=window)
    return replace(state, elements=FrameDetector().detect(state.frame.pixels, state.texts))


def found(target: str, shown: ScreenState, now: ScreenState) -> Box | None:
    pictures = Pictures()
    at = next(t.box for t in shown.texts if t.text == target)
    field = next(
        e.box for e in shown.elements if e.role is ElementRole.FIELD and abs(e.box.center.y - at.center.y) < 12
    )
    spec = teach_target(shown.frame, field, label=target, state=shown, click=field.center, store=pictures)
    resolver = TargetResolver(pictures=pictures)
    resolution = resolver.resolve(spec, now, variables={}, effect=EffectClass.OPAQUE)
    return resolution.box if resolution.status is ResolveStatus.FOUND else None


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(
    ("shown", "now"),
    [
        (form("File number"), form()),
        (form("Name"), form("File number", File="004711")),
        (form(), form("Name", File="004711", Name="Anna Berger")),
        (form("Room"), form("Room", File="004711", Name="Anna Berger", Date="01/12/2026", Room="A12")),
    ],
    ids=["without the focus", "another has it", "filled in and with the focus", "all filled in"],
)
def test_a_field_is_found_by_its_label(label: str, shown: ScreenState, now: ScreenState) -> None:
    box = found(label, shown, now)
    assert box is not None
    assert box.iou(Box(200, 90 + 40 * LABELS.index(label), 312, 24)) > 0.7


def test_a_field_that_something_lies_over_is_not_found_by_its_label() -> None:
    """The label is in sight, and nobody sees what a click there would do."""
    assert found("Name", form("Name"), form(covered="Name")) is None


def test_where_no_field_is_seen_the_label_alone_is_not_enough() -> None:
    now = form()
    others = tuple(one for one in now.elements if one.role is not ElementRole.FIELD)
    assert found("Name", form("Name"), replace(now, elements=others)) is None
