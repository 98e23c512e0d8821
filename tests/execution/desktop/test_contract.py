"""What every desktop does alike (S1.14, S2.7, S9.2), run against each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from execution.desktop.base import Desktop, DesktopError, UnknownKey
from execution.desktop.native import NativeDesktop
from execution.desktop.recorded import RecordedDesktop
from execution.types import Point, Window, pixels_digest
from tests.doubles.native_desktop import FakeMss, FakePlatform, FakePyautogui
from tests.doubles.patient_record import patient_desktop
from tests.support.display import virtual_desktop


def _recorded(folder: Path) -> Desktop:
    for number, shade in enumerate((40, 120, 200)):
        Image.new("RGB", (320, 200), (shade, 60, 90)).save(folder / f"{number}.png")
    return RecordedDesktop(folder)


def _native(folder: Path) -> Desktop:
    return NativeDesktop(platform=FakePlatform(), mss_module=FakeMss(), pyautogui_module=FakePyautogui())


MAKERS: dict[str, Callable[[Path], Desktop]] = {
    "recorded": _recorded,
    "scripted": lambda folder: patient_desktop(),
    "native": _native,
}


@pytest.fixture(params=[*MAKERS, pytest.param("x11", marks=pytest.mark.display)])
def any_desktop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desktop]:
    if request.param != "x11":
        made = MAKERS[request.param](tmp_path)
        yield made
        made.close()
        return
    from execution.desktop.x11 import X11Desktop

    with virtual_desktop(640, 400, window_manager=False) as screen:
        made = X11Desktop(screen.display)
        yield made
        made.close()


def test_a_frame_is_the_whole_desktop_in_bgr_with_digest_and_time(any_desktop: Desktop) -> None:
    frame = any_desktop.grab()
    assert frame.pixels.dtype == np.uint8
    assert frame.pixels.shape[2] == 3
    assert frame.pixels.flags.c_contiguous
    assert frame.size == any_desktop.identity().size
    assert frame.digest == pixels_digest(frame.pixels)
    assert frame.taken_at.tzinfo is not None
    assert (frame.origin, frame.scale) == (Point(0, 0), 1.0)


def test_an_unchanged_desktop_gives_equal_digests_and_frames_of_its_own(any_desktop: Desktop) -> None:
    first, second = any_desktop.grab(), any_desktop.grab()
    assert first.digest == second.digest
    first.pixels[:] = 0
    assert pixels_digest(second.pixels) == second.digest


def test_identity_is_the_same_each_time_it_is_asked_s9_2(any_desktop: Desktop) -> None:
    assert any_desktop.identity() == any_desktop.identity()
    assert any_desktop.identity().name == any_desktop.name


def test_window_is_a_window_or_none_s2_7(any_desktop: Desktop) -> None:
    window = any_desktop.window()
    assert window is None or (isinstance(window, Window) and isinstance(window.title, str))


def test_every_act_is_taken(any_desktop: Desktop) -> None:
    any_desktop.move(Point(5, 6))
    any_desktop.click(Point(10, 10), button="right")
    any_desktop.click(Point(10, 10), count=2)
    any_desktop.drag(Point(10, 10), Point(60, 40))
    any_desktop.scroll(Point(10, 10), dx=-1, dy=3)
    any_desktop.press(["CTRL", "Shift", "s"])
    any_desktop.press(["Return"])
    any_desktop.type_text("né à 12 €\n\t“x”")
    any_desktop.release_all()
    assert any_desktop.grab().size == any_desktop.identity().size


@pytest.mark.parametrize("point", [Point(-1, 5), Point(5, 100_000)])
def test_a_point_outside_is_refused_and_the_size_named(any_desktop: Desktop, point: Point) -> None:
    size = any_desktop.identity().size
    for act in (any_desktop.click, any_desktop.move, any_desktop.scroll, lambda p: any_desktop.drag(Point(1, 1), p)):
        with pytest.raises(DesktopError, match=f"{size.width} × {size.height}"):
            act(point)


def test_an_unknown_key_is_refused_and_the_keys_are_listed(any_desktop: Desktop) -> None:
    with pytest.raises(UnknownKey, match=r"“hyper”.*ctrl.*pagedown.*f12"):
        any_desktop.press(["ctrl", "hyper"])
    for nothing in ((), "ctrl"):
        with pytest.raises(UnknownKey, match="A chord is a list"):
            any_desktop.press(nothing)


@pytest.mark.parametrize(("text", "named"), [("ab\x07", "Character 3.*0007"), ("\ud800", "D800"), ("\x85", "0085")])
def test_what_no_keyboard_types_is_refused_and_named(any_desktop: Desktop, text: str, named: str) -> None:
    with pytest.raises(DesktopError, match=named):
        any_desktop.type_text(text)


def test_closing_twice_is_harmless(any_desktop: Desktop) -> None:
    any_desktop.close()
    any_desktop.close()
