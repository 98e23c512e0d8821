"""What a click brought up on the screen, and whether that is a menu that Escape closes again."""

from __future__ import annotations

from dataclasses import dataclass

from execution.language.fuzzy import words
from execution.language.screen_texts import around
from execution.navigation.finding import MENUS, Spot
from execution.types import Box, ElementRole, ScreenState, TextLine

_SAME_PLACE = 0.4
_STILL = 0.5  # of a menu's texts: while so many are there it is open
_MENU_PART = 0.5  # of the screen: what is larger is a page, not a menu
_NEAR = 12  # pixels between a control and the menu it opens


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The texts that a click brought up, and whether they are a menu beside what was clicked."""

    lines: tuple[TextLine, ...]
    is_menu: bool


def opened_by(spot: Spot, before: ScreenState, after: ScreenState) -> Opened:
    """What is there after a click on `spot` that was not there before."""
    lines = appeared(before, after)
    same_window = _title(before) == _title(after)
    return Opened(lines=lines, is_menu=bool(lines) and same_window and _beside(spot, lines, after))


def appeared(before: ScreenState, after: ScreenState) -> tuple[TextLine, ...]:
    """The lines that no line of the screen before was at their place with the same text."""
    return tuple(line for line in after.texts if not _stands(line, before))


def is_open(menu: Opened, state: ScreenState) -> bool:
    """Whether most of the menu is still there, where it was."""
    there = sum(_stands(line, state) for line in menu.lines)
    return menu.is_menu and there >= _STILL * len(menu.lines)


def _stands(line: TextLine, state: ScreenState) -> bool:
    key = words(line.text).key
    return any(line.box.iou(other.box) > _SAME_PLACE and words(other.text).key == key for other in state.texts)


def _beside(spot: Spot, lines: tuple[TextLine, ...], state: ScreenState) -> bool:
    """A menu opens at what was clicked and covers a part of the screen."""
    whole = around(line.box for line in lines)
    small = whole.area <= _MENU_PART * state.frame.size.width * state.frame.size.height
    reach = _NEAR + 2 * spot.box.h
    near = spot.box.grown(reach, state.frame.size).intersection(whole).area > 0
    return small and near and spot.role in MENUS | {ElementRole.BUTTON, ElementRole.TEXT, ElementRole.ICON}


def boxes(opened: Opened) -> tuple[Box, ...]:
    return tuple(line.box for line in opened.lines)


def _title(state: ScreenState) -> str:
    return state.window.title if state.window else ""
