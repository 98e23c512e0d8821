"""Dialogs over a screen: recognised as what they are, and closed only if they are the one that is meant (S1.6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.matching.dialogs import over_known
from execution.turn.popups import declared, is_gone, suggestion_of
from execution.types import Box, Point, ResolveStatus
from tests.execution.screens import line, screen
from workflows.graph import PopupSpec

BEHIND = (line("File", 10, 10), line("Patient list", 10, 60), line("Marie Curie", 10, 100), line("Ready", 10, 380))
PANEL = Box(180, 120, 240, 160)
UPDATE = PopupSpec(name="Update", texts=("Restart now",), window_title="Update*", click="Later")
IN_DIALOG = (line("Restart now", 200, 150), line("Later", 200, 240))
KNOWN = screen(*BEHIND)
UPDATE_UP = screen(*BEHIND, *IN_DIALOG, title="Update available", box=PANEL, patches=[(PANEL, 240)])


def find(popup: PopupSpec, state: object = UPDATE_UP) -> object:
    return declared((popup,), state, variables={"who": "Marie"})  # type: ignore[arg-type]


def test_a_declared_dialog_is_closed_by_a_click_on_its_text() -> None:
    found = declared((UPDATE,), UPDATE_UP, variables={})
    assert found is not None
    assert found.point == Point(220, 247)
    suggestion = suggestion_of(found, "a")
    assert suggestion.sentence == "Close “Update”"
    assert (suggestion.resolution.status, suggestion.resolution.point) == (ResolveStatus.FOUND, found.point)


@pytest.mark.parametrize(
    "popup",
    [
        replace(UPDATE, window_title="Print*"),  # another window's title
        replace(UPDATE, texts=("Restart now", "Version 7")),  # one of its texts is missing
        replace(UPDATE, texts=("Patient list",)),  # the text stands behind it, not in it
        replace(UPDATE, click="File"),  # what is to be clicked stands behind it
        replace(UPDATE, click="Cancel"),  # or nowhere
        replace(UPDATE, texts=("{{nobody}}",)),  # a variable without a value
        PopupSpec(name="Nothing", keys="escape"),  # known by nothing
    ],
)
def test_what_is_not_surely_the_dialog_is_left_alone(popup: PopupSpec) -> None:
    assert find(popup) is None


def test_two_places_to_click_are_none() -> None:
    twice = screen(*BEHIND, *IN_DIALOG, line("Later", 300, 240), title="Update available", box=PANEL)
    assert find(UPDATE, twice) is None


@pytest.mark.parametrize("texts", [("Later",), ("Yes",), ("Are you sure?",)])
def test_what_many_dialogs_say_is_no_reason_to_close_this_one(texts: tuple[str, ...]) -> None:
    """Also where it was published so: the next question would be answered as the one before (S1.22)."""
    up = screen(*BEHIND, *(line(text, 200, 150) for text in texts if text != "Later"), *IN_DIALOG, box=PANEL)
    known = PopupSpec(name="Any", texts=texts, click="Later")
    assert declared((known,), up, variables={}) is None
    assert declared((replace(known, texts=(*texts, "Restart now")),), up, variables={}) is not None


def test_a_screen_that_was_not_read_has_no_dialog() -> None:
    assert find(UPDATE, replace(UPDATE_UP, text_method="")) is None


def test_a_dialog_inside_the_window_is_known_by_its_frame() -> None:
    popup = PopupSpec(name="Cookies", texts=("Restart now",), click="Later")
    inside = screen(*BEHIND, line("Later", 10, 200), *IN_DIALOG, groups=[PANEL], patches=[(PANEL, 240)])
    found = declared((popup,), inside, variables={})
    assert found is not None
    assert PANEL.contains(found.point)


def test_keys_close_it_without_a_place() -> None:
    found = declared((replace(UPDATE, click="", keys="alt+f4"),), UPDATE_UP, variables={})
    assert found is not None
    assert found.point is None
    assert suggestion_of(found, "a").resolution.status is ResolveStatus.NOT_NEEDED


def test_it_is_gone_when_its_window_is_not_in_front_any_more() -> None:
    assert not is_gone(UPDATE, UPDATE_UP, variables={})
    assert is_gone(UPDATE, KNOWN, variables={})
    by_text = replace(UPDATE, window_title="")
    assert not is_gone(by_text, UPDATE_UP, variables={})
    assert is_gone(by_text, KNOWN, variables={})
    assert not is_gone(by_text, replace(KNOWN, text_method=""), variables={}), "who does not read cannot say so"


def test_another_window_over_the_known_screen_is_a_dialog_with_its_title_and_texts() -> None:
    dialog = over_known(UPDATE_UP, KNOWN)
    assert dialog is not None
    assert dialog.title == "Update available"
    assert dialog.texts == ("Restart now", "Later")
    assert dialog.told == "“Update available”: Restart now Later"


def test_a_dialog_drawn_inside_the_window_is_seen_by_what_changed() -> None:
    inside = screen(*BEHIND, *IN_DIALOG, patches=[(PANEL, 240)])
    dialog = over_known(inside, KNOWN)
    assert dialog is not None
    assert (dialog.title, dialog.texts) == ("", ("Restart now", "Later"))


@pytest.mark.parametrize(
    "now",
    [
        KNOWN,  # nothing changed
        screen(line("Other", 10, 10), line("page", 10, 60), patches=[(Box(0, 0, 600, 400), 90)]),  # another page
        screen(line("Other", 10, 10), title="Mail", box=Box(100, 100, 200, 200)),  # another window, nothing behind
        screen(*BEHIND, patches=[(PANEL, 240)]),  # a picture without a word
        screen(*BEHIND, line("x", 10, 385), patches=[(Box(0, 380, 600, 20), 90)]),  # the status line
    ],
)
def test_another_screen_is_no_dialog(now: object) -> None:
    assert over_known(now, KNOWN) is None  # type: ignore[arg-type]


def test_without_a_known_screen_nothing_is_over_it() -> None:
    assert over_known(UPDATE_UP, None) is None
