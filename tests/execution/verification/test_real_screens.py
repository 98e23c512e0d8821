"""`navigate` and `visual_login` on real programs, seen by the real eyes (S5.1, S5.6)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from execution.desktop.base import Desktop
from execution.desktop.capture import settle
from execution.desktop.x11 import X11Desktop
from execution.navigation import handle_navigate_action, handle_visual_login_action
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import ActionStatus, Point, ScreenState, Window
from tests.execution.navigation.pages import login_of
from tests.support.browser import seen
from tests.support.display import missing_programs, virtual_desktop
from workflows.graph import NodeSpec
from workflows.secret import Login

WIDE, HIGH = 1000, 640


class RealHands:
    """What both share: `Hands` without a run behind it."""

    variables: Mapping[str, str] = {}
    texts: tuple[str, ...] = ()
    nodes: tuple[NodeSpec, ...] = ()

    def __init__(self, analyzer: ScreenAnalyzer) -> None:
        self._analyzer = analyzer
        self.deadline = time.monotonic() + 120
        self.opened: list[str] = []

    def stopped(self) -> bool:
        return time.monotonic() >= self.deadline

    def credential(self, name: str) -> Login:
        self.opened.append(name)
        return login_of("ada.martin", "Rosé-4711 xY")


class DesktopHands(RealHands):
    def __init__(self, analyzer: ScreenAnalyzer, desktop: Desktop) -> None:
        super().__init__(analyzer)
        self._desktop = desktop
        self.click, self.press, self.type_text = desktop.click, desktop.press, desktop.type_text

    def observe(self) -> ScreenState:
        return self._analyzer.analyze(self._desktop.grab(), self._desktop.window())

    def settle(self) -> ScreenState:
        frame = settle(self._desktop, settle_ms=300, timeout_ms=4000).frame
        return self._analyzer.analyze(frame, self._desktop.window())


class PageInBrowser(RealHands):
    """A page in a browser without a window: its picture is the screen, its own mouse and keyboard the hands."""

    def __init__(self, analyzer: ScreenAnalyzer, page: Any) -> None:
        super().__init__(analyzer)
        self._page = page

    def observe(self) -> ScreenState:
        return seen(self._analyzer, self._page)

    def settle(self) -> ScreenState:
        self._page.wait_for_timeout(250)
        return self.observe()

    def click(self, point: Point) -> None:
        self._page.mouse.click(point.x, point.y)

    def type_text(self, text: str) -> None:
        self._page.keyboard.type(text)

    def press(self, keys: Sequence[str]) -> None:
        names = {"ctrl": "Control"}
        keys = [names.get(key, key.capitalize() if len(key) > 1 else key) for key in keys]
        self._page.keyboard.press("+".join(keys))


# --- navigate in an editor -------------------------------------------------------------------------------------------
@pytest.fixture
def editor(analyzer: ScreenAnalyzer) -> Iterator[DesktopHands]:
    if missing := missing_programs("mousepad"):
        pytest.fail(f"install what this test needs: {', '.join(missing)}")
    with virtual_desktop(1280, 800) as screen:
        screen.spawn(["mousepad"])
        screen.wait_for_window("Mousepad")
        desktop = X11Desktop(screen.display)
        try:
            yield DesktopHands(analyzer, desktop)
        finally:
            desktop.close()


@pytest.mark.display
def test_a_menu_path_leads_to_its_dialog_and_nonsense_leaves_the_editor_as_it_was(editor: DesktopHands) -> None:
    editor.settle()
    before = editor.observe()
    nowhere = handle_navigate_action({"place": "asdf > qwer"}, context=editor)
    assert nowhere.status is ActionStatus.FAILED
    assert "File, Edit, Search, View, Document, Help" in nowhere.message

    half = handle_navigate_action({"place": "Edit > Fly to the moon"}, context=editor)
    assert half.status is ActionStatus.FAILED
    assert "closed again" in half.message, half.message
    texts = [sorted(line.text for line in state.texts) for state in (before, editor.settle())]
    assert texts[0] == texts[1]

    there = handle_navigate_action({"place": "File → Save As…"}, context=editor)
    assert there.status is ActionStatus.DONE, there.message
    assert (editor.settle().window or Window()).title == "Save As"
    again = handle_navigate_action({"place": "File > Save As"}, context=editor)
    assert (again.status, "Already" in again.message) == (ActionStatus.DONE, True)


# --- visual_login on a page ------------------------------------------------------------------------------------------
FORM = """<title>Ward</title><style>body {{ font: 15px "DejaVu Sans"; background: #f4f6f8 }}
form {{ width: 320px; margin: 60px auto; padding: 24px; background: white; border: 1px solid #ccd }}
input {{ width: 290px; padding: 8px; font: inherit; border: 1px solid #889; margin: 4px 0 14px }}
button {{ width: 308px; padding: 9px; font: inherit; background: #0a6; color: white; border: 0 }}</style>
<form onsubmit="event.preventDefault(); const ok = u.value === 'ada.martin' && p.value === 'Rosé-4711 xY';
 window.sent = (window.sent || 0) + 1;
 setTimeout(() => {{ if (ok) document.body.innerHTML = '<h1>{home}</h1><p>Ada Martin</p><button>{out}</button>';
   else {{ p.value = ''; said.textContent = '{wrong}' }} }}, 700)">
<h2>{title}</h2><div id="said"></div><label>{user}<br><input id="u" autofocus value="{left}"></label>
<label>{password}<br><input id="p" type="password"></label><button>{send}</button>
<p><a href="#">{lost}</a></p></form>"""
ENGLISH = {
    "title": "Emergency department", "user": "User name", "password": "Password", "send": "Log in",
    "lost": "Forgotten your password?", "wrong": "User name or password is incorrect.", "home": "Patients today",
    "out": "Log out", "left": "",
}  # fmt: skip
FRENCH = {
    "title": "Service des urgences", "user": "Identifiant", "password": "Mot de passe", "send": "Se connecter",
    "lost": "Mot de passe oublié ?", "wrong": "Identifiant ou mot de passe incorrect.", "home": "Patients du jour",
    "out": "Se déconnecter", "left": "quelqu'un d'autre",
}  # fmt: skip


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("said", [ENGLISH, FRENCH], ids=["en", "fr"])
def test_a_login_page_is_filled_sent_and_its_answers_are_told_apart(
    said: Mapping[str, str], page: Any, analyzer: ScreenAnalyzer
) -> None:
    page.set_content(FORM.format(**said))
    page.evaluate("window.sent = 0")
    hands = PageInBrowser(analyzer, page)
    done = handle_visual_login_action({"credential": "ward"}, context=hands)
    assert done.status is ActionStatus.DONE, done.message
    assert page.evaluate("window.sent") == 1
    again = handle_visual_login_action({"credential": "ward"}, context=hands)
    assert (again.status, again.message) == (ActionStatus.DONE, "Somebody is logged in already.")

    page.set_content(FORM.format(**said))
    refused: Callable[[str], Login] = lambda name: login_of("ada.martin", "Rosé-4712 xY")  # noqa: E731
    hands.credential = refused  # type: ignore[method-assign]
    page.evaluate("window.sent = 0")
    wrong = handle_visual_login_action({"credential": "ward"}, context=hands)
    assert wrong.status is ActionStatus.FAILED
    assert "are not right" in wrong.message and "4712" not in wrong.message
    assert page.evaluate("window.sent") == 1, "a wrong password is never tried again"
