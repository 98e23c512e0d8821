"""Going to a described place by sight: the right thing is clicked, or nothing (S5.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.desktop import capture
from execution.desktop.base import DesktopLost, DesktopUnavailable
from execution.language.menu_paths import BadPlace, levels_of, likeness
from execution.navigation import handle_navigate_action, navigate
from execution.types import ActionStatus, Box, ElementState
from tests.execution.navigation.pages import Clock, Item, Page, PageHands, Role, button, entry, menu_item, text
from workflows.graph import NodeSpec

BAR = tuple(menu_item(name, 10 + 80 * i, 4) for i, name in enumerate(("File", "Edit", "View", "Help")))
EDITOR = Page((*BAR, button("Find", 600, 40), entry(300, 300, content="File")))
FILE_MENU = (
    menu_item("New", 10, 30),
    menu_item("Save", 10, 56),
    menu_item("Save As…", 10, 82),
    menu_item("Recent", 10, 108),
    text("Ctrl+S", 120, 60),
)
RECENT = (menu_item("note.txt", 110, 108), menu_item("Clear list", 110, 134))
DIALOG = Page((text("Name", 100, 200), entry(160, 194), button("Save", 500, 400)), title="Save As")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (navigate, capture):
        monkeypatch.setattr(module, "time", clock.as_time())
    return clock


def shows(page: Page, *, after: float = 0.0) -> Callable[[PageHands, str], None]:
    return lambda hands, _name: hands.show(page, after=after)


@pytest.fixture
def hands(clock: Clock) -> PageHands:
    return PageHands(
        page=EDITOR,
        clock=clock,
        on={
            "click File": shows(EDITOR.plus(*FILE_MENU)),
            "click Save As…": shows(DIALOG),
            "click Recent": shows(EDITOR.plus(*FILE_MENU, *RECENT)),
            "click note.txt": shows(replace(EDITOR, title="note.txt")),
            "press escape": shows(EDITOR),
        },
    )


def go(hands: PageHands, place: Any) -> tuple[ActionStatus, str]:
    result = handle_navigate_action({"place": place}, context=hands)
    return result.status, result.message


# --- A place in words ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("place", "levels"),
    [
        ("File > Save As…", ("File", "Save As…")),
        ("Fichier → Enregistrer sous…", ("Fichier", "Enregistrer sous…")),
        ("File->Export -> PDF", ("File", "Export", "PDF")),
        ("View › Zoom ▸ In", ("View", "Zoom", "In")),
        ("Accueil » Patients", ("Accueil", "Patients")),
        ("« Fichier » > « Ouvrir »", ("Fichier", "Ouvrir")),
        ("Find/Replace", ("Find/Replace",)),
        ("“File” > “Save As”", ("File", "Save As")),
        ("Next >", ("Next",)),
        ("  Settings  ", ("Settings",)),
    ],
)
def test_a_place_is_taken_apart_at_its_separators(place: str, levels: tuple[str, ...]) -> None:
    assert levels_of(place) == levels


@pytest.mark.parametrize("place", ["", "   ", ">", "> >", "File > > Save", "a" * 200, " > ".join("abcdefghi")])
def test_what_is_no_place_is_refused_with_a_reason(place: str, hands: PageHands) -> None:
    with pytest.raises(BadPlace):
        levels_of(place)
    status, message = go(hands, place)
    assert status is ActionStatus.FAILED and message
    assert hands.done == []


@given(st.text(max_size=300))
def test_any_text_is_a_place_or_refused(place: str) -> None:
    try:
        assert 1 <= len(levels_of(place)) <= 8
    except BadPlace:
        pass


@pytest.mark.parametrize(
    ("label", "seen", "same"),
    [
        ("Save As…", "Save As...", True),
        ("Save as", "Save As… Ctrl+Shift+S", True),
        ("Enregistrer sous", "Enregistrer sous… Maj+Ctrl+S", True),
        ("Word wrap", "✓ Word wrap", True),
        ("Recent", "Recent ▸", True),
        ("Find", "Find F3", True),
        ("Save", "Save As…", False),
        ("Undo", "Redo", False),
        ("Lock", "Unlock", False),
        ("Deleted items", "Delete items", False),
        ("Record 41", "Record 47", False),
    ],
)
def test_what_counts_as_the_label(label: str, seen: str, same: bool) -> None:
    assert bool(likeness(label, seen)) is same


# --- The way ---------------------------------------------------------------------------------------------------------
def test_a_menu_path_is_followed_to_its_end(hands: PageHands) -> None:
    assert go(hands, "File > Save As") == (ActionStatus.DONE, "Went to “File > Save As”.")
    assert hands.done == ["click File", "click Save As…"]


def test_a_sub_menu_is_followed_too(hands: PageHands) -> None:
    assert go(hands, "File → Recent → note.txt")[0] is ActionStatus.DONE
    assert hands.done == ["click File", "click Recent", "click note.txt"]


def test_of_two_that_read_alike_the_one_the_menu_brought_is_meant(hands: PageHands) -> None:
    """A button of a tool bar that says the same was there before."""
    bar = EDITOR.plus(button("Save As…", 300, 40))
    hands.page = bar
    hands.on["click File"] = shows(bar.plus(*FILE_MENU))
    clicked: list[Box] = []
    hands.on["click Save As…"] = lambda h, _n: (clicked.append(Box(0, 0, 0, 0)), h.show(DIALOG))[0]
    points: list[Any] = []
    real = hands.click
    hands.click = lambda point: (points.append(point), real(point))[0]  # type: ignore[method-assign]
    assert go(hands, "File > Save As")[0] is ActionStatus.DONE
    assert FILE_MENU[2].box.contains(points[1])


def test_a_menu_that_comes_late_is_waited_for(hands: PageHands) -> None:
    hands.on["click File"] = shows(EDITOR.plus(*FILE_MENU), after=2.0)
    assert go(hands, "File > Save As")[0] is ActionStatus.DONE


def test_a_menu_that_was_open_and_is_closed_by_the_click_is_opened_again(hands: PageHands) -> None:
    hands.page = EDITOR.plus(*FILE_MENU)
    turns = iter([EDITOR, EDITOR.plus(*FILE_MENU)])
    hands.on["click File"] = lambda h, _n: h.show(next(turns))
    assert go(hands, "File > Save As")[0] is ActionStatus.DONE
    assert hands.done == ["click File", "click File", "click Save As…"]


def test_a_button_a_link_and_a_text_are_places(clock: Clock) -> None:
    for item in (
        button("Results", 100, 100),
        Item("Results", Box(100, 100, 60, 14), Role.LINK),
        text("Results", 100, 100),
    ):
        hands = PageHands(page=Page((item,)), clock=clock, on={"click Results": shows(DIALOG)})
        assert go(hands, "Results")[0] is ActionStatus.DONE


def test_a_label_on_two_lines_is_found(clock: Clock) -> None:
    page = Page((text("Emergency", 100, 100), text("department", 100, 116)))
    hands = PageHands(page=page, clock=clock, on={"click Emergency": shows(DIALOG), "click department": shows(DIALOG)})
    assert go(hands, "Emergency department")[0] is ActionStatus.DONE


def test_variables_are_put_in_and_matched_to_the_letter(clock: Clock) -> None:
    page = Page((button("Record 4711", 100, 100), button("Record 4712", 300, 100)))
    hands = PageHands(page=page, clock=clock, on={"click Record 4712": shows(DIALOG)}, variables={"id": "4712"})
    assert go(hands, "Record {{id}}")[0] is ActionStatus.DONE
    assert hands.done == ["click Record 4712"]
    hands = PageHands(page=page, clock=clock)
    assert go(hands, "Record {{id}}") == (
        ActionStatus.FAILED,
        "The place cannot be gone to: the variable id has no value.",
    )


# --- Already there ---------------------------------------------------------------------------------------------------
def test_where_the_dialog_is_open_nothing_is_done(hands: PageHands) -> None:
    hands.page = DIALOG
    assert go(hands, "File > Save As…") == (ActionStatus.DONE, "Already at “File > Save As…”.")
    assert hands.done == []


def test_the_chosen_tab_is_not_clicked_again(clock: Clock) -> None:
    tab = Item("Results", Box(100, 40, 80, 30), Role.TAB, frozenset({ElementState.CHECKED}))
    hands = PageHands(page=Page((tab, Item("Notes", Box(200, 40, 80, 30), Role.TAB))), clock=clock)
    status, message = go(hands, "Results")
    assert (status, hands.done) == (ActionStatus.DONE, [])
    assert "Already" in message


NODES = (
    NodeSpec(node_id="record", name="Patient record", texts=("Blood group",)),
    NodeSpec(node_id="list", name="Patient list", texts=("All patients",)),
)


def test_a_screen_of_the_workflow_is_known_by_its_texts(clock: Clock) -> None:
    record = Page((text("Blood group", 100, 100),))
    hands = PageHands(page=record, clock=clock, nodes=NODES)
    assert go(hands, "Patient record") == (ActionStatus.DONE, "Already at “Patient record”.")
    assert go(hands, "record")[0] is ActionStatus.DONE
    assert hands.done == []


def test_a_screen_of_the_workflow_must_be_reached(clock: Clock) -> None:
    listing = Page((text("All patients", 100, 60), button("Patient record", 100, 100)))
    there = PageHands(
        page=listing, clock=clock, nodes=NODES, on={"click Patient record": shows(Page((text("Blood group", 9, 9),)))}
    )
    assert go(there, "Patient record")[0] is ActionStatus.DONE
    elsewhere = PageHands(page=listing, clock=clock, nodes=NODES, on={"click Patient record": shows(DIALOG)})
    assert go(elsewhere, "Patient record") == (
        ActionStatus.FAILED,
        "“Patient record” was clicked, but the screen is not “Patient record”.",
    )


# --- Not there -------------------------------------------------------------------------------------------------------
def test_nonsense_fails_and_says_what_is_there(hands: PageHands) -> None:
    status, message = go(hands, "asdf > qwer")
    assert status is ActionStatus.FAILED
    assert message == "“asdf” is not on the screen. The menus and tabs there: File, Edit, View, Help."
    assert hands.done == []


def test_a_second_level_that_is_not_there_fails_and_the_menu_is_closed_again(hands: PageHands) -> None:
    status, message = go(hands, "File > Print")
    assert status is ActionStatus.FAILED
    assert "“Print” is not on the screen" in message and "Save As…" in message and "closed again" in message
    assert hands.done == ["click File", "press escape"]
    assert hands.page == EDITOR


def test_a_sub_menu_is_closed_level_by_level(hands: PageHands) -> None:
    closing = iter([EDITOR.plus(*FILE_MENU), EDITOR])
    hands.on["press escape"] = lambda h, _n: h.show(next(closing))
    assert go(hands, "File > Recent > gone.txt")[0] is ActionStatus.FAILED
    assert hands.done == ["click File", "click Recent", "press escape", "press escape"]


def test_what_closed_by_itself_is_not_sent_escape(hands: PageHands) -> None:
    """Escape would close something else."""
    hands.on["click File"] = lambda h, _n: (h.show(EDITOR.plus(*FILE_MENU)), h.show(EDITOR, after=1.0))[0]
    assert go(hands, "File > Print")[0] is ActionStatus.FAILED
    assert hands.done == ["click File"]


def test_a_dialog_that_a_level_opened_is_not_closed(hands: PageHands) -> None:
    hands.on["click Find"] = shows(Page((text("Replace with", 100, 100),), title="Find"))
    assert go(hands, "Find > Nowhere")[0] is ActionStatus.FAILED
    assert hands.done == ["click Find"]


def test_a_menu_that_somebody_else_opened_is_left_alone(hands: PageHands) -> None:
    hands.page = EDITOR.plus(*FILE_MENU)
    assert go(hands, "asdf")[0] is ActionStatus.FAILED
    assert hands.done == []


def test_two_alike_are_ambiguous_and_neither_is_clicked(clock: Clock) -> None:
    page = Page((button("Open", 100, 100), button("Open", 100, 200), button("Close", 300, 200)))
    hands = PageHands(page=page, clock=clock)
    status, message = go(hands, "Open")
    assert status is ActionStatus.FAILED
    assert "“Open” is there 2 times" in message
    assert hands.done == []


def test_the_content_of_a_field_is_no_place(clock: Clock) -> None:
    hands = PageHands(page=Page((entry(100, 100, content="Settings"),)), clock=clock)
    assert go(hands, "Settings")[0] is ActionStatus.FAILED
    assert hands.done == []


def test_what_is_greyed_out_is_not_clicked(clock: Clock) -> None:
    item = replace(button("Print", 100, 100), states=frozenset({ElementState.DISABLED}))
    hands = PageHands(page=Page((item,)), clock=clock)
    status, message = go(hands, "Print")
    assert (status, hands.done) == (ActionStatus.FAILED, [])
    assert "greyed out" in message


def test_a_click_without_effect_is_a_failure(hands: PageHands, clock: Clock) -> None:
    began = clock.now
    assert go(hands, "Help") == (ActionStatus.FAILED, "“Help” was clicked, and nothing changed.")
    assert clock.now - began < 10


# --- Limits and errors -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("error", [DesktopUnavailable("there is no display"), OSError("no space")])
def test_without_a_picture_of_the_screen_it_fails_with_the_reason(hands: PageHands, error: Exception) -> None:
    hands.fails["observe"] = error
    status, message = go(hands, "File")
    assert status is ActionStatus.FAILED
    assert "no picture of the screen" in message and str(error) in message


def test_a_screen_that_was_not_read_fails_with_the_notes(clock: Clock) -> None:
    hands = PageHands(page=EDITOR, clock=clock)
    blind = replace(EDITOR.state(), texts=(), elements=(), text_method="", notes=("The reader failed.",))
    hands.observe = lambda: blind  # type: ignore[method-assign]
    assert go(hands, "File") == (ActionStatus.FAILED, "The screen could not be read: The reader failed.")


def test_a_desktop_that_is_lost_in_a_click_is_uncertain(hands: PageHands) -> None:
    hands.fails["click"] = DesktopLost("the display is gone")
    assert go(hands, "File > Save As") == (ActionStatus.UNCERTAIN, "the display is gone")


@pytest.mark.parametrize("error", [RuntimeError("what"), KeyError("x"), ValueError("bad"), MemoryError()])
def test_whatever_goes_wrong_is_not_raised(hands: PageHands, error: Exception) -> None:
    hands.fails["click"] = error
    assert go(hands, "File > Save As")[0] is ActionStatus.FAILED
    hands.fails = {"press": error}
    status, message = go(hands, "File > Print")
    assert status is ActionStatus.FAILED
    assert "stayed open" in message


@pytest.mark.parametrize("place", [None, 7, ["File"], {}])
def test_a_place_that_is_no_text_is_refused(hands: PageHands, place: Any) -> None:
    assert go(hands, place)[0] is ActionStatus.FAILED
    assert hands.done == []


@pytest.mark.parametrize("acts", [0, 1])
def test_a_stop_takes_effect_before_the_next_click(hands: PageHands, acts: int) -> None:
    hands.stop_after = acts
    status, message = go(hands, "File > Save As")
    assert status is ActionStatus.FAILED and "stopped" in message
    assert len(hands.done) == acts


def test_nothing_is_clicked_after_the_deadline(hands: PageHands, clock: Clock) -> None:
    hands.on["click File"] = lambda h, _n: (h.show(EDITOR.plus(*FILE_MENU)), setattr(clock, "now", clock.now + 181))[0]
    status, message = go(hands, "File > Save As")
    assert status is ActionStatus.FAILED and "time was over" in message
    assert "click Save As…" not in hands.done
