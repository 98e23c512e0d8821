"""The desktop on paper."""

from __future__ import annotations

import time

import pytest

from execution.desktop.base import DesktopError, DesktopLost
from execution.types import Box, Point, Size
from tests.doubles.scripted import Button, Field, Goto, ScriptedDesktop, ScriptedScreen, TextLabel

OK = Button(name="OK", box=Box(40, 200, 100, 36))
NAME = Field(name="name", label="Name", box=Box(40, 80, 240, 34))
NOTE = Field(name="note", box=Box(40, 130, 240, 60), lines=3)
FORM = ScriptedScreen(
    name="form",
    title="Form for {who}",
    widgets=[TextLabel(text="Hello {who}", at=Point(40, 50)), NAME, NOTE, OK],
    on={
        "OK": "done",
        "double:OK": Goto(screen="done", remember={"twice": "yes"}),
        "right:OK": "menu",
        "key:ctrl+s": "done",
        "key:enter": lambda memory: "done" if memory.get("name") else None,
    },
)
DONE = ScriptedScreen(
    name="done", title="Done", widgets=[TextLabel(text="Saved {name}", at=Point(40, 60))], on={"key:esc": "form"}
)
MENU = ScriptedScreen(name="menu", title="Menu")


def _desktop(**options: object) -> ScriptedDesktop:
    return ScriptedDesktop([FORM, DONE, MENU], size=Size(400, 300), memory={"who": "Ada"}, **options)  # type: ignore[arg-type]


def test_clicking_a_button_goes_where_the_script_says_and_is_seen() -> None:
    desktop = _desktop()
    before = desktop.grab()
    desktop.click(OK.box.center)
    assert desktop.screen == "done"
    assert desktop.grab().digest != before.digest
    window = desktop.window()
    assert window is not None
    assert window.title == "Done"


def test_clicking_beside_everything_changes_nothing() -> None:
    desktop = _desktop()
    before = desktop.grab().digest
    desktop.click(Point(390, 290))
    assert (desktop.screen, desktop.grab().digest) == ("form", before)


def test_double_and_right_clicks_may_mean_something_else() -> None:
    desktop = _desktop()
    desktop.click(OK.box.center, count=2)
    assert desktop.memory["twice"] == "yes"
    desktop = _desktop()
    desktop.click(OK.box.center, button="right")
    assert desktop.screen == "menu"


def test_text_goes_into_the_focused_field_and_is_drawn() -> None:
    desktop = _desktop()
    desktop.type_text("nowhere")
    assert "name" not in desktop.memory
    desktop.click(NAME.box.center)
    empty = desktop.grab().digest
    desktop.type_text("Œuvre é")
    assert desktop.memory["name"] == "Œuvre é"
    assert desktop.grab().digest != empty


def test_return_is_the_key_in_a_single_line_and_a_newline_in_a_note() -> None:
    desktop = _desktop()
    desktop.click(NOTE.box.center)
    desktop.type_text("a\nb")
    assert desktop.memory["note"] == "a\nb"
    desktop.click(NAME.box.center)
    desktop.type_text("Ada\n")
    assert (desktop.memory["name"], desktop.screen) == ("Ada", "done")


def test_keys_edit_move_the_focus_and_go_where_the_script_says() -> None:
    desktop = _desktop()
    desktop.press(["tab"])
    desktop.type_text("abc")
    desktop.press(["backspace"])
    desktop.press(["d"])
    assert desktop.memory["name"] == "abd"
    desktop.press(["ctrl", "a"])
    desktop.type_text("new")
    assert desktop.memory["name"] == "new"
    desktop.press(["tab"])
    assert desktop.focus == "note"
    desktop.press(["CTRL", "S"])
    assert desktop.screen == "done"
    desktop.press(["esc"])
    assert desktop.screen == "form"


def test_an_effect_can_be_seen_only_some_grabs_later() -> None:
    desktop = _desktop(effect_delay=2)
    before = desktop.grab().digest
    desktop.click(OK.box.center)
    seen = [desktop.grab().digest == before for _ in range(3)]
    assert seen == [True, True, False]


def test_it_goes_away_at_the_call_that_was_told_and_stays_away() -> None:
    desktop = _desktop()
    desktop.lose(after_calls=1)
    desktop.grab()
    with pytest.raises(DesktopLost):
        desktop.click(OK.box.center)
    assert (desktop.screen, desktop.log) == ("form", [])
    with pytest.raises(DesktopLost):
        desktop.grab()


def test_the_input_may_have_arrived_before_it_went_away_s9_2() -> None:
    desktop = _desktop()
    desktop.lose(after_effect=True)
    with pytest.raises(DesktopLost, match="not known"):
        desktop.click(OK.box.center)
    assert desktop.screen == "done"
    with pytest.raises(DesktopLost):
        desktop.grab()


def test_when_it_comes_back_it_is_another_session_s9_2() -> None:
    desktop = _desktop()
    before = desktop.identity()
    desktop.lose()
    with pytest.raises(DesktopLost):
        desktop.grab()
    desktop.come_back()
    assert desktop.grab().size == (400, 300)
    assert desktop.identity() != before


def test_it_can_show_black_and_be_slow() -> None:
    desktop = _desktop()
    desktop.show_black(grabs=1)
    assert not desktop.grab().pixels.any()
    assert desktop.grab().pixels.any()
    desktop.call_ms = 30
    started = time.monotonic()
    desktop.grab()
    assert time.monotonic() - started >= 0.03


def test_the_caret_blinks_where_the_focus_is() -> None:
    desktop = _desktop(caret_blinks=1)
    desktop.click(NAME.box.center)
    assert len({desktop.grab().digest for _ in range(4)}) == 2


def test_a_script_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(DesktopError, match="no screen 'lost'; there are a"):
        ScriptedDesktop([ScriptedScreen(name="a", title="A", on={"key:f1": "lost"})])
    with pytest.raises(DesktopError, match="at least one screen"):
        ScriptedDesktop([])
