"""The picture that is taught on is masked, unless its teacher has the right to see what is masked (S10.4)."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from django.contrib.auth.models import Group

from tests.doubles.scripted import ScriptedDesktop
from tests.factories import make_user
from tests.support.scripted import BUTTON, screens
from tests.support.teaching import Teacher, taught_on, teacher_of
from workflows.models import Workflow

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder"),
    pytest.mark.security,
]

MASK = [0.0, 0.0, 1.0, 0.9]  # all but the foot


@pytest.fixture
def desktop() -> ScriptedDesktop:
    return ScriptedDesktop(screens("one", "two"))


def newest(teacher: Teacher) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(teacher.pictures[-1][2], np.uint8), cv2.IMREAD_COLOR)


def is_masked(picture: np.ndarray) -> bool:
    """Whether what is masked is one grey."""
    return bool(np.ptp(picture[: int(0.8 * len(picture))].astype(int)) < 10)


@pytest.mark.parametrize(
    ("switched_on", "has_right", "masked"),
    [(False, False, True), (False, True, True), (True, False, True), (True, True, False)],
)
def test_who_may_not_see_what_is_masked_does_not_see_it_while_teaching(
    desktop: ScriptedDesktop, settings: Any, switched_on: bool, has_right: bool, masked: bool
) -> None:
    settings.RPA_LIVE_UNMASKED = switched_on
    user = make_user("designer")
    if has_right:
        user.groups.add(Group.objects.get(name="unmasked live picture"))
    workflow = Workflow.objects.create(workflow_id="wf_masked", name="Masked", masks=[MASK])
    with taught_on(desktop, user=user, workflow=workflow) as lesson, teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.pictures and teacher.screen, what="a picture")
        assert is_masked(newest(teacher)) is masked


def test_what_could_not_be_shown_before_it_was_read_is_shown_then(desktop: ScriptedDesktop) -> None:
    """With patterns nobody knows before what is masked; the place that matches one stays hidden."""
    workflow = Workflow.objects.create(workflow_id="wf_patterns", name="Patterns", mask_patterns=["Page (one|two)"])
    with taught_on(desktop, user=make_user("designer"), workflow=workflow) as lesson, teacher_of(lesson) as teacher:
        button = np.s_[BUTTON.y : BUTTON.bottom, BUTTON.x : BUTTON.right]
        raw = desktop.grab().pixels[button].astype(int)

        def shows_the_button() -> bool:
            return bool(teacher.pictures) and bool(np.abs(newest(teacher)[button].astype(int) - raw).mean() < 10)

        teacher.until(shows_the_button, what="the picture as it was read")
        told = cv2.absdiff(newest(teacher), desktop.grab().pixels)
        assert told.max() > 60, "what matches is hidden"
