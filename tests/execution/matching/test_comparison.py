"""Two screens compared, whatever was moved, scaled, misread or replaced (S1.5)."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from execution.matching.comparison import OF_TEXTS, Comparison, compare
from execution.matching.gallery import known_lines
from execution.matching.sheet import Sheet
from execution.types import Box, Element, ElementRole, ElementState, ScreenState, Size, TextLine
from tests.execution.matching.screens import LABELS, PEOPLE, line, misread, record, ward, without


def made(state: ScreenState) -> Sheet:
    return Sheet(texts=state.texts, elements=state.elements, size=state.frame.size)


KNOWN = known_lines((name, made(drawn.seen)) for name, drawn in ward().items())
TAUGHT = made(ward()["summary"].seen)


def against(state: ScreenState) -> Comparison:
    return compare(TAUGHT, made(state), KNOWN)


def scaled(state: ScreenState, by: float) -> ScreenState:
    def box(b: Box) -> Box:
        return Box(*(round(v * by) for v in b))

    return replace(
        state,
        texts=tuple(replace(t, box=box(t.box)) for t in state.texts),
        elements=tuple(replace(e, box=box(e.box)) for e in state.elements),
        window=None,
    )


def test_the_same_screen_is_all_there():
    same = against(ward()["summary"].seen)
    assert same.seen == same.of
    for name in ("recall", "precision", "across", "down", "shapes", "chosen"):
        assert same[name] == pytest.approx(1.0)
    for name in ("lost", "more", "elsewhere", "framed_seen", "over_seen", "hides_seen"):
        assert same[name] == pytest.approx(0.0)
    assert (same.missing, same.extra) == ((), ())


def test_another_record_changes_little_of_what_counts():
    other = against(record("Summary", person=PEOPLE[4], number=17).seen)
    assert other["fixed_recall"] > 0.9
    assert other["fixed_precision"] > 0.9
    assert (other.over, other.under) == ((), ())


@pytest.mark.parametrize("state", [scaled(ward()["summary"].seen, 1.5), record("Summary", at=(230, 140)).seen])
def test_a_window_that_was_moved_or_scaled_has_everything_in_its_place(state):
    other = against(state)
    assert min(other["recall"], other["across"], other["down"], other["shapes"]) > 0.95


def test_another_tab_lacks_the_labels_of_the_taught_one_and_has_others_in_their_place():
    twin = against(record("Letters").seen)
    assert set(twin.missing) <= set(LABELS["Summary"])
    assert set(twin.extra) <= set(LABELS["Letters"])
    assert twin["chosen"] == -1.0
    assert min(twin["lost"], twin["more"]) > 1.0
    assert twin["own_recall"] < twin["fixed_recall"] < 1.0


def test_a_letter_misread_is_forgiven_and_a_digit_is_not():
    step = [line("Import of articles", 40, 40), line("Step 1 of 4", 40, 90), line("Continue", 40, 140)]
    taught = made(replace(ward()["summary"].seen, texts=tuple(step), elements=(), window=None))

    def seen(*texts: TextLine) -> Comparison:
        return compare(taught, made(replace(ward()["summary"].seen, texts=texts, elements=())), {})

    assert seen(line("lmport of artic1es", 40, 40), *step[1:]).seen == 3
    assert seen(step[0], line("Step 2 of 4", 40, 90), step[2]).seen == 2


def test_lines_read_as_one_and_one_read_as_two_are_still_found():
    state = without(ward()["summary"].seen, "Save", "Cancel", "Record number")
    more = (line("SaveCancel", 48, 569), line("Record", 40, 200), line("number", 95, 200))
    assert against(replace(state, texts=(*state.texts, *more)))["recall"] > 0.97


def test_a_text_that_stands_elsewhere_is_not_the_misread_one():
    """A plural in the menu is not the label that is missing from the form."""
    state = misread(ward()["summary"].seen, {"Insurance": "Other"})
    state = replace(state, texts=(*state.texts, line("Insurances", 900, 700)))
    assert "Insurance" in against(state).missing


def test_nothing_to_compare_is_no_error():
    empty = replace(ward()["summary"].seen, texts=(), elements=(), window=None)
    nothing = compare(made(empty), made(empty), {})
    assert len(nothing.row) == len(OF_TEXTS)
    assert against(empty)["recall"] == 0.0
    assert compare(made(empty), TAUGHT, {})["precision"] == 0.0


def test_another_entry_is_chosen_though_something_else_is_chosen_on_both():
    first, second = (chosen_among("Settings", ("Settings", one)) for one in ("Display", "Sound"))
    assert compare(made(first), made(second), {})["chosen"] == -1.0
    assert compare(made(first), made(first), {})["chosen"] == 1.0


def chosen_among(title: str, chosen: tuple[str, ...]) -> ScreenState:
    shown = [(text, Box(40, 40 + 33 * n, 180, 33)) for n, text in enumerate((title, "Display", "Sound", "Network"))]
    states = {True: frozenset({ElementState.CHECKED}), False: frozenset[ElementState]()}
    items = tuple(
        Element(box=box, role=ElementRole.MENU_ITEM, text=text, states=states[text in chosen]) for text, box in shown
    )
    texts = tuple(line(text, box.x + 10, box.y + 8) for text, box in shown)
    return replace(ward()["summary"].seen, texts=texts, elements=items, window=None)


def test_elements_without_texts_are_compared_by_role_and_place():
    icons = tuple(Element(box=Box(100 * i, 700, 24, 24), role=ElementRole.ICON) for i in range(12))
    texts = tuple(line(f"Label {name}", 40, 40 + 60 * i) for i, name in enumerate(("one", "two", "three", "four")))
    base = replace(ward()["summary"].seen, texts=texts, elements=icons, window=None)
    fields = tuple(replace(icon, role=ElementRole.FIELD) for icon in icons)
    elsewhere = tuple(replace(icon, box=Box(icon.box.x, 300, 24, 24)) for icon in icons)
    taught = made(base)
    assert compare(taught, made(base), {})["shapes"] == pytest.approx(1.0)
    assert compare(taught, made(replace(base, elements=fields)), {})["shapes"] == 0.0
    assert compare(taught, made(replace(base, elements=elsewhere)), {})["shapes"] == 0.0
    assert math.isnan(compare(taught, made(replace(base, elements=())), {})["shapes"])


SAID = ("Insurance card expired", "Ask for the new one", "and have it copied", "Not now")


def dialog(*, framed: bool) -> ScreenState:
    """Over the labels and fields of the summary; its frame found or not."""
    state, box = ward()["summary"].seen, Box(30, 186, 540, 150)
    texts = tuple(t for t in state.texts if not box.intersection(t.box).area)
    elements = tuple(e for e in state.elements if not box.intersection(e.box).area)
    texts += tuple(line(text, 90, 212 + 28 * i) for i, text in enumerate(SAID))
    frame = (Element(box=box, role=ElementRole.GROUP),) if framed else ()
    return replace(state, texts=texts, elements=(*elements, *frame))


@pytest.mark.parametrize("framed", [True, False])
def test_what_lies_over_a_screen_is_seen_both_ways(framed):
    over = against(dialog(framed=framed))
    assert set(over.over) == set(SAID)
    assert over.under == ()
    gone = compare(made(dialog(framed=framed)), TAUGHT, KNOWN)
    assert set(gone.under) == set(SAID)
    assert gone.over == ()


def test_other_data_in_the_same_places_lies_over_nothing():
    people = {f"DUPO {4711 + 13 * i}": f"Somebody else {'abcdef'[i]}" for i in range(6)}
    other = against(misread(ward()["summary"].seen, people))
    assert (other.over, other.under) == ((), ())


MENU = ("Word wrap", "Line numbers", "Font")


def shown(base: ScreenState, box: Box, texts: tuple[str, ...]) -> ScreenState:
    """A frame with lines of its own, and what stands under it gone."""
    kept = tuple(t for t in base.texts if not box.intersection(t.box).area)
    lines = tuple(line(text, box.x + 20, box.y + 10 + 28 * i) for i, text in enumerate(texts))
    frame = Element(box=box, role=ElementRole.GROUP)
    return replace(base, texts=(*kept, *lines), elements=(*base.elements, frame))


def lower(box: Box, by: int) -> Box:
    return Box(box.x, box.y + by, box.w, box.h)


FREE = Box(700, 620, 200, 100)  # where the summary shows nothing


def test_a_menu_over_an_empty_part_lies_over_the_screen_though_it_hides_nothing():
    summary = ward()["summary"].seen
    assert not [t for t in summary.texts if FREE.intersection(t.box).area]
    menu = against(shown(summary, FREE, MENU))
    assert set(menu.over) == set(MENU)
    assert menu["hides_seen"] == 0.0


def test_a_frame_that_the_taught_picture_shows_too_lies_over_nothing_whatever_is_in_it():
    summary = ward()["summary"].seen
    taught = made(shown(summary, FREE, ("Nothing to show", "Empty")))
    assert compare(taught, made(shown(summary, FREE, MENU)), KNOWN).over == ()
    elsewhere = record("Summary", at=(230, 140)).seen
    by = Box(elsewhere.texts[0].box.x - summary.texts[0].box.x, elsewhere.texts[0].box.y - summary.texts[0].box.y, 0, 0)
    moved = shown(elsewhere, Box(FREE.x + by.x, FREE.y + by.y, FREE.w, FREE.h), MENU)
    assert compare(taught, made(moved), KNOWN).over == ()


def test_what_is_written_into_an_empty_field_of_the_taught_picture_lies_over_nothing():
    """A note was taught empty, and what a run writes into it was told as a dialog over it."""
    summary = ward()["summary"].seen
    empty = replace(summary, elements=(*summary.elements, Element(box=FREE, role=ElementRole.FIELD)))
    assert compare(made(empty), made(shown(summary, FREE, MENU)), KNOWN).over == ()


def test_a_frame_that_pushed_the_rest_aside_lies_over_nothing():
    summary, top = ward()["summary"].seen, 300
    pushed = replace(
        summary,
        texts=tuple(replace(t, box=lower(t.box, 110)) if t.box.y > top else t for t in summary.texts),
        elements=(),
    )
    assert against(shown(pushed, Box(30, top, 540, 100), MENU)).over == ()


def test_what_the_taught_picture_cannot_show_does_not_count_against_it():
    """A window moved down uncovers the one behind it, above where the taught picture begins."""
    base = replace(ward()["summary"].seen, window=None)
    moved = replace(base, texts=tuple(replace(t, box=lower(t.box, 200)) for t in base.texts), elements=())
    behind = tuple(line(text, 600, 10 + 26 * i) for i, text in enumerate(("Inbox", "Outbox", "Drafts", "Archive")))
    assert against(replace(moved, texts=(*moved.texts, *behind)))["fixed_precision"] == pytest.approx(1.0)
    inside = tuple(replace(t, box=lower(t.box, 400)) for t in behind)
    assert against(replace(moved, texts=(*moved.texts, *inside)))["fixed_precision"] < 0.95


def test_a_bar_with_other_entries_is_no_layer():
    """Folders in the path of a dialog, longer ones than when it was taught: they hide some of what stood there."""
    base = replace(ward()["summary"].seen, elements=())

    def bar(*folders: tuple[str, int]) -> ScreenState:
        return replace(base, texts=(*base.texts, *(line(text, x, 640) for text, x in folders)))

    taught = made(bar(("home", 280), ("Documents", 370), ("Letters", 480)))
    today = made(bar(("tmp", 450), ("of root", 500), ("number seven", 600), ("in all", 760)))
    found = compare(taught, today, KNOWN)
    assert (found.over, found.under, found["over_seen"]) == ((), (), 0.0)


# --- another heading -------------------------------------------------------------------------------------------------
COLUMNS = ("Name", "Ward", "Bed", "Priority", "Doctor", "Since")


def page(
    heading: str, *more: TextLine, at: tuple[int, int] = (0, 0), columns_at: int = 40, lists: tuple[Box, ...] = ()
) -> Sheet:
    """A list under a heading that is hardly taller than the rest; its columns may begin farther to the right."""
    x, y = at
    head = replace(line(heading, 30, 90), box=Box(x + 30, y + 90, 9 * len(heading), 18))
    columns = (line(name, x + columns_at + 120 * number, y + 150) for number, name in enumerate(COLUMNS))
    return Sheet(texts=(head, *columns, *more), elements=(), size=(1600, 1000), lists=lists)


def headings(taught: Sheet, seen: Sheet) -> list[tuple[str, str, bool]]:
    return [tuple(one) for one in compare(taught, seen, {}).headings]


@pytest.mark.parametrize("moved", [{}, {"columns_at": 300}, {"at": (260, 120)}], ids=["there", "columns", "window"])
def test_another_heading_in_the_place_of_the_taught_one_is_told_whatever_moved(moved):
    """It need be no taller than the tallest line."""
    assert headings(page("Waiting room"), page("Archive", **moved)) == [("Waiting room", "Archive", False)]


def test_what_is_no_taller_than_other_lines_or_says_too_little_is_no_heading():
    tall = replace(line("Ward of the day", 600, 20), box=Box(600, 20, 200, 19))
    assert headings(page("Waiting room", tall), page("Archive", tall)) == []
    assert headings(page("ED"), page("Archive")) == []


def test_the_caption_of_a_button_is_no_heading():
    """A folder in the path of a dialog, which another part of it names too."""

    def in_path(folder: str) -> Sheet:
        head = replace(line(folder, 30, 90), box=Box(30, 90, 9 * len(folder), 18))
        lines = (head, line("Documents", 60, 400), *(line(name, 40 + 120 * n, 150) for n, name in enumerate(COLUMNS)))
        button = Element(box=head.box.grown(8, Size(1600, 1000)), role=ElementRole.BUTTON, text=folder)
        return Sheet(texts=lines, elements=(button,), size=(1600, 1000))

    assert headings(in_path("Documents"), in_path("Downloads")) == []


def test_what_a_list_says_is_an_entry_too():
    """S2.10: a menu of pages may stand where the list was drawn."""
    entry, area = line("Waiting room", 60, 400), Box(40, 380, 400, 200)
    assert headings(page("Waiting room"), page("Archive", entry, lists=(area,))) == [("Waiting room", "Archive", True)]
