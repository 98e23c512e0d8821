"""What a person does on a real X server is heard, and what the product does there is not (S6.2).

The person is xdotool: another program whose acts come by the same XTEST device as the product's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from execution.desktop.base import DesktopError, DesktopUnavailable
from execution.desktop.recorded import RecordedDesktop
from execution.desktop.watching import Touch, watch
from execution.desktop.x11 import X11Desktop
from execution.types import Point
from tests.doubles.scripted import ScriptedDesktop
from tests.execution.desktop.events import catcher
from tests.support.display import VirtualDesktop, wait_until
from tests.support.scripted import screens

pytestmark = pytest.mark.display
WATCHES = 200


class Heard:
    """What was heard, in order; `text` is all that was written, one after the other."""

    def __init__(self) -> None:
        self.touches: list[Touch] = []

    def __call__(self, touch: Touch) -> None:
        self.touches.append(touch)

    def told(self) -> list[str]:
        return [" ".join(filter(None, (t.kind, t.keys, t.text))) for t in self.touches]

    @property
    def text(self) -> str:
        return "".join(touch.text for touch in self.touches)


@contextmanager
def hearing(desktop: X11Desktop, **more: object) -> Iterator[Heard]:
    heard = Heard()
    watching = watch(desktop, heard, **more)  # type: ignore[arg-type]
    try:
        yield heard
    finally:
        watching.stop()


@pytest.fixture
def person(screen: VirtualDesktop) -> Callable[..., None]:
    return lambda *words: screen.run(["xdotool", *words]) and None


@pytest.fixture
def layout(screen: VirtualDesktop) -> Iterator[Callable[..., None]]:
    def choose(*words: str) -> None:
        screen.run(["setxkbmap", *words])

    yield choose
    screen.run(["setxkbmap", "us", "-option", ""])


def keycodes(screen: VirtualDesktop, *codes: int, held: int = 0) -> None:
    """Keys by their place on the keyboard, as fingers press them, by a connection that is not the product's."""
    from Xlib import X, xauth
    from Xlib.display import Display

    xauth.print = lambda *_: None
    display = Display(f"unix/{screen.display}")
    for code in codes:
        for key in filter(None, (held, code)):
            display.xtest_fake_input(X.KeyPress, key)
        for key in filter(None, (code, held)):
            display.xtest_fake_input(X.KeyRelease, key)
    display.sync()
    display.close()


def test_a_persons_click_wheel_and_chord_are_heard_where_they_were(desktop, person) -> None:
    """S6.2"""
    with hearing(desktop) as heard:
        person("mousemove", "120", "140", "click", "1", "click", "3", "click", "5", "click", "8")
        person("key", "ctrl+shift+s", "shift+Tab", "Return", "alt+F4", "ctrl+space")
        wait_until(lambda: len(heard.touches) >= 11, what=f"all of it: {heard.told()}")
    assert heard.told() == [
        "down", "up", "down", "up", "wheel", "unknown",
        "keys ctrl+shift+s", "keys shift+tab", "keys enter", "keys alt+f4", "keys ctrl+space",
    ]  # fmt: skip
    assert [touch.button for touch in heard.touches[:4]] == ["left", "left", "right", "right"]
    assert {touch.point for touch in heard.touches[:4]} == {Point(120, 140)}
    assert heard.touches[4].dy == 1


def test_alt_held_with_several_tabs_is_not_alt_tab_done_several_times(desktop, person) -> None:
    """S6.2: that would come back to the window that it began from; with Alt let go between them it is."""
    with hearing(desktop) as heard:
        person("keydown", "alt", "key", "Tab", "key", "Tab", "keydown", "shift", "key", "Tab", "keyup", "shift")
        person("keyup", "alt", "key", "alt+Tab", "key", "alt+Tab", "key", "Tab", "key", "ctrl+Tab", "key", "ctrl+Tab")
        wait_until(lambda: len(heard.touches) >= 8, what=f"all of it: {heard.told()}")
    assert heard.told() == [
        "keys alt+tab", "unknown", "unknown", "keys alt+tab", "keys alt+tab", "keys tab", "keys ctrl+tab",
        "keys ctrl+tab",
    ]  # fmt: skip


def test_what_the_product_does_is_not_heard_though_a_person_acts_in_between(desktop, screen, person) -> None:
    """S6.2: both come by the same device, and all mixed up."""
    with catcher(screen), hearing(desktop) as heard:
        desktop.click(Point(50, 50))
        person("mousemove", "60", "70", "click", "1")
        desktop.type_text("own Œuvre 漢")
        person("type", "b")
        desktop.press(["ctrl", "s"])
        desktop.release_all()  # releases of buttons that are up make no event, and a person's comes right behind
        person("click", "1")
        desktop.drag(Point(10, 10), Point(90, 90))
        desktop.scroll(Point(10, 10), dy=3)
        person("key", "F5")
        wait_until(lambda: heard.told()[-1:] == ["keys f5"], what=f"the last key: {heard.told()}")
    assert heard.told() == ["down", "up", "text b", "down", "up", "keys f5"]


def test_own_acts_from_one_thread_while_a_person_types_in_another(desktop, screen, person) -> None:
    import threading

    with catcher(screen), hearing(desktop) as heard:
        done = threading.Event()

        def work() -> None:
            while not done.is_set():
                desktop.press(["x"])
                desktop.click(Point(5, 5))

        own = threading.Thread(target=work)
        own.start()
        person("type", "--delay", "4", "the quick brown fox jumps over the lazy dog")
        done.set()
        own.join()
        wait_until(lambda: len(heard.text) >= 43, what=heard.text)
    assert heard.text == "the quick brown fox jumps over the lazy dog"
    assert {touch.kind for touch in heard.touches} == {"text"}


@pytest.mark.parametrize(
    ("names", "codes", "text"),
    [
        (("fr",), [24, 25, 11, 19], "azéà"),  # the keys of q, w, 2 and 0
        (("fr,us",), [24, 25, 11, 19], "azéà"),
        (("ru",), [38, 39, 40], "фыв"),
        (("gr",), [38, 39], "ας"[:1] + "σ"),
        (("fr",), [34, 26, 34, 42], "êĝ"),  # the dead circumflex, then e and g
        (("us", "-variant", "intl"), [48, 26], "é"),  # a dead acute
    ],
    ids=["fr", "two layouts", "ru", "gr", "dead", "intl"],
)
def test_text_is_what_arrived_on_any_layout(desktop, screen, layout, names, codes, text) -> None:
    """S6.2: by the place of the keys; dead keys make one character."""
    with catcher(screen), hearing(desktop) as heard:
        layout(*names)
        keycodes(screen, *codes)
        wait_until(lambda: len(heard.text) >= len(text), what=heard.text)
    assert heard.text == text


def test_altgr_compose_and_caps_lock_write_what_they_write(desktop, screen, layout) -> None:
    with catcher(screen), hearing(desktop) as heard:
        layout("fr,us", "-option", "compose:menu")
        keycodes(screen, 26, held=108)  # AltGr with e
        keycodes(screen, 135, 32, 26)  # Menu is Compose: o e
        keycodes(screen, 66, 24, 66)  # Caps Lock around the a
        wait_until(lambda: len(heard.text) >= 3, what=heard.text)
    assert heard.text == "€œA"


def test_the_second_layout_is_heard_with_its_own_third_level(desktop, screen, layout) -> None:
    """Xlib's table for clients without layouts cannot tell whose third level it is."""
    with catcher(screen), hearing(desktop) as heard:
        layout("us,de", "-option", "grp:menu_toggle")
        keycodes(screen, 135)
        keycodes(screen, 24, held=108)
        keycodes(screen, 20)
        wait_until(lambda: len(heard.text) >= 2, what=heard.text)
        keycodes(screen, 135)
    assert heard.text == "@ß"


def test_a_chord_on_a_layout_without_latin_letters_is_named_by_the_latin_one(desktop, screen, layout) -> None:
    with hearing(desktop) as heard:
        layout("us,ru", "-option", "grp:menu_toggle")
        keycodes(screen, 135)
        keycodes(screen, 39, held=37)
        wait_until(lambda: heard.touches, what="the chord")
        keycodes(screen, 135)
    assert heard.told() == ["keys ctrl+s"]


def test_a_watch_that_ends_while_a_layout_is_followed_ends(desktop, screen) -> None:
    """Both ask the server at once: without taking turns one in some hundred waited for ever."""
    from Xlib import X
    from Xlib.display import Display

    display = Display(f"unix/{screen.display}")
    meaning = [tuple(display.get_keyboard_mapping(200, 1)[0])]
    for _ in range(WATCHES):
        with hearing(desktop):
            for _ in range(3):
                display.change_keyboard_mapping(200, meaning)
                for kind in (X.KeyPress, X.KeyRelease):
                    display.xtest_fake_input(kind, 38)
            display.sync()
    display.close()


def test_what_another_program_types_by_giving_keys_a_meaning_is_heard(desktop, screen, person) -> None:
    """A keyboard on the screen types so."""
    with catcher(screen), hearing(desktop) as heard:
        person("type", "Ł漢é")
        wait_until(lambda: len(heard.text) >= 3, what=heard.text)
    assert heard.text == "Ł漢é"


def test_a_hot_key_is_heard_and_reaches_no_application(desktop, screen, person) -> None:
    """S6.2: never typed into the application."""
    with catcher(screen) as caught, hearing(desktop, hot_keys=("ctrl+shift+f9",)) as heard:
        person("key", "ctrl+shift+F9")
        person("key", "a")
        wait_until(lambda: len(heard.touches) >= 2, what=f"two: {heard.told()}")
        wait_until(lambda: any(caught.keysym(s) == ord("a") for s in caught.collect()), what="the a")
    assert heard.told() == ["hot ctrl+shift+f9", "text a"]
    assert 0xFFC6 not in [caught.keysym(seen) for seen in caught.seen]
    person("key", "ctrl+shift+F9")  # given back


def test_a_hot_key_that_another_program_has_is_refused(desktop) -> None:
    other = X11Desktop(desktop.name)
    try:
        with hearing(other, hot_keys=("ctrl+shift+f9",)):
            with pytest.raises(DesktopError, match="Another program has"):
                watch(desktop, Heard(), hot_keys=("ctrl+shift+f9",))
            watch(desktop, Heard(), hot_keys=("ctrl+shift+f8",)).stop()
    finally:
        other.close()


def test_a_server_that_dies_ends_the_watch_and_nothing_else(own_desktop, own_screen) -> None:
    watching = watch(own_desktop, Heard())
    own_screen.kill_server()
    watching.stop()


def test_where_nothing_can_be_heard_it_is_said(tmp_path) -> None:
    with pytest.raises(DesktopUnavailable, match="only desktops shown by an X server"):
        watch(ScriptedDesktop(screens("one")), Heard())
    assert not hasattr(RecordedDesktop, "watch")
