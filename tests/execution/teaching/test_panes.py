"""S6.1: the part of the screen that scrolls and holds a target."""

from __future__ import annotations

import time

import pytest

from execution.teaching.panes import scroll_bar, scrolling_part
from execution.types import Box, Element, ElementRole, Window
from tests.execution.perception.drawing import Canvas

WINDOW = Box(100, 60, 900, 600)
PANE = Box(300, 120, 700, 540)
TARGET = Box(400, 300, 100, 28)
STYLES = {  # width of the track, of the thumb, colours of the track and of the thumb, radius: as drawn by toolkits
    "chromium": (15, 9, (255, 255, 255), (170, 170, 170), 4),
    "firefox": (12, 8, (240, 240, 240), (130, 130, 130), 4),
    "gtk": (14, 8, (206, 206, 206), (125, 129, 130), 4),
    "qt": (11, 11, (202, 203, 204), (239, 240, 241), 0),
    "dark": (15, 9, (40, 40, 44), (110, 110, 116), 4),
}


def screen(style: str, *, thumb: tuple[int, int] = (0, 200)) -> Canvas:
    canvas = Canvas(1280, 800)
    dark = style == "dark"
    ground = (30, 30, 34) if dark else (250, 250, 250)
    canvas.draw.rectangle((WINDOW.x, WINDOW.y, WINDOW.right - 1, WINDOW.bottom - 1), fill=ground, outline=(90, 90, 90))
    canvas.draw.rectangle((WINDOW.x + 1, 61, WINDOW.right - 2, 119), fill=(60, 90, 140))
    canvas.draw.line((299, 120, 299, 659), fill=(120, 120, 120))
    for row in range(13):
        canvas.text(f"Record {row}", 320, 135 + 40 * row, ink=(200, 200, 200) if dark else (20, 20, 20))
    wide, narrow, track, colour, radius = STYLES[style]
    left = PANE.right - 1 - wide
    canvas.draw.rectangle((left, PANE.y, PANE.right - 2, PANE.bottom - 2), fill=track)
    if narrow == wide:
        canvas.draw.line((left - 1, PANE.y, left - 1, PANE.bottom - 2), fill=(137, 137, 137))
    inset = (wide - narrow) // 2
    box = (left + inset, PANE.y + 1 + thumb[0], left + inset + narrow - 1, PANE.y + thumb[1])
    canvas.draw.rounded_rectangle(box, radius=radius, fill=colour)
    return canvas


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("thumb", [(0, 200), (150, 190), (300, 538)])
def test_a_pane_with_a_scroll_bar_is_found_wherever_its_thumb_is(style, thumb):
    state = screen(style, thumb=thumb).state(window=Window(box=WINDOW))
    part = scrolling_part(TARGET, state)
    assert part is not None
    assert abs(part.x - PANE.x) <= 2 and abs(part.right - PANE.right) <= 18
    assert abs(part.y - PANE.y) <= 4 and abs(part.bottom - PANE.bottom) <= 6


@pytest.mark.parametrize("style", STYLES)
def test_what_is_right_of_the_bar_or_in_another_window_is_not_in_the_pane(style):
    canvas = screen(style)
    assert scroll_bar(canvas.pixels, Box(1060, 300, 100, 28), Box(0, 0, 1280, 800)) is None
    assert scrolling_part(TARGET, canvas.state(window=Window(box=Box(100, 60, 700, 600)))) is None


def test_without_a_bar_nothing_scrolls():
    canvas = Canvas(1280, 800)
    for row in range(12):
        canvas.text(f"Record {row}", 320, 135 + 40 * row)
        canvas.field(Box(500, 130 + 40 * row, 200, 28), "x")
        canvas.button("Open", Box(800, 130 + 40 * row, 80, 28))
    assert scrolling_part(Box(320, 215, 60, 16), canvas.state()) is None


def test_a_list_that_fills_its_frame_scrolls_and_one_that_ends_before_does_not():
    def state(rows: int):
        canvas = Canvas(1000, 700)
        frame = canvas.field(Box(100, 100, 400, 400))
        for row in range(rows):
            canvas.text(f"Record {row}", 120, 110 + 30 * row)
        return canvas.state(elements=[Element(box=frame, role=ElementRole.GROUP)])

    assert scrolling_part(Box(120, 200, 80, 16), state(13)) == Box(100, 100, 400, 400)
    assert scrolling_part(Box(120, 200, 80, 16), state(7)) is None


@pytest.mark.parametrize("box", [Box(0, 0, 10, 10), Box(1270, 790, 10, 10), Box(0, 0, 1280, 800), Box(1279, 0, 1, 1)])
def test_the_edges_of_the_screen_are_no_trouble(box):
    assert scrolling_part(box, Canvas(1280, 800).state()) is None


@pytest.mark.timing
def test_it_is_quick_enough_to_be_asked_at_every_click_that_is_taught():
    state = screen("chromium").state()
    started = time.process_time()
    scrolling_part(Box(10, 300, 40, 20), state)
    assert time.process_time() - started < 0.5
