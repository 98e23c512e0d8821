"""Scrolling to find what is not on the screen: every decision, without a desktop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from execution.turn.scrolling import ScrollSearch, resting_point, scrolled_area, shift
from execution.types import Box, Element, ElementRole, ScreenState, Window
from tests.execution.perception.drawing import Canvas, frame
from workflows.graph import NeighbourSpec, TargetSpec

PANE = Box(100, 100, 600, 400)
SCREEN = (900, 600)
ROW = 40
PANE_AND_BAR = Box(80, 80, 660, 440)


class Pane:
    """A list of rows that scrolls in PANE; `per_click` pixels for a click of the wheel."""

    def __init__(self, rows: int, *, per_click: int = 50, at: int = 0, header: bool = False) -> None:
        self.page = Canvas(PANE.w, max(PANE.h, rows * ROW))
        for row in range(rows):
            self.page.text(f"Record {row * 7919 % 10007} {'abcdefgh'[row % 8] * (1 + row % 5)}", 20, row * ROW + 12)
        self.pixels, self.per_click, self.header = self.page.pixels, per_click, header
        self.most = self.pixels.shape[0] - PANE.h
        self.at = min(at, self.most)
        self.shown: set[int] = set()

    def scroll(self, clicks: int) -> None:
        self.at = min(self.most, max(0, self.at + clicks * self.per_click))

    def state(self) -> ScreenState:
        screen = np.full((SCREEN[1], SCREEN[0], 3), 230, np.uint8)
        screen[PANE.y : PANE.bottom, PANE.x : PANE.right] = self.pixels[self.at : self.at + PANE.h]
        if self.header:
            screen[PANE.y : PANE.y + 40, PANE.x : PANE.right] = self.pixels[:40]
        self.shown |= {row for row in range(10_000) if self.at <= row * ROW and (row + 1) * ROW <= self.at + PANE.h}
        return ScreenState(frame=frame(screen), text_method="truth")


def target(**changes) -> TargetSpec:
    normal = (PANE.x / SCREEN[0], PANE.y / SCREEN[1], PANE.w / SCREEN[0], PANE.h / SCREEN[1])
    base = TargetSpec(target_id="t", label="x", scroll_box=normal, screen_size=SCREEN, box=(0.2, 0.3, 0.1, 0.05))
    return replace(base, **changes)


def look_through(pane: Pane, search: ScrollSearch) -> None:
    while (scroll := search.next_scroll()) is not None:
        assert PANE.contains(scroll.point)
        pane.scroll(scroll.dy)
        search.saw(pane.state())


@pytest.mark.parametrize(
    ("per_click", "start", "header"),
    [
        (15, 0, False),
        (53, 700, True),
        (120, 0, True),
        (350, 700, True),
    ],
)
def test_every_row_is_seen_from_wherever_it_begins_and_however_far_a_click_goes(per_click, start, header):
    pane = Pane(40, per_click=per_click, at=start, header=header)
    search = ScrollSearch(target(), pane.state(), most=200)
    look_through(pane, search)
    hidden = {0} if header else set()  # the header lies over it
    assert pane.shown - hidden == set(range(40)) - hidden
    assert search.why_ended == "looked through to its end and to its start"
    assert pane.at == 0


def test_down_comes_first_and_what_was_seen_is_passed_in_one_go():
    pane = Pane(60, at=800)
    search = ScrollSearch(target(), pane.state())
    clicks = []
    while (scroll := search.next_scroll()) is not None:
        clicks.append(scroll.dy)
        pane.scroll(scroll.dy)
        search.saw(pane.state())
    turn = next(i for i, dy in enumerate(clicks) if dy < 0)
    assert all(dy > 0 for dy in clicks[:turn]) and all(dy < 0 for dy in clicks[turn:])
    assert clicks[turn] == min(clicks) < -10
    assert search.done == len(clicks) < 30


def test_a_scroll_that_passed_more_than_a_view_is_taken_back_and_made_smaller():
    pane = Pane(200, per_click=150)
    search = ScrollSearch(target(), pane.state())
    first = search.next_scroll()
    pane.scroll(first.dy)
    search.saw(pane.state())
    back = search.next_scroll()
    assert (back.dy, search.too_far) == (-first.dy, 1)
    pane.scroll(back.dy)
    search.saw(pane.state())
    assert 0 < search.next_scroll().dy < first.dy


def test_what_does_not_scroll_is_given_up_after_a_try_each_way():
    pane = Pane(5)
    search = ScrollSearch(target(), pane.state())
    look_through(pane, search)
    assert (search.done, search.why_ended) == (2, "nothing scrolls there")


def test_a_target_that_was_taught_in_nothing_that_scrolls_is_not_looked_for():
    search = ScrollSearch(target(scroll_box=None), Pane(60).state())
    assert search.next_scroll() is None
    assert search.why_ended == "the target was not taught inside something that scrolls"


@pytest.mark.parametrize(
    "box", [(0.2, 0.3, 0.1, 0.05), (0.2, 0.95, 0.1, 0.04)], ids=["in it", "below a smaller window"]
)
def test_a_list_that_scrolls_now_is_looked_through_though_it_did_not_when_it_was_taught(box):
    pane = Pane(60)
    state = pane.state()
    pixels = state.frame.pixels.copy()
    pixels[PANE.y : PANE.bottom, PANE.right : PANE.right + 12] = 250
    pixels[PANE.y : PANE.y + 90, PANE.right : PANE.right + 12] = 140  # its thumb
    state = ScreenState(frame=frame(pixels), window=Window(box=PANE_AND_BAR), text_method="truth")
    area = scrolled_area(target(scroll_box=None, box=box), state)
    assert area is not None
    assert (area.y, area.right, area.h) == (PANE.y, PANE.right, PANE.h)
    assert ScrollSearch(target(scroll_box=None, box=box), state).next_scroll() is not None


def test_a_list_without_an_end_is_given_up():
    pane = Pane(60)
    search = ScrollSearch(target(), pane.state(), most=4)
    look_through(pane, search)
    assert (search.done, search.why_ended) == (4, "not found in 4 scrolls")


def test_a_candidate_of_a_target_with_twins_waits_until_all_was_seen():
    pane = Pane(60)
    twins = ScrollSearch(target(alike=5, number=3), pane.state())
    first = Box(300, 200, 100, 30)
    assert not twins.found(first)
    scroll = twins.next_scroll()
    pane.scroll(scroll.dy)
    twins.saw(pane.state())
    assert not twins.found(first._replace(y=first.y - pane.at))
    assert len(twins.places) == 1  # the same one, moved with the list
    assert not twins.found(Box(300, 380, 100, 30))
    assert len(twins.places) == 2


@pytest.mark.parametrize(
    "evidence",
    [
        {"alike": 1},
        {"alike": 5, "row": ("{{record}}",)},
        {"alike": 5, "named_by": NeighbourSpec(text="Name:", dx=-90, dy=0)},
        {"alike": 5, "neighbours": (NeighbourSpec(text="Patient 4711", dx=-300, dy=2),)},
    ],
)
def test_a_candidate_that_is_told_from_its_twins_is_taken_at_once(evidence):
    assert ScrollSearch(target(**evidence), Pane(60).state()).found(Box(300, 200, 100, 30))


def test_the_one_place_of_a_candidate_is_come_back_to():
    pane = Pane(60)
    search = ScrollSearch(target(alike=2), pane.state())
    search.found(Box(300, 300, 100, 30))
    look_through(pane, search)
    assert search.found(Box(300, 300, 100, 30))
    pane.scroll(40)
    search._state, search.offset = pane.state(), pane.at
    (place,) = search.places
    back = search.back_to(place)
    pane.scroll(back.dy)
    assert PANE.y < place - pane.at < PANE.bottom


def test_the_pointer_rests_on_no_control_whose_value_the_wheel_would_change():
    state = Pane(60).state()
    assert resting_point(PANE, state) == PANE.center
    over = Element(box=Box(300, 200, 250, 200), role=ElementRole.FIELD)
    point = resting_point(PANE, replace(state, elements=(over,)))
    assert point is not None and PANE.contains(point) and not over.box.contains(point)
    everywhere = Element(box=PANE, role=ElementRole.BUTTON)
    assert resting_point(PANE, replace(state, elements=(everywhere,))) is None


def test_the_pane_moves_and_grows_with_its_window():
    window = Box(50, 50, 800, 500)
    inner = (0.2 * 900 - 50, 0.3 * 600 - 50)
    taught = target(window_box=(inner[0] / 800, inner[1] / 500, 90 / 800, 30 / 500), window_size=(800, 500))
    state = Canvas(1600, 1000).state(window=Window(box=Box(200, 100, 1000, 700)))
    assert scrolled_area(taught, state) == Box(250, 150, 800, 600)
    assert scrolled_area(taught, Canvas(*SCREEN).state(window=Window(box=window))) == PANE
    assert scrolled_area(taught, Canvas(*SCREEN).state(window=Window(box=Box(0, 0, 150, 150)))) is None


@pytest.mark.parametrize("by", [3, 37, -120, 250, 330])
def test_how_far_a_pane_went_is_seen_to_the_pixel(by):
    pane = Pane(60, at=1000)
    before = pane.state()
    pane.at += by
    assert shift(before, pane.state(), PANE) == by


def test_a_blinking_cursor_is_no_scroll_and_another_page_shares_nothing():
    pane = Pane(60, at=1000)
    before = pane.state()
    blink = before.frame.pixels.copy()
    blink[200:216, 300:302] = 0
    assert shift(before, replace(before, frame=frame(blink)), PANE) == 0
    pane.at = 1900
    assert shift(before, pane.state(), PANE) is None
