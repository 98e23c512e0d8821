"""Names of keys, text and points (D10)."""

from __future__ import annotations

import pytest

from execution.desktop.acts import checked, to_input, typeable
from execution.desktop.base import DesktopError, UnknownKey
from execution.desktop.keys import NAMED_KEYS, known_keys
from execution.desktop.keysyms import NAMED
from execution.types import Point, Size


def test_names_are_known_in_any_case_and_by_their_usual_other_names() -> None:
    assert known_keys(["Ctrl", "SHIFT", "Page_Down", "F12"]) == ("ctrl", "shift", "pagedown", "f12")
    assert known_keys(["Control", "Return", "Escape", "Win", "Del"]) == ("ctrl", "enter", "esc", "super", "delete")


def test_a_single_character_is_a_key_and_case_does_not_count() -> None:
    assert known_keys(["S", "é", "+", " ", "\t", "İ"]) == ("s", "é", "+", "space", "tab", "İ")


@pytest.mark.parametrize("key", ["", "  ", "f13", "ab", "\x07", "ctrl+s"])
def test_other_names_are_refused(key: str) -> None:
    with pytest.raises(UnknownKey, match="there are ctrl, shift"):
        known_keys([key])


def test_every_named_key_has_a_keysym() -> None:
    assert set(NAMED) == set(NAMED_KEYS)


def test_text_keeps_everything_but_its_newlines() -> None:
    assert typeable("a\r\nb\rc\td é 😀") == "a\nb\nc\td é 😀"


def test_a_point_on_the_last_pixel_is_inside_and_the_next_is_not() -> None:
    assert checked(Point(9, 4), size=Size(10, 5)) == (9, 4)
    with pytest.raises(DesktopError, match="outside the desktop, which is 10 × 5"):
        checked(Point(10, 4), size=Size(10, 5))


def test_frame_pixels_are_mapped_to_input_coordinates_s5_5() -> None:
    assert to_input(Point(200, 100), origin=Point(-1280, 20), scale=2.0) == (-1180, 70)
