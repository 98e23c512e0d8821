"""Presses and releases of a hand, as acts (S6.2)."""

from __future__ import annotations

from typing import Any

import pytest

from execution.desktop.watching import Touch
from execution.lesson.acts import Act
from execution.lesson.echo import is_echoed
from execution.lesson.gestures import DOUBLE_S, HELD_S, Gestures
from execution.lesson.sight import Seen
from execution.types import Box, Point, ScreenState, TextLine
from tests.execution.screens import frame


def seen() -> Seen:
    return Seen(frame=frame(), window=None)


def acts_of(*touches: Touch) -> list[tuple[Any, ...]]:
    acts: list[Act] = []
    gestures = Gestures(seen, acts.append)
    for touch in touches:
        gestures(touch)
    assert all(act.seen is not None for act in acts)
    return [(act.kind, *([act.dx, act.dy] if act.kind in ("drag", "scroll") else [])) for act in acts]


def press(
    at: float, x: int = 10, y: int = 10, *, button: Any = "left", to: tuple[int, int] | None = None
) -> list[Touch]:
    end = Point(*to) if to else Point(x, y)
    return [
        Touch(kind="down", point=Point(x, y), button=button, at=at),
        Touch(kind="up", point=end, button=button, at=at + 0.05),
    ]


def test_a_second_click_is_a_double_click_only_when_it_is_quick_and_there() -> None:
    near = DOUBLE_S * 0.9
    assert acts_of(*press(0), *press(near)) == [("click",), ("double_click",)]
    assert acts_of(*press(0), *press(DOUBLE_S * 1.1)) == [("click",), ("click",)]
    assert acts_of(*press(0), *press(near, x=60)) == [("click",), ("click",)]
    assert acts_of(*press(0), *press(0.1), *press(0.2)) == [("click",), ("double_click",), ("click",)]
    between = Touch(kind="keys", keys="tab")
    assert acts_of(*press(0), between, *press(near)) == [("click",), ("press_keys",), ("click",)]


def test_what_slips_is_a_click_and_what_moves_is_a_drag_from_where_it_was_pressed() -> None:
    assert acts_of(*press(0, to=(13, 12))) == [("click",)]
    assert acts_of(*press(0, to=(90, 40))) == [("drag", 80, 30)]
    assert acts_of(*press(0, button="right")) == [("right_click",)]


@pytest.mark.parametrize(
    "touches",
    [
        press(0, button="middle"),
        press(0, button="right", to=(90, 40)),
        [Touch(kind="down", keys="ctrl"), Touch(kind="up", keys="ctrl")],
        [Touch(kind="wheel", dy=1, keys="ctrl")],
        [Touch(kind="unknown")],
    ],
    ids=["middle", "right drag", "ctrl click", "ctrl wheel", "other"],
)
def test_what_no_step_can_do_again_is_kept_as_none(touches: list[Touch]) -> None:
    """A plain click in its place would do something else."""
    assert acts_of(*touches) == [("unknown",)]


def test_a_release_that_began_before_anybody_listened_is_nothing() -> None:
    assert acts_of(Touch(kind="up"), *press(0)) == [("click",)]


def test_a_button_is_down_until_it_is_let_go_of_or_was_so_unheard() -> None:
    gestures = Gestures(seen, lambda act: None)
    down, up = press(100.0)
    gestures(down)
    assert gestures.is_down(100.1)
    assert not gestures.is_down(100.1 + HELD_S)
    gestures(up)
    assert not gestures.is_down(100.1)


def test_the_screen_of_a_click_is_the_one_it_was_pressed_on() -> None:
    """S6.2: a menu opens on the press already."""
    shown = [seen(), seen()]
    acts: list[Act] = []
    gestures = Gestures(lambda: shown[0], acts.append)
    down, up = press(0)
    gestures(down)
    first = shown.pop(0)
    gestures(up)
    assert acts[0].seen is first


# --- what is echoed -----------------------------------------------------------------------------------------------
def screen(*lines: tuple[str, int]) -> ScreenState:
    texts = tuple(TextLine(text=text, box=Box(20, y, 10 * len(text), 20)) for text, y in lines)
    return ScreenState(frame=frame(), texts=texts, text_method="known")


FORM = [("Name:", 20), ("Marie", 200)]


@pytest.mark.parametrize(
    ("typed", "came"),
    [
        ("Marie Lefèvre", ["Marie Lefèvre"]),
        ("Marie Lefèvre", ["Marie Lefevre"]),  # as a reader gets it
        ("marie.lefevre@hopital.example", ["e@hopital.example"]),  # the end of it in a narrow field
        ("4702", ["Room 4702"]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("***", ["***"]),  # as it was typed
        ("Marie Lefèvre", ["*Untitled 1 - Mousepad", "Marie Lefèvre"]),  # a title that says it is not saved
    ],
)
def test_what_shows_newly_is_echoed(typed: str, came: list[str]) -> None:
    assert is_echoed(typed, screen(*FORM), screen(*FORM, *((text, 60 + 30 * n) for n, text in enumerate(came))))


@pytest.mark.parametrize(
    ("typed", "came"),
    [
        ("hunter2", ["•••••••"]),
        ("hunter2", ["......."]),
        ("hunter2", ["OOOOOOO"]),
        ("hunter2", []),
        ("Marie", []),  # it stands there since before
        ("hunter2", ["Weak password"]),
        ("password", ["••••••••", "The password is weak"]),
        ("Marie", ["M"]),
        ("5", ["•"]),
        ("5", ["5"]),  # so does a clock
        ("47", ["47"]),
        ("0742", ["14:07:42"]),
        ("407", ["14:07"]),
        ("4702", ["14:07:02"]),
        ("lue", ["Bleue"]),
    ],
)
def test_what_does_not_show_or_shows_as_dots_is_not_echoed(typed: str, came: list[str]) -> None:
    """S6.2, S10.4: in doubt nothing is kept."""
    assert not is_echoed(typed, screen(*FORM), screen(*FORM, *((text, 60 + 30 * n) for n, text in enumerate(came))))
