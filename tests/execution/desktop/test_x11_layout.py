"""Reading a keyboard mapping without an X server (D10)."""

from __future__ import annotations

from execution.desktop.keysyms import LEVEL3_SHIFT, NAMED, char_of, keysym_of
from execution.desktop.x11_layout import Layout, Stroke, runs_of

SHIFT_KEY, LEVEL3_KEY = 50, 92


def _layout(keys: dict[int, tuple[int, ...]], *, group: int = 0) -> Layout:
    symbols = [keys.get(code, (0,) * 7) for code in range(8, 256)]
    symbols[SHIFT_KEY - 8] = (NAMED["shift"],) + (0,) * 6
    symbols[LEVEL3_KEY - 8] = (LEVEL3_SHIFT,) + (0,) * 6
    modifiers = [[SHIFT_KEY, 0], [66, 0], [37, 0], [64, 0], [0, 0], [0, 0], [0, 0], [LEVEL3_KEY, 0]]
    return Layout(symbols, modifiers, first_keycode=8, group=group)


def test_the_level_says_which_modifiers_are_needed() -> None:
    e, at = ord("e"), ord("@")
    layout = _layout({26: (e, ord("E"), e, ord("E"), 0x20AC, at, 0)})
    assert layout.stroke_for("e") == Stroke(26)
    assert layout.stroke_for("E") == Stroke(26, (SHIFT_KEY,))
    assert layout.stroke_for("€") == Stroke(26, (LEVEL3_KEY,))
    assert layout.stroke_for("@") == Stroke(26, (SHIFT_KEY, LEVEL3_KEY))
    assert layout.stroke_for("é") is None


def test_with_two_groups_the_active_one_counts_and_higher_levels_do_not() -> None:
    keys = {24: (ord("q"), ord("Q"), ord("a"), ord("A"), 0xE6, 0xC6, 0)}
    assert _layout(keys).stroke_for("q") == Stroke(24)
    assert _layout(keys).stroke_for("a") is None
    assert _layout(keys, group=1).stroke_for("a") == Stroke(24)
    assert _layout(keys).stroke_for("æ") is None, "nobody can tell which group that level belongs to"
    assert _layout(keys, group=2).stroke_for("q") is None


def test_dead_keys_are_no_characters() -> None:
    assert _layout({34: (0xFE52, 0xFE57, 0xFE52, 0xFE57, 0, 0, 0)}).strokes == {}


def test_spare_keys_have_no_meaning_that_a_program_acts_on() -> None:
    back, launch5 = 0x1008FF26, 0x1008FF45
    layout = _layout({166: (back,) * 7, 192: (launch5,) + (0,) * 6, 24: (ord("q"),) * 7})
    spare = {code for run in layout.spare_runs() for code in run}
    assert 192 in spare
    assert spare.isdisjoint({8, 24, 166, SHIFT_KEY, LEVEL3_KEY})
    lengths = [len(run) for run in layout.spare_runs()]
    assert lengths == sorted(lengths, reverse=True)


def test_runs_are_neighbours() -> None:
    assert runs_of([5, 3, 4, 9, 11, 10, 1]) == [[1], [3, 4, 5], [9, 10, 11]]


def test_a_character_and_its_keysym_belong_together() -> None:
    for char in "aé€\n\t日😀":
        keysym = keysym_of(char)
        assert char_of(keysym) == char
    assert keysym_of("é") == 0xE9
    assert keysym_of("€") == 0x010020AC
    assert char_of(0x20AC) == "€"
    assert char_of(0xFFE1) is None
