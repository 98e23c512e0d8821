"""S2.9: what stands in tables, lists, trees and calendars, and the controls that are no plain button or field."""

from __future__ import annotations

import pytest

from execution.types import Box, ElementRole, ElementState, TextLine
from tests.execution.perception.drawing import DARK, Canvas
from tests.execution.perception.test_elements import BLUE, WHITE, at, detected, middle_text, rounded

GREY, STRIPE = (150, 150, 150), (226, 228, 231)
BUTTON, FIELD, MENU_ITEM, ICON, GROUP = (
    ElementRole.BUTTON,
    ElementRole.FIELD,
    ElementRole.MENU_ITEM,
    ElementRole.ICON,
    ElementRole.GROUP,
)


def clip(canvas: Canvas, x: int, y: int) -> Box:
    """A narrow picture: a paper clip."""
    canvas.draw.rounded_rectangle((x, y, x + 7, y + 16), radius=4, outline=DARK, width=2)
    return Box(x, y, 8, 17)


def folder(canvas: Canvas, x: int, y: int) -> Box:
    canvas.draw.rectangle((x, y + 3, x + 16, y + 14), outline=DARK, width=2)
    canvas.draw.rectangle((x, y, x + 7, y + 3), outline=DARK, width=2)
    return Box(x, y, 17, 15)


def test_the_cells_of_a_table_are_no_fields():
    """A striped one, whose cells meet between two pixels: each has a faint line around it."""
    canvas = Canvas(1000, 400)
    for row in range(4):
        for column, text in enumerate(("604696", "Vasseur", "Nettoyage", "16,80")):
            x, y = 40 + column * 200, 60 + row * 38
            if row % 2 == 0:
                canvas.draw.rectangle((x, y, x + 200, y + 37), fill=STRIPE, outline=(205, 207, 210))
            canvas.text(text, x + 10, y + 11)
    found = detected(canvas)
    assert not [e for e in found if e.role is FIELD]
    assert {line.text for line in canvas.lines} <= {e.text for e in found}


@pytest.mark.parametrize("framed", [False, True])
def test_the_days_of_a_calendar_are_buttons_framed_or_not(framed: bool):
    canvas = Canvas(700, 500)
    places = {}
    for day in range(1, 32):
        place = day + 2
        box = Box(60 + place % 7 * 44, 80 + place // 7 * 36, 40, 32)
        if framed:
            rounded(canvas, box, radius=4, fill=WHITE, outline=GREY)
        middle_text(canvas, str(day), box, ink=DARK)
        places[day] = box
    found = detected(canvas)
    for day, box in places.items():
        assert (at(found, box).role, at(found, box).text) == (BUTTON, str(day))
    assert len(found) == 31


def test_numbers_that_are_no_days_are_no_buttons():
    canvas = Canvas(700, 500)
    for row in range(6):
        for column in range(4):
            canvas.text(str((row * 7 + column * 5) % 28 + 1), 60 + column * 90, 60 + row * 34)
    assert {e.role for e in detected(canvas)} == {ElementRole.TEXT}


def test_the_rows_of_a_tree_are_no_menu_items_and_their_pictures_are_there():
    canvas = Canvas(900, 500)
    canvas.draw.rectangle((50, 40, 340, 330), outline=GREY)
    pictures = []
    rows = ((0, "Nantes"), (1, "Accueil"), (1, "Pharmacie"), (1, "Imagerie"), (0, "Brest"), (1, "Accueil"),
            (1, "Archives"), (1, "Laboratoire"), (0, "Rennes"))  # fmt: skip
    for row, (depth, text) in enumerate(rows):
        x, y = 60 + 20 * depth, 50 + row * 30
        pictures.append(folder(canvas, x, y))
        canvas.text(text, x + 24, y, size=17)
    found = detected(canvas)
    assert not [e for e in found if e.role is MENU_ITEM]
    assert all(at(found, box).role is ICON for box in pictures)


def test_the_last_rows_of_a_tree_are_no_menu_items_though_a_pixel_of_its_side_is_missing():
    canvas = Canvas(900, 500)
    canvas.draw.rectangle((50, 40, 340, 240), outline=GREY)
    canvas.draw.line((340, 100, 340, 101), fill=canvas.image.getpixel((5, 5)))
    rows = ((0, "Nantes"), (0, "Brest"), (1, "Accueil"), (1, "Archives"), (1, "Imagerie"), (1, "Pharmacie"))
    for row, (depth, text) in enumerate(rows):
        canvas.text(text, 70 + 20 * depth, 50 + row * 30, size=17)
    assert not [e for e in detected(canvas) if e.role is MENU_ITEM]


def test_the_first_entry_at_a_side_is_one_though_a_title_stands_above_it():
    canvas = Canvas(900, 500)
    canvas.draw.rectangle((40, 70, 240, 460), fill=(230, 234, 240), outline=GREY)
    canvas.text("Settings", 60, 44)
    for row, text in enumerate(("Display", "Sound", "Network", "Users")):
        canvas.text(text, 60, 86 + 33 * row)
    assert [e.text for e in detected(canvas) if e.role is MENU_ITEM] == ["Display", "Sound", "Network", "Users"]


def test_the_round_letter_that_begins_a_heading_is_no_radio_button():
    canvas = Canvas(900, 600)
    for row, size in enumerate(range(18, 42, 2)):
        canvas.text("Order form", 60, 20 + 46 * row, size=size, font="DejaVuSans-Bold")
    assert {e.role for e in detected(canvas)} == {ElementRole.TEXT}


def test_a_box_over_a_page_is_a_group_however_high_it_is():
    canvas = Canvas(900, 700)
    sheet = Box(100, 80, 500, 520)
    canvas.draw.rectangle((sheet.x, sheet.y, sheet.right - 1, sheet.bottom - 1), fill=(255, 255, 255), outline=GREY)
    canvas.text("Discard your changes?", 140, 120)
    canvas.text("What you typed will be lost.", 140, 160)
    assert at(detected(canvas), sheet).role is ElementRole.GROUP


@pytest.mark.parametrize("key", ["Ctrl+D", "Delete", "F2", "Ctrl D"])
def test_an_opened_menu_names_its_keys_beside_its_entries(key: str):
    canvas = Canvas(900, 400)
    canvas.draw.rectangle((40, 40, 360, 200), outline=GREY)
    for row, (text, keys) in enumerate((("New", "Ctrl+N"), ("Open", "Ctrl+O"), ("Remove", key), ("Quit", "Ctrl+Q"))):
        canvas.text(text, 84, 55 + row * 34)
        canvas.text(keys, 280, 55 + row * 34)
    assert [e.text for e in detected(canvas) if e.role is MENU_ITEM] == ["New", "Open", "Remove", "Quit"]


def test_an_opened_menu_with_pictures_is_still_one():
    canvas = Canvas(900, 400)
    canvas.draw.rectangle((40, 40, 260, 200), outline=GREY)
    for row, text in enumerate(("Nouveau", "Ouvrir", "Imprimer", "Quitter")):
        folder(canvas, 52, 56 + row * 34)
        canvas.text(text, 84, 55 + row * 34)
    assert [e.text for e in detected(canvas) if e.role is MENU_ITEM] == ["Nouveau", "Ouvrir", "Imprimer", "Quitter"]


@pytest.mark.parametrize("bar", ["above", "below"])
def test_an_opened_menu_is_still_one_where_the_words_of_a_bar_stand_at_its_distances(bar: str):
    canvas = Canvas(900, 400)
    y = 55 if bar == "above" else 218
    for text, x in (("File", 64), ("Edit", 104), ("Search", 144)):
        canvas.text(text, x, y)
    canvas.draw.rectangle((40, 74, 260, 74 + 4 * 34), outline=GREY)
    for row, text in enumerate(("New", "Open", "Print", "Quit"), start=1):
        canvas.text(text, 84, 55 + row * 34)
    found = [e.text for e in detected(canvas) if e.role is MENU_ITEM and e.box.w > 200]
    assert found == ["New", "Open", "Print", "Quit"]


def test_pictures_before_a_line_that_a_reader_took_into_it_are_pictures():
    canvas = Canvas(700, 200)
    canvas.draw.line((61, 63, 68, 70, 61, 77), fill=DARK, width=2)
    box, written = folder(canvas, 80, 62), canvas.text("Imagerie", 104, 62)
    canvas.lines = [TextLine(text="Imagerie", box=Box(58, 58, written.right - 56, 24))]
    found = detected(canvas)
    assert at(found, box).role is ICON
    assert next(e for e in found if e.text == "Imagerie").box.x >= 98


def test_a_narrow_picture_is_an_icon_and_not_the_digit_it_was_read_as():
    canvas = Canvas(700, 200)
    box = clip(canvas, 60, 60)
    canvas.text("07:40", 400, 60)
    canvas.lines.append(TextLine(text="0", box=Box(58, 58, 12, 21), confidence=0.94))
    found = detected(canvas)
    assert at(found, box).role is ICON and "0" not in {e.text for e in found}


def test_a_box_to_tick_that_was_read_as_a_letter_is_one():
    canvas = Canvas(700, 200)
    box = Box(60, 60, 18, 18)
    rounded(canvas, box, radius=2, fill=WHITE, outline=GREY)
    canvas.lines = [TextLine(text="0", box=Box(58, 58, 22, 22), confidence=0.54)]
    assert [(e.role, e.text) for e in detected(canvas)] == [(ElementRole.CHECKBOX, "")]


def test_a_picture_on_a_button_that_was_read_as_a_letter_is_no_text():
    canvas = Canvas(700, 200)
    box = Box(60, 60, 34, 32)
    rounded(canvas, box, radius=4, fill=BLUE)
    canvas.draw.ellipse((71, 70, 82, 81), outline=WHITE, width=2)
    canvas.lines = [TextLine(text="à", box=Box(69, 68, 16, 16), confidence=0.84)]
    assert [(e.role, e.text) for e in detected(canvas)] == [(BUTTON, "")]


@pytest.mark.parametrize("apart", [0, 3])
def test_a_slider_is_a_field_with_the_whole_of_its_track(apart: int):
    canvas = Canvas(700, 300)
    canvas.text("Contraste", 60, 62)
    canvas.draw.rounded_rectangle((160, 67, 360, 72), radius=3, fill=(200, 204, 210))
    ground = canvas.image.getpixel((2, 2))
    canvas.draw.ellipse((260 - apart, 61 - apart, 276 + apart, 77 + apart), fill=ground if apart else BLUE)
    canvas.draw.ellipse((260, 61, 276, 77), fill=BLUE)
    found = detected(canvas)
    assert at(found, Box(160, 61, 201, 17)).role is FIELD
    assert len(found) == 2


def test_a_progress_bar_and_a_rule_are_no_sliders():
    canvas = Canvas(700, 300)
    canvas.draw.rounded_rectangle((160, 60, 360, 72), radius=6, fill=(200, 204, 210))
    canvas.draw.rounded_rectangle((160, 60, 250, 72), radius=6, fill=BLUE)
    canvas.draw.line((60, 120, 600, 120), fill=GREY)
    assert not [e for e in detected(canvas) if e.role is FIELD and e.box.h < 20 and e.box.y > 100]


@pytest.mark.parametrize("lines", [1, 3])
def test_a_field_with_a_corner_to_pull_is_one_however_many_lines_it_holds(lines: int):
    canvas = Canvas(900, 400)
    canvas.field(Box(60, 60, 400, 90))
    for reach in (4, 8):
        canvas.draw.line((457 - reach, 147, 457, 147 - reach), fill=GREY)
    for row in range(lines):
        canvas.text("Le patient est attendu à 16 h 30", 70, 66 + 22 * row, ink=DARK)
    assert at(detected(canvas), Box(60, 60, 400, 90)).role is FIELD


@pytest.mark.parametrize("high", [120, 220])
@pytest.mark.parametrize("sunken", [False, True])
def test_an_empty_field_of_several_rows_is_one_whatever_shows_it(high: int, sunken: bool):
    """Dark themes draw no border."""
    canvas = Canvas(900, 400, background=(60, 60, 60) if sunken else WHITE)
    box = Box(120, 40, 700, high)
    canvas.draw.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), fill=(40, 40, 40) if sunken else None,
                          outline=None if sunken else GREY)  # fmt: skip
    assert [e.box for e in detected(canvas) if e.role is FIELD] == [box]


def test_a_striped_row_that_ends_in_a_sign_is_no_combo_box():
    """Of a table in a web page: whoever clicked a name in it was asked about the row of another list."""
    canvas = Canvas(900, 300, background=WHITE)
    row = Box(60, 60, 600, 34)
    canvas.draw.rectangle((row.x, row.y, row.right - 1, row.bottom - 1), fill=(247, 247, 247))
    for n, text in enumerate(("Samir Haddad", "C-20423", "Surgery", "Routine")):
        canvas.text(text, 100 + 124 * n, 68)
    canvas.draw.ellipse((620, 71, 631, 82), fill=(200, 40, 40))
    assert not [e for e in detected(canvas) if e.role is FIELD]


def test_a_label_over_two_lines_is_that_of_one_button():
    canvas = Canvas(700, 300)
    box = Box(60, 60, 130, 46)
    rounded(canvas, box, radius=4, fill=BLUE)
    middle_text(canvas, "Ajouter une", Box(60, 64, 130, 19), ink=WHITE)
    middle_text(canvas, "carte", Box(60, 83, 130, 19), ink=WHITE)
    assert (at(detected(canvas), box).role, at(detected(canvas), box).text) == (BUTTON, "Ajouter une carte")


def test_a_low_button_beside_another_is_one_and_a_patch_alone_may_be_a_badge():
    canvas = Canvas(900, 300)
    left, right, alone = Box(60, 60, 80, 21), Box(148, 60, 80, 21), Box(500, 160, 80, 21)
    for box, text in ((left, "Modifier"), (right, "Déplacer"), (alone, "Urgent")):
        rounded(canvas, box, radius=4, fill=BLUE)
        middle_text(canvas, text, box, ink=WHITE)
    found = detected(canvas)
    assert [at(found, box).role for box in (left, right)] == [BUTTON, BUTTON]
    assert next(e for e in found if e.text == "Urgent").role is ElementRole.TEXT


def test_the_whole_of_a_raised_control_is_its_box():
    """Old tool kits draw a light and a dark side several pixels wide."""
    canvas = Canvas(700, 300)
    box = Box(60, 60, 100, 34)
    canvas.draw.rectangle((60, 60, 159, 93), fill=(64, 64, 64))
    canvas.draw.rectangle((60, 60, 155, 89), fill=(255, 255, 255))
    canvas.draw.rectangle((64, 64, 155, 89), fill=(192, 192, 192))
    middle_text(canvas, "Modifier", Box(64, 64, 92, 26), ink=DARK)
    canvas.image.paste((222, 222, 222), (0, 200, 700, 300))
    found = detected(canvas)
    assert at(found, box).role is BUTTON and at(found, box).box.iou(box) > 0.9


def test_the_parts_of_a_scroll_bar_are_no_elements():
    canvas = Canvas(700, 400)
    canvas.draw.rectangle((660, 20, 679, 380), fill=(212, 212, 216), outline=GREY)
    canvas.draw.polygon((665, 35, 674, 35, 669, 27), fill=DARK)
    canvas.draw.polygon((665, 365, 674, 365, 669, 373), fill=DARK)
    canvas.draw.rectangle((663, 90, 676, 180), fill=(160, 160, 166))
    assert not detected(canvas)


def test_pictures_below_each_other_are_no_scroll_bar():
    canvas = Canvas(700, 400)
    boxes = [folder(canvas, 60, 40), folder(canvas, 60, 240)]
    canvas.draw.line((40, 140, 300, 140), fill=GREY)
    found = detected(canvas)
    assert all(at(found, box).role is ICON for box in boxes)


def test_faint_writing_that_a_theme_gives_to_all_its_buttons_is_not_greyed():
    canvas = Canvas(900, 300)
    canvas.text("Commandes", 60, 20)
    boxes = [Box(60 + 140 * i, 60, 120, 32) for i in range(4)]
    for box, text in zip(boxes, ("Exporter", "Imprimer", "Filtrer", "Envoyer"), strict=True):
        rounded(canvas, box, radius=4, fill=None, outline=GREY)
        middle_text(canvas, text, box, ink=(160, 160, 160))
    assert not any(ElementState.DISABLED in e.states for e in detected(canvas))
    strong = Box(620, 60, 120, 32)
    rounded(canvas, strong, radius=4, fill=None, outline=GREY)
    middle_text(canvas, "Valider", strong, ink=DARK)
    found = detected(canvas)
    assert all(ElementState.DISABLED in at(found, box).states for box in boxes), "one of them is stronger"


def test_fields_close_below_each_other_are_no_cells_and_their_labels_no_menu():
    canvas = Canvas(800, 300)
    boxes = []
    for row, (label, value) in enumerate((("Nom", "Martin"), ("Prénom", "Lea"), ("Ville", "Brest"), ("Âge", "41"))):
        canvas.text(label, 60, 66 + 30 * row)
        boxes.append(canvas.field(Box(160, 60 + 30 * row, 240, 26), value))
    found = detected(canvas)
    assert [at(found, box).role for box in boxes] == [FIELD] * 4
    assert not [e for e in found if e.role is MENU_ITEM]


def test_a_trough_with_a_knob_is_one_slider_and_not_greyed():
    canvas = Canvas(800, 300, background=(217, 217, 217))
    canvas.field(Box(60, 60, 240, 26), "Martin")
    canvas.draw.rectangle((60, 120, 259, 136), fill=(179, 179, 179), outline=(130, 130, 130))
    canvas.draw.rectangle((130, 121, 156, 135), fill=(217, 217, 217), outline=(255, 255, 255))
    canvas.draw.line((143, 121, 143, 135), fill=(130, 130, 130))
    found = detected(canvas)
    slider = at(found, Box(60, 120, 200, 17))
    assert (slider.role, slider.states) == (FIELD, frozenset())
    assert [e.role for e in found].count(FIELD) == 2


def test_the_stem_of_a_digit_alone_in_a_field_is_no_cursor():
    canvas = Canvas(700, 200)
    box = canvas.field(Box(60, 60, 200, 30))
    canvas.draw.rectangle((70, 66, 71, 82), fill=DARK)
    canvas.draw.line((67, 72, 69, 69), fill=DARK, width=2)
    canvas.lines = [TextLine(text="1", box=Box(66, 65, 8, 19))]
    assert not any(ElementState.FOCUSED in e.states for e in detected(canvas))
    assert at(detected(canvas), box).role is FIELD


def test_a_button_whose_picture_has_frames_in_it_is_a_button():
    canvas = Canvas(700, 200)
    box = Box(60, 62, 52, 32)
    rounded(canvas, box, radius=4, fill=(226, 228, 231), outline=GREY)
    canvas.draw.rectangle((76, 67, 96, 88), outline=DARK, width=2)
    canvas.draw.rectangle((79, 74, 93, 87), fill=WHITE, outline=DARK)
    assert at(detected(canvas), box).role is BUTTON
