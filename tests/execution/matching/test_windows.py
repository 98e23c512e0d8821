"""Titles of windows: what names the record changes, what names the screen does not."""

from __future__ import annotations

import math

import pytest

from execution.matching.windows import app_speaks, folded_title, title_speaks
from execution.types import Window

KNOWN = frozenset({"patients - ward", "beds - ward"})


@pytest.mark.parametrize(
    ("taught", "seen", "speaks"),
    [
        ("Patients - Ward", "patients – ward", 0.0),
        ("Patients - Ward", "Beds - Ward", -1.0),
        ("Invoice 4711", "Invoice 4812", 0.0),
        ("", "Beds - Ward", math.nan),
        ("Patients - Ward", "", math.nan),
    ],
)
def test_only_the_title_of_another_taught_screen_speaks_against_it(taught, seen, speaks):
    assert title_speaks(taught, seen, KNOWN) == pytest.approx(speaks, nan_ok=True)


@pytest.mark.parametrize(
    ("taught", "seen", "speaks"),
    [("mousepad", "Mousepad", 0.0), ("firefox", "Firefox-esr", 0.0), ("gedit", "Mousepad", -1.0), ("", "x", math.nan)],
)
def test_applications_are_the_same_or_others(taught, seen, speaks):
    assert app_speaks(taught, seen) == pytest.approx(speaks, nan_ok=True)


def test_no_window_has_no_title():
    assert folded_title(None) == ""
    assert folded_title(Window(title="Né(e) le")) == "ne(e) le"
