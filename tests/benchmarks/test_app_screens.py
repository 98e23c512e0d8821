"""The truth of application screens: what the accessibility tree says, held against what is on the picture."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.screens import accessibility, documents
from benchmarks.screens.accessibility import Node, TopLevel, Truth, stack, truth
from benchmarks.screens.ink import Beside, Lettering, Run, inked, runs, written
from benchmarks.screens.stage import Look, Stage, stage
from execution.types import Box, ElementRole
from tests.support.display import missing_programs

LETTERING = Lettering(family="DejaVu Sans", points=10, scale=1.0)
LOOK = Look(theme="light", scale=1.0, width=1024, height=700, language="en", font="DejaVu Sans", qt_style="Fusion")
WINDOW = Node(
    role="frame",
    name="Orders",
    states=frozenset({"active", "sensitive"}),
    box=Box(10, 10, 380, 180),
    lines=(),
    ancestors=(),
    toolkit="gtk",
)
GROUND = TopLevel(Box(10, 10, 380, 180), 0)


def node(role: str, name: str, box: Box, *, states: str = "sensitive", ancestors: tuple[Node, ...] = (WINDOW,)) -> Node:
    return replace(WINDOW, role=role, name=name, box=box, states=frozenset(states.split()), ancestors=ancestors)


def picture(*words: tuple[str, int, int]) -> np.ndarray:
    """Black words on white, in the letters that programs use."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (400, 200), "white")
    file = subprocess.run(["fc-match", "-f", "%{file}", LETTERING.family], capture_output=True, text=True, check=True)
    font = ImageFont.truetype(file.stdout, 13)
    for text, x, y in words:
        ImageDraw.Draw(image).text((x, y), text, fill="black", font=font)
    return np.asarray(image)[:, :, ::-1].copy()


def told(nodes: list[Node], pixels: np.ndarray, *, windows: tuple[TopLevel, ...] = (GROUND,)) -> Truth:
    return truth([WINDOW, *nodes], windows=windows, pixels=pixels, lettering=LETTERING, icons_only=True)


def test_stretches_less_than_the_gap_apart_are_one() -> None:
    marked = np.array([1, 1, 0, 1, 0, 0, 0, 1], dtype=bool)
    assert runs(marked, gap=1) == [Run(0, 4), Run(7, 8)]
    assert runs(marked, gap=3) == [Run(0, 8)]
    assert runs(np.zeros(4, dtype=bool), gap=1) == []


def test_the_words_of_a_menu_item_are_found_beside_its_picture_and_its_keys() -> None:
    pixels = picture(("Paste", 40, 20), ("Ctrl+V", 200, 20))
    pixels[18:34, 14:30] = 60  # a picture before the words
    box = written(pixels, Box(10, 14, 260, 26), "Paste", lettering=LETTERING)
    assert box is not None
    assert 38 <= box.x <= 44 and 70 <= box.right <= 82
    assert not inked(pixels[14:40, box.right : 190]).any()


def test_of_two_texts_as_wide_the_first_is_meant() -> None:
    pixels = picture(("Undo", 40, 20), ("Redo", 200, 20))
    box = written(pixels, Box(10, 14, 260, 26), "Redo", lettering=LETTERING)
    assert box is not None and box.x < 50


def test_marks_far_apart_are_no_text() -> None:
    pixels = picture(("–", 40, 20), ("+", 78, 20))
    assert written(pixels, Box(10, 14, 260, 26), "Default", lettering=LETTERING) is None


def test_words_that_are_cut_off_are_not_said_to_be_there() -> None:
    pixels = picture(("Applicatio…", 20, 20))
    assert written(pixels, Box(10, 14, 200, 26), "Applications and more", lettering=LETTERING) is None


def test_words_under_a_picture_are_found_unless_they_take_two_lines() -> None:
    one, two = picture(("notes.txt", 20, 70)), picture(("budget", 20, 70), ("2024.ods", 20, 86))
    for pixels in (one, two):
        pixels[20:60, 24:64] = 90
    box = written(one, Box(10, 14, 100, 90), "notes.txt", lettering=LETTERING, beside=Beside.ABOVE)
    assert box is not None and box.y >= 68
    assert written(two, Box(10, 14, 100, 96), "budget 2024.ods", lettering=LETTERING, beside=Beside.ABOVE) is None


def test_roles_and_states_of_the_toolkit_become_ours() -> None:
    pixels = picture(("Save", 46, 24), ("Bold", 46, 64))
    nodes = [
        node("push button", "Save", Box(20, 18, 90, 30), states="focused"),
        node("check box", "Bold", Box(20, 58, 120, 24), states="sensitive checked"),
    ]
    save, bold = told(nodes, pixels).elements
    assert (save.role, save.text, save.states) == ("button", "Save", ("disabled", "focused"))
    assert (bold.role, bold.text, bold.states) == ("checkbox", "Bold", ("checked",))


def test_what_another_window_covers_is_left_out_and_the_truth_is_not_whole() -> None:
    pixels = picture(("Save", 46, 24))
    nodes = [node("push button", "Save", Box(20, 18, 90, 30))]
    over = TopLevel(Box(40, 0, 200, 200), 1)
    hidden = told(nodes, pixels, windows=(GROUND, over))
    assert hidden.elements == () and hidden.texts == () and not hidden.whole
    under = TopLevel(Box(40, 0, 200, 200), 0)
    assert told(nodes, pixels, windows=(under, replace_height(GROUND, 1))).elements


def replace_height(window: TopLevel, height: int) -> TopLevel:
    return window._replace(height=height)


def test_an_open_menu_lies_over_its_own_window() -> None:
    pixels = picture(("Paste", 46, 64))
    menu = node("menu", "Edit", Box(20, 18, 60, 20))
    nodes = [menu, node("menu item", "Paste", Box(20, 58, 150, 24), ancestors=(WINDOW, menu))]
    shown = told(nodes, pixels, windows=(GROUND, TopLevel(Box(20, 40, 150, 120), 1)))
    assert [(e.role, e.text) for e in shown.elements][-1] == ("menu_item", "Paste")


def test_rows_out_of_the_pane_are_not_in_view() -> None:
    pane = node("scroll pane", "", Box(20, 20, 200, 60))
    rows = [node("list item", "Row", Box(20, y, 200, 20), ancestors=(WINDOW, pane)) for y in (30, 70, 120)]
    shown = told([pane, *rows], picture(("Row", 24, 32), ("Row", 24, 72)))
    assert [element.box.y for element in shown.elements] == [30]
    assert not shown.whole


def test_a_hidden_table_of_qt_shows_nothing() -> None:
    table = replace(node("table", "", Box(0, 0, 1, 1)), box=None)
    nodes = [table, node("table cell", "Row", Box(20, 30, 100, 20), ancestors=(WINDOW, table))]
    assert told(nodes, picture(("Row", 24, 32))).elements == ()


def test_the_pdf_of_the_corpus_has_its_objects_where_its_table_says() -> None:
    made = documents.pdf(["Chère Madame (Lefèvre)"])
    start = int(made.rsplit(b"startxref\n", 1)[1].split()[0])
    assert made[start:].startswith(b"xref")
    places = [int(line.split()[0]) for line in made[start:].splitlines()[3:8]]
    assert [made[place:].split()[0] for place in places] == [b"1", b"2", b"3", b"4", b"5"]
    assert rb"\(Lef" in made


@pytest.fixture(scope="module")
def on() -> Iterator[Stage]:
    if missing := missing_programs("mousepad"):
        pytest.fail(f"display tests need {', '.join(missing)}: install them or leave out `-m display`")
    if not accessibility.is_readable():
        pytest.skip(accessibility.NEEDED)
    documents.make()
    with stage(LOOK) as running:
        window = running.start(["mousepad", str(documents.FOLDER / "lettre.txt")])
        running.place(window, Box(40, 60, 700, 460))
        yield running


def seen(on: Stage) -> Truth:
    frame = on.rest()
    return truth(on.nodes(), windows=stack(on.screen), pixels=frame.pixels, lettering=LOOK.lettering, icons_only=True)


@pytest.mark.display
def test_the_tree_of_an_editor_gives_its_lines_where_they_are_drawn(on: Stage) -> None:
    pixels, known = on.rest().pixels, seen(on)
    lines = {text.text: text.box for text in known.texts}
    for line in filter(None, documents.LETTER.splitlines()):
        box = lines[line]
        assert inked(pixels[box.y : box.bottom, box.x : box.right]).any(axis=0).mean() > 0.5, line
        assert not inked(pixels[box.y : box.bottom, box.right + 6 : box.right + 60]).any(), line
    fields = [element for element in known.elements if element.role == ElementRole.FIELD]
    assert len(fields) == 1 and fields[0].box.w > 600


@pytest.mark.display
def test_an_open_menu_is_in_the_truth_and_what_it_covers_is_not(on: Stage) -> None:
    before = {text.text for text in seen(on).texts}
    on.do("click menu 1")
    try:
        known = seen(on)
        items = {e.text: e for e in known.elements if e.role == ElementRole.MENU_ITEM}
        assert {"Paste", "Select All"} <= set(items)
        assert "disabled" in items["Undo"].states and "disabled" not in items["Select All"].states
        covered = next(line for line in documents.LETTER.splitlines() if line.startswith("Nous vous"))
        assert covered in before and covered not in {text.text for text in known.texts}
    finally:
        on.do("press esc")
