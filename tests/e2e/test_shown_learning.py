"""What a coach shows once while an application changes its look under a series of runs (S6.4, S6.17)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.coached_runs import (
    CLOSES,
    CONFIRMS,
    DOUBT,
    SHOWS,
    Coach,
    coached_installation,
    declare,
    learned,
    tried,
)
from tests.e2e.patients_page import PATIENTS
from tests.e2e.visits_page import NOTICE, Look
from tests.support.on_a_page import IN_CHROMIUM

pytestmark = [*IN_CHROMIUM, pytest.mark.timeout(900)]

DARK = Look(dark=True)
RENAMED = replace(DARK, mark="Sign it off")
TURNED = replace(RENAMED, turned=True)
SERIES: tuple[tuple[Look, list[str]], ...] = (
    (Look(), []),
    (DARK, []),
    (RENAMED, [SHOWS]),  # the screen is known by all else that it says
    (RENAMED, [CONFIRMS]),  # on trial: what it would do is right, and is confirmed
    (RENAMED, [CONFIRMS]),
    (RENAMED, []),
    (TURNED, []),
    (replace(TURNED, notice=True), [CLOSES]),  # a press is not learned: the dialog is told to the workflow
    (replace(TURNED, notice=True), []),
)


@pytest.fixture
def coach(tmp_path: Path) -> Iterator[Coach]:
    with coached_installation(tmp_path) as one:
        yield one


def test_what_was_shown_once_is_known_and_nothing_wrong_is_done(coach: Coach) -> None:
    for number, (look, asks) in enumerate(SERIES):
        found = coach.run(PATIENTS[number % len(PATIENTS)], look)
        assert (found.wrong, found.state) == ([], "completed"), found.why
        assert found.asked == asks, f"run {number + 1}: {found.why}"
        if CLOSES in asks:
            declare(coach.one, "New", NOTICE, "Got it")
        tried(coach.one)
        assert all(on > 0 and breaks == [] for _kind, _state, on, breaks in learned(coach.one)), "nothing is worse"
    assert [(kind, state) for kind, state, *_ in learned(coach.one)] == [("target", "trusted")]


def test_a_coach_who_shows_the_twin_twice_is_found_out_each_time_and_what_it_did_is_listed(coach: Coach) -> None:
    """What he ordered is all that was ever done wrong, and a right word afterwards is learned all the same."""
    patient, twin = PATIENTS[0], "Letter: Countersign"
    look = Look(mark="Countersign", letter=True)
    for times in (1, 2):
        found = coach.run(patient, look, wrongly=twin)
        assert (found.asked, found.state) == ([SHOWS, DOUBT], "stopped"), found.why
        assert found.wrong == [f"{patient.name}: {twin}"], "what he ordered, and nothing beyond"
        assert [state for kind, state, *_ in learned(coach.one) if kind == "target"] == ["off"] * times
        tried(coach.one)
    page = coach.page("/learning/corrections?state=off")
    numbers = sorted(set(re.findall(r'id="correction-(\d+)"', page)))
    assert len(numbers) == 2, "the screen that he named was right, and is known still"
    for number in numbers:
        listed = coach.page(f"/learning/corrections/{number}")
        assert re.findall(r'href="(/runs/[^"]+/steps/\d+)"', listed), listed[-3000:]
        assert "the coach ordered it" in listed
    for right, asks in ((look, [SHOWS]), (Look(mark="Countersign"), [CONFIRMS])):
        found = coach.run(patient, right)
        assert (found.wrong, found.state) == ([], "completed"), found.why
        assert found.asked == asks, found.why
