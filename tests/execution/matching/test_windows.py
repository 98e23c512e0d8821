"""Titles of windows: what names the record changes, what names the screen does not."""

from __future__ import annotations

import pytest

from execution.matching.windows import app_alike, folded_title, title_alike
from execution.types import Window

KNOWN = frozenset({"patients - ward", "beds - ward"})


@pytest.mark.parametrize(
    ("taught", "seen", "alike"),
    [
        ("Patients - Ward", "patients – ward", 1.0),
        ("Patients - Ward", "Beds - Ward", -1.0),
        ("", "Beds - Ward", 0.0),
        ("Patients - Ward", "", 0.0),
        ("Invoice 4711", "Invoice 4812", 0.75),
        ("4711", "4812", 0.0),
    ],
)
def test_titles_are_alike_contrary_or_neither(taught, seen, alike):
    assert title_alike(taught, seen, KNOWN) == pytest.approx(alike)


def test_a_title_with_another_record_speaks_less_than_the_same_and_more_than_another():
    record = title_alike("DUPONT Marie - Ward record", "ROUX Claire - Ward record", KNOWN)
    stranger = title_alike("DUPONT Marie - Ward record", "Calculator", KNOWN)
    assert stranger < 0 < record < 1


@pytest.mark.parametrize(
    ("taught", "seen", "alike"),
    [("mousepad", "Mousepad", 1.0), ("firefox", "Firefox-esr", 1.0), ("gedit", "Mousepad", -1.0), ("", "x", 0.0)],
)
def test_applications_are_the_same_or_others(taught, seen, alike):
    assert app_alike(taught, seen) == alike


def test_no_window_has_no_title():
    assert folded_title(None) == ""
    assert folded_title(Window(title="Né(e) le")) == "ne(e) le"
