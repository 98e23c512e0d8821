"""Text that arrives byte by byte in a real application, whatever the keyboard is like (D10)."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from execution.desktop import x11_keyboard
from execution.desktop.base import DesktopError
from execution.desktop.capture import settle
from execution.desktop.x11 import X11Desktop
from execution.types import Point
from tests.execution.desktop.events import catcher
from tests.support.display import VirtualDesktop, wait_until

pytestmark = pytest.mark.display

NASTY = (
    "Ünïcödé é ç œ Œ € @ # ~ ^ ` \\ | { } [ ] < > & \" ' “quotes” ‘x’ — – … ÀÉÈÇ ß ÿ Ÿ\t€\n"
    "日本語 中文 한국어 Ελληνικά Кириллица עברית 😀🎉👩\u200d💻 ﬁ ½ × ÷ °C 𝒳\n"
    "AZERTY qwerty 0123456789 !@#$%^&*()_+-=;:,./?\n\tend"
)
# More different characters than there are spare keys.
MANY = "".join(chr(0x4E00 + number) for number in range(120))


@pytest.fixture
def layout(screen: VirtualDesktop) -> Iterator[Callable[..., None]]:
    def choose(*arguments: str) -> None:
        screen.run(["setxkbmap", "-option", "", *arguments])

    yield choose
    choose("-layout", "us", "-variant", "")


def _mapping(desktop: X11Desktop) -> list[tuple[int, ...]]:
    return desktop._keyboard._layout().symbols


@pytest.mark.parametrize("arguments", [["us"], ["fr"], ["de"], ["us,fr"], ["fr", "bepo"]], ids="-".join)
def test_any_text_arrives_exactly_on_any_layout(
    layout: Callable[..., None], desktop: X11Desktop, editor: Callable[[], str], arguments: list[str]
) -> None:
    layout("-layout", arguments[0], "-variant", "".join(arguments[1:]))
    before = _mapping(desktop)
    desktop.type_text(NASTY)
    assert editor() == NASTY
    assert _mapping(desktop) == before


def test_more_different_characters_than_spare_keys_arrive_in_turns(
    desktop: X11Desktop, editor: Callable[[], str]
) -> None:
    desktop.type_text(MANY)
    assert editor() == MANY


def test_the_second_group_of_a_keyboard_is_typed_on_as_well(
    screen: VirtualDesktop, layout: Callable[..., None], desktop: X11Desktop, editor: Callable[[], str]
) -> None:
    layout("-layout", "us,fr", "-option", "grp:caps_toggle")
    caps_key = 66
    desktop._keyboard._hold([caps_key])
    assert desktop._keyboard._layout()._group == 1
    desktop.type_text(NASTY)
    desktop._keyboard._hold([caps_key])
    assert editor() == NASTY


def test_caps_lock_and_held_modifiers_do_not_change_the_text(desktop: X11Desktop, editor: Callable[[], str]) -> None:
    desktop.press(["capslock"])
    keyboard = desktop._keyboard
    layout = keyboard._layout()
    for row in (0, 2, 3):  # Shift, Control, Alt
        keyboard._fake(layout._modifier_rows[row][0], down=True)
    try:
        desktop.type_text("Voilà: aB é É 12")
        assert keyboard._mask() & x11_keyboard.LOCK_MASK, "Caps Lock is as it was found"
        assert keyboard._keys_down() == []
    finally:
        desktop.press(["capslock"])
    assert editor() == "Voilà: aB é É 12"


@pytest.mark.timing
def test_text_is_typed_faster_than_a_hundred_characters_a_second(
    desktop: X11Desktop, editor: Callable[[], str]
) -> None:
    text = "Contrôle à 3 mois, TA 12/8. Œdème léger — à revoir.\n" * 20
    started = time.monotonic()
    desktop.type_text(text)
    took = time.monotonic() - started
    assert editor() == text.removesuffix("\n")
    assert len(text) / took > 100


PAGE = """<title>loading</title><textarea autofocus style="width:90%;height:80%"></textarea><script>
const area = document.querySelector("textarea");
window.onload = () => requestAnimationFrame(() => requestAnimationFrame(() => { document.title = "page"; }));
area.oninput = () => { document.title = `${area.value.length} typed`; };
area.onkeydown = (event) => {
  if (event.key === "F9") document.title = "T:" + encodeURIComponent(area.value);
  if (event.key === "Tab") { event.preventDefault(); document.execCommand("insertText", false, "\\t"); }
};
</script>"""


@pytest.mark.browser
def test_any_text_arrives_exactly_in_a_browser(screen: VirtualDesktop, desktop: X11Desktop, tmp_path: Path) -> None:
    """Chromium gives multimedia keys a meaning of their own, whatever they are mapped to, and reads mappings late."""
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    options = ["--no-sandbox", "--no-first-run", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    process = screen.spawn(["chromium", *options, f"--app=file://{page}"])
    try:
        window = screen.wait_for_window("page", timeout=60)
        assert settle(desktop, timeout_ms=15000).settled, "the page is there"
        desktop.click(Point(window.x + window.width // 2, window.y + window.height // 2))
        settle(desktop)
        desktop.type_text(NASTY)
        desktop.press(["f9"])
        title = screen.wait_for_window("T:", active=False).title
        assert unquote(title.split(" - ")[0].removeprefix("T:")) == NASTY
    finally:
        screen.end(process)


def test_windows_newlines_are_one_return_each(desktop: X11Desktop, editor: Callable[[], str]) -> None:
    desktop.type_text("a\r\nb\rc\nd")
    assert editor() == "a\nb\nc\nd"


def test_a_chord_with_a_character_that_the_layout_lacks_arrives(
    own_screen: VirtualDesktop, own_desktop: X11Desktop
) -> None:
    with catcher(own_screen) as events:
        own_desktop.press(["ctrl", "é"])
        assert len(events.wait_for(4)) == 4
    assert own_desktop._keyboard._layout().stroke_for("é") is None, "the borrowed key was given back"


def test_the_keyboard_is_given_back_when_typing_fails(own_desktop: X11Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _mapping(own_desktop)

    def break_off(*_: object, **__: object) -> None:
        raise DesktopError("broken off")

    monkeypatch.setattr(type(own_desktop._keyboard), "_let_it_read", break_off)
    with pytest.raises(DesktopError, match="broken off"):
        own_desktop.type_text("é")
    assert _mapping(own_desktop) == before


def test_release_all_gives_back_keys_that_a_killed_typist_had_borrowed_s9_2(
    own_screen: VirtualDesktop, own_desktop: X11Desktop
) -> None:
    before = _mapping(own_desktop)
    typist = subprocess.Popen([sys.executable, "-c", TYPIST, own_screen.display], env=own_screen.env)
    wait_until(lambda: _mapping(own_desktop) != before, what="a borrowed key")
    typist.send_signal(signal.SIGKILL)
    typist.wait(60)
    assert _mapping(own_desktop) != before
    own_desktop.release_all()
    assert _mapping(own_desktop) == before


TYPIST = """
import sys
from execution.desktop.x11 import X11Desktop
desktop = X11Desktop(sys.argv[1])
while True:
    desktop.type_text("日本語é" * 20)
"""


def test_an_application_that_hangs_is_reported_and_the_keyboard_given_back(
    screen: VirtualDesktop, desktop: X11Desktop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "hangs.txt"
    path.touch()
    process = screen.spawn(["mousepad", "--disable-server", str(path)])
    screen.wait_for_window(path.name)
    before = _mapping(desktop)
    monkeypatch.setattr(x11_keyboard, "ANSWER_S", 0.3)
    process.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(DesktopError, match="has not read its keyboard"):
            desktop.type_text("é")
        assert _mapping(desktop) == before
    finally:
        process.send_signal(signal.SIGCONT)
        screen.end(process)
