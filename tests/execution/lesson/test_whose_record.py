"""Whose record a line led to is proposed only where the check would fail on every other record (S1.11, S6.13)."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from execution.lesson.ways import proposed_record
from execution.types import Answer, Box, Frame, ScreenState, TextLine, Window, pixels_digest
from execution.verification import identity
from execution.verification.reading import ScreenReading
from workflows.graph import IdentitySpec

PATIENTS = ("BERNARD Chloé", "LEFÈVRE Marie", "LEFEBVRE Marie", "NGUYEN Paul")
WANTED, OTHER = "LEFÈVRE Marie", "LEFEBVRE Marie"
EDGE: Any = SimpleNamespace(target=SimpleNamespace(evidence={"row": ["{{patient}}"]}))


def screen(*lines: TextLine) -> ScreenState:
    pixels = np.zeros((800, 1280, 3), np.uint8)
    frame = Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))
    window = Window(title="Clinic", box=Box(0, 0, 1280, 800))
    return ScreenState(frame=frame, texts=lines, text_method="known", window=window)


def line(text: str, x: int, y: int, height: int = 22) -> TextLine:
    return TextLine(text=text, box=Box(x, y, 11 * len(text), height), confidence=0.99)


def waiting(*, title: str = "Waiting list", patients: tuple[str, ...] = PATIENTS, y: int = 110) -> list[TextLine]:
    return [line(title, 40, y - 50), *(line(name, 40, y + 40 * n) for n, name in enumerate(patients))]


def record(*lines: TextLine) -> list[TextLine]:
    return [line("Patient record", 520, 60), *lines, line("Diagnosis", 520, 400), line("Sign", 520, 500)]


def labelled(name: str) -> list[TextLine]:
    return record(line("Name:", 520, 300), line(name, 640, 300))


def in_one(name: str) -> list[TextLine]:
    return record(line(f"Bed 4, Patient: {name}", 520, 300))


def headed(name: str) -> list[TextLine]:
    return record(line(name, 520, 100, height=40))


def bare(name: str) -> list[TextLine]:
    return record(line(name, 520, 100))


def proposed(after: list[TextLine], before: list[TextLine] | None) -> list[dict[str, str]]:
    known = screen(*before) if before is not None else None
    return proposed_record(EDGE, screen(*after), {"patient": WANTED}, before=known)


VALUE = {"value": "{{patient}}"}


@pytest.mark.parametrize(
    ("beside", "opened", "label"),
    [
        (waiting(), labelled, "Name:"),  # a list that stays in sight
        (waiting(title="Patients:"), labelled, "Name:"),
        (waiting(title="Patients:", patients=(WANTED, OTHER)), labelled, "Name:"),  # its first row has a label
        (waiting(), in_one, "Patient:"),
        ([], labelled, "Name:"),  # a page of its own
        ([], in_one, "Patient:"),
        ([], headed, ""),
    ],
)
def test_what_is_proposed_fails_on_the_record_of_another(beside: list[TextLine], opened: Any, label: str) -> None:
    before = beside or waiting()
    for known in (before, None):
        [one] = proposed([*beside, *opened(WANTED)], known)
        assert one == VALUE | ({"label": label} if label else {})
        spec = IdentitySpec(**{"label": "", **one})
        for shown, answers in ((WANTED, {Answer.YES}), (OTHER, {Answer.NO, Answer.CANNOT_TELL})):
            now = ScreenReading(screen(*beside, *opened(shown)))
            assert identity.check(spec, now, {"patient": WANTED}).answer in answers


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (waiting(), [*waiting(), *headed(WANTED)]),  # without a label the list says it as well
        (waiting(), [*waiting(), *bare(WANTED)]),
        (waiting(), bare(WANTED)),  # in the middle of a page it may be anybody's
        (waiting(), [*waiting(), *record()]),  # nothing but the list says it
        (waiting(), [*waiting(y=310), *record()]),  # which has moved
        (waiting(title="Patients:", patients=(WANTED,)), [*waiting(title="Patients:", patients=(WANTED,)), *record()]),
        # a row that is written large, and stays
        ([line(WANTED, 40, 110, height=40), line(OTHER, 40, 160)], [line(WANTED, 40, 110, height=40), *record()]),
        # what was searched for stands there whatever was opened
        ([*waiting(), line("Search:", 40, 20), line(WANTED, 160, 20)],
         [*waiting(), line("Search:", 60, 40), line(WANTED, 180, 40), *record()]),
    ],
)  # fmt: skip
def test_what_would_hold_of_every_record_is_not_proposed(before: list[TextLine], after: list[TextLine]) -> None:
    assert proposed(after, before) == []
