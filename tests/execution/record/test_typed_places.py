"""A secret's field is known by what surrounds it: hidden while it is in sight, and in doubt (S10.3, S10.4)."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from execution.record.typed_places import TypedPlace
from execution.types import Box, Size

pytestmark = pytest.mark.security

SIZE = Size(800, 600)
FIELD = Box(250, 200, 300, 32)
SHADE = (190, 180, 175)
BLUE = (230, 120, 30)
RINGS = [(0, 3), (0, 4), (1, 3), (2, 2), (2, 3)]  # pixels between a field and its ring, and how thick it is


def text(pixels: np.ndarray, said: str, x: int, y: int) -> None:
    cv2.putText(pixels, said, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (40, 40, 40), 1, cv2.LINE_AA)


def page(*said: str, ground: int = 255) -> np.ndarray:
    pixels = np.full((SIZE.height, SIZE.width, 3), ground, np.uint8)
    for n, line in enumerate(said):
        text(pixels, line, 40, 40 + 28 * n)
    return pixels


def form(typed: str = "", *, at: Box = FIELD, border: tuple[int, int, int] = SHADE, thick: int = 1) -> np.ndarray:
    """A field without a caption near it: its outline alone tells it."""
    pixels = page("Sign in")
    cv2.rectangle(pixels, (at.x, at.y), (at.right - 1, at.bottom - 1), border, thick)
    text(pixels, typed, at.x + 8, at.bottom - 10)
    return pixels


def glowing(typed: str) -> np.ndarray:
    """As a focused field is often drawn: a pale ring around an outline of another colour."""
    pixels = form(typed, border=BLUE, thick=2)
    ring = FIELD.grown(3, SIZE)
    cv2.rectangle(pixels, (ring.x, ring.y), (ring.right - 1, ring.bottom - 1), (255, 225, 200), 3)
    cv2.rectangle(pixels, (FIELD.x, FIELD.y), (FIELD.right - 1, FIELD.bottom - 1), BLUE, 1)
    return pixels


def ringed(typed: str, *, offset: int, thick: int, at: Box = FIELD, ground: np.ndarray | None = None) -> np.ndarray:
    """As a browser draws an `outline`, or a ring of shadows with a gap: opaque, around the field."""
    pixels = form(typed, at=at) if ground is None else ground
    for n in range(offset, offset + thick):
        ring = at.grown(n + 1, SIZE)
        cv2.rectangle(pixels, (ring.x, ring.y), (ring.right - 1, ring.bottom - 1), (207, 95, 0), 1)
    return pixels


def login(typed: str = "", *, left: int = 120, top: int = 120, zoom: float = 1.0, ring: int = 0) -> np.ndarray:
    """A small window with two fields alike over a page full of words: the lower one takes the secret."""
    pixels = page(*["DUPONT Lea 12.03.1951 Ward 3, seen by the doctor of the ward on duty"] * 20)
    around = Box(left, top, round(320 * zoom), round(190 * zoom))
    cv2.rectangle(pixels, (around.x, around.y), (around.right - 1, around.bottom - 1), (248, 248, 248), -1)
    cv2.rectangle(pixels, (around.x, around.y), (around.right - 1, around.bottom - 1), (90, 90, 90), 1)
    for said, down in (("User name", 20), ("Password", 90)):
        caption = (left + round(20 * zoom), top + round((down + 14) * zoom))
        cv2.putText(pixels, said, caption, cv2.FONT_HERSHEY_SIMPLEX, 0.5 * zoom, (40, 40, 40), 1, cv2.LINE_AA)
        at = secret_field(left, top, zoom) if down == 90 else secret_field(left, top - round(70 * zoom), zoom)
        cv2.rectangle(pixels, (at.x, at.y), (at.right - 1, at.bottom - 1), (255, 255, 255), -1)
        cv2.rectangle(pixels, (at.x, at.y), (at.right - 1, at.bottom - 1), SHADE, 1)
        cv2.putText(
            pixels, "surgeon7" if down == 20 else typed, (at.x + 8, at.bottom - round(9 * zoom)),
            cv2.FONT_HERSHEY_SIMPLEX, 0.5 * zoom, (40, 40, 40), 1, cv2.LINE_AA,
        )  # fmt: skip
    at = secret_field(left, top, zoom)
    return ringed("", offset=0, thick=ring, at=at, ground=pixels) if ring else pixels


def secret_field(left: int, top: int, zoom: float = 1.0) -> Box:
    return Box(left + round(20 * zoom), top + round(110 * zoom), round(280 * zoom), round(30 * zoom))


def underlined(typed: str, *, thick: int = 1) -> np.ndarray:
    pixels = page("Sign in")
    cv2.rectangle(pixels, (FIELD.x, FIELD.bottom - thick), (FIELD.right - 1, FIELD.bottom - 1), (90, 90, 90), -1)
    text(pixels, typed, FIELD.x + 2, FIELD.bottom - 10)
    return pixels


def covered(by: Box, *, dimmed: float = 1.0) -> np.ndarray:
    pixels = (form("hunter2") * dimmed).astype(np.uint8)
    cv2.rectangle(pixels, (by.x, by.y), (by.right - 1, by.bottom - 1), (250, 250, 250), -1)
    cv2.rectangle(pixels, (by.x, by.y), (by.right - 1, by.bottom - 1), (60, 60, 60), 1)
    text(pixels, "Please wait", by.x + 20, by.y + 30)
    return pixels


def table(first: int, height: int) -> np.ndarray:
    pixels = page()
    for n, y in enumerate(range(first, SIZE.height, height)):
        cv2.rectangle(pixels, (20, y), (780, y + height), SHADE, 1)
        for x in (30, 170, 330, 520):
            text(pixels, f"DUPONT Lea {n}", x, y + height - 9)
    return pixels


def boxes(place: TypedPlace, pixels: np.ndarray) -> list[Box]:
    return [Box.from_normalised(one, SIZE) for one in place.within(pixels)]


def typed_on(pixels: np.ndarray) -> TypedPlace:
    return TypedPlace.on(FIELD.grown(2, SIZE).normalised(SIZE), pixels)


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (form(), form("hunter2")),
        (form(), form("hunter2", border=BLUE, thick=2)),
        (form(), glowing("hunter2")),
        (glowing(""), form("hunter2")),
        (form(border=BLUE, thick=2), form("a secret that fills the whole field up")),
        *((form(), ringed("hunter2", offset=gap, thick=ring)) for gap, ring in RINGS),
        (ringed("", offset=2, thick=2), form("hunter2")),
        (underlined(""), underlined("hunter2", thick=2)),
        (form(), (form("hunter2") * 0.4).astype(np.uint8)),
        (form(), covered(Box(300, 150, 400, 200))),
        (form(), covered(Box(100, 150, 400, 200))),
        (form(), covered(Box(300, 100, 200, 300), dimmed=0.5)),
        (form(), covered(Box(200, 100, 400, 118))),
        (form(), covered(Box(264, 100, 400, 300))),
    ],
    ids=[
        "typed", "focused", "glowing", "no longer glowing", "full", *(f"ring {ring}" for ring in RINGS),
        "no longer ringed", "underlined", "dimmed", "its end covered",
        "its beginning covered", "its middle covered", "its upper half covered", "all but a letter covered",
    ],
)  # fmt: skip
def test_a_field_that_is_in_sight_is_found_where_it_was(then: np.ndarray, now: np.ndarray) -> None:
    assert boxes(typed_on(then), now) == [FIELD.grown(2, SIZE)]


@pytest.mark.parametrize("down", [-150, -3, 2, 60, 300])
@pytest.mark.parametrize("aside", [-8, 0, 8])
def test_a_field_that_was_moved_is_found_where_it_is(down: int, aside: int) -> None:
    """A page that scrolled, a message above it, a scroll bar beside it."""
    at = Box(FIELD.x + aside, FIELD.y + down, FIELD.w, FIELD.h)
    found = boxes(typed_on(form()), form("hunter2", at=at))
    assert any(box.intersection(at).area >= 0.9 * at.area for box in found)


@pytest.mark.parametrize("ring", [0, 3])
@pytest.mark.parametrize(("left", "top"), [(160, 120), (420, 120), (20, 60), (400, 380), (120, 190)])
def test_a_field_whose_window_was_moved_is_found_where_it_is(left: int, top: int, ring: int) -> None:
    """Dragged, centred anew, beside a panel that came; by the pitch of the fields another one stands in its place."""
    before = login()
    place = TypedPlace.on(secret_field(120, 120).grown(2, SIZE).normalised(SIZE), before)
    at = secret_field(left, top)
    found = boxes(place, login("hunter2", left=left, top=top, ring=ring))
    assert any(box.intersection(at).area >= 0.95 * at.area for box in found)


@pytest.mark.parametrize("zoom", [0.75, 0.8, 0.9, 1.05, 1.1, 1.2, 1.25, 1.33, 1.5])
@pytest.mark.parametrize("ring", [0, 3])
def test_a_field_of_a_page_that_was_zoomed_is_found(zoom: float, ring: int) -> None:
    place = TypedPlace.on(secret_field(120, 120).grown(2, SIZE).normalised(SIZE), login())
    at = secret_field(90, 140, zoom)
    found = boxes(place, login("hunter2", left=90, top=140, zoom=zoom, ring=ring))
    assert any(box.intersection(at).area >= 0.9 * at.area for box in found)


@pytest.mark.parametrize("aside", [-200, -40, 60, 220])
def test_a_field_that_nothing_captions_is_found_far_aside_with_its_ring(aside: int) -> None:
    at = Box(FIELD.x + aside, FIELD.y + 30, FIELD.w, FIELD.h)
    for now in (form("hunter2", at=at), ringed("hunter2", offset=2, thick=2, at=at)):
        found = boxes(typed_on(form()), now)
        assert any(box.intersection(at).area >= 0.9 * at.area for box in found)


@pytest.mark.parametrize(("aside", "down"), [(0, 61), (-150, 3), (90, -70), (201, 250)])
def test_a_field_that_is_a_line_alone_is_found_where_it_moved(aside: int, down: int) -> None:
    at = Box(FIELD.x + aside, FIELD.y + down, FIELD.w, FIELD.h)
    found = boxes(typed_on(underlined("")), np.roll(underlined("hunter2"), (down, aside), (0, 1)))
    assert any(box.intersection(at).area >= 0.9 * at.area for box in found)


def test_what_follows_a_login_in_a_small_window_is_not_hidden() -> None:
    place = TypedPlace.on(secret_field(120, 120).grown(2, SIZE).normalised(SIZE), login())
    for other in (page("Patients", "DUPONT Lea"), table(3, 24), table(11, 28), table(17, 31)):
        assert boxes(place, other) == []


def test_while_what_surrounds_the_field_stands_its_row_stays_hidden_where_its_outline_is_not_known() -> None:
    now = login("hunter2")
    at = secret_field(120, 120)
    ring = at.grown(8, SIZE)
    speckled = np.random.default_rng(7).integers(0, 255, (ring.h, ring.w, 3), np.uint8)
    now[ring.y : ring.bottom, ring.x : ring.right] = speckled
    place = TypedPlace.on(at.grown(2, SIZE).normalised(SIZE), login())
    found = boxes(place, now)
    assert any(box.holds(at) and box.w > at.w + 20 for box in found)


def test_how_it_looked_with_the_focus_is_learnt_too() -> None:
    """Then one corner that a window over it leaves is enough."""
    at = secret_field(120, 120)
    place = TypedPlace.on(at.grown(2, SIZE).normalised(SIZE), login())
    half = login("hunter2", ring=4)
    half[:, at.x + 40 :] = 250
    half[: at.y - 12] = 250
    place = place.learnt_anew(login("hunter2", ring=4))
    assert place.box in place.within(half)


@pytest.mark.parametrize(
    "other",
    [
        page("Patients", "DUPONT Lea", "MARTIN Anna"),
        page(*["DUPONT Lea 12.03.1951 Ward 3, seen today by the doctor of the ward on duty"] * 20),
        *(table(first, height) for first in (3, 11, 17, 24) for height in (24, 28, 31)),
        page(ground=40),
        covered(Box(200, 150, 400, 200)),
    ],
)
def test_what_stands_there_on_another_screen_is_not_hidden(other: np.ndarray) -> None:
    assert boxes(typed_on(form()), other) == []


@pytest.mark.parametrize("draw", [lambda: page(), lambda: page("DUPONT Lea")])
def test_where_nothing_told_the_field_its_place_stays_hidden(draw: Callable[[], np.ndarray]) -> None:
    assert boxes(typed_on(page("Sign in")), draw()) == [FIELD.grown(2, SIZE)]


@pytest.mark.parametrize("where", [(0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 0.5)])
def test_where_nothing_surrounds_it_the_place_stays_hidden(where: tuple[float, float, float, float]) -> None:
    """All of the screen, where nobody knows the field: the screen's own edge tells nothing."""
    then = table(3, 24)
    cv2.rectangle(then, (0, 0), (SIZE.width - 1, SIZE.height - 1), (60, 60, 60), 4)
    cv2.line(then, (0, SIZE.height // 2), (SIZE.width, SIZE.height // 2), (60, 60, 60), 3)
    assert TypedPlace.on(where, then).within(page("Patients", ground=40)) == (where,)


def test_a_place_of_which_no_picture_is_left_stays_hidden() -> None:
    place = TypedPlace(FIELD.normalised(SIZE))
    assert boxes(place, table(3, 24)) == [FIELD]


def test_on_a_screen_of_another_size_the_place_stays_hidden() -> None:
    place = typed_on(form())
    assert place.within(np.full((300, 400, 3), 255, np.uint8)) == (place.box,)


def test_what_was_painted_over_then_tells_nothing() -> None:
    """S10.4: a picture that was kept has grey where a region is hidden."""
    kept = form()
    hides = FIELD.grown(30, SIZE)
    kept[hides.y : hides.bottom, hides.x : hides.right] = 128
    place = TypedPlace.on(FIELD.normalised(SIZE), kept, unseen=[hides.normalised(SIZE)])
    assert boxes(place, form("hunter2")) == [FIELD]
    half = Box(FIELD.x - 30, 0, 200, 600)
    place = TypedPlace.on(FIELD.normalised(SIZE), form(), unseen=[half.normalised(SIZE)])
    assert boxes(place, form("hunter2")) == [FIELD]
    assert boxes(place, table(3, 24)) == []
