"""S2.9: what the detector without weights finds, and how it takes what is no proper screen."""

from __future__ import annotations

import time
from dataclasses import replace

import cv2
import numpy as np
import pytest
from PIL import Image

from execution.perception.elements import FrameDetector
from execution.types import Box, Element, ElementState, TextLine, Word
from tests.execution.perception.drawing import DARK, LIGHT, Canvas

BLUE, WHITE, PALE, GREY = (13, 110, 253), (255, 255, 255), (222, 226, 230), (150, 150, 150)
CHECKED, DISABLED, FOCUSED = ElementState.CHECKED, ElementState.DISABLED, ElementState.FOCUSED


def detected(canvas: Canvas) -> tuple[Element, ...]:
    return FrameDetector().detect(canvas.pixels, canvas.lines)


def at(elements: tuple[Element, ...], box: Box) -> Element:
    best = max(elements, key=lambda e: e.box.iou(box))
    assert best.box.iou(box) > 0.6, (box, best)
    return best


def rounded(
    canvas: Canvas, box: Box, *, radius: int, fill: tuple[int, ...] | None, outline=None, width: int = 1
) -> None:
    corners = (box.x, box.y, box.right - 1, box.bottom - 1)
    canvas.draw.rounded_rectangle(corners, radius=radius, fill=fill, outline=outline, width=width)


def middle_text(canvas: Canvas, text: str, box: Box, *, ink: tuple[int, ...], size: int = 13) -> None:
    width = int(canvas.draw.textlength(text, font_size=size))
    canvas.text(text, box.x + (box.w - width) // 2, box.y + (box.h - size - 3) // 2, size=size, ink=ink)


def check_box(
    canvas: Canvas, label: str, x: int, y: int, *, on: bool = False, ink: tuple[int, ...] | None = None
) -> Box:
    box = Box(x, y, 16, 16)
    rounded(canvas, box, radius=3, fill=BLUE if on else canvas.image.getpixel((2, 2)), outline=BLUE if on else GREY)
    if on:
        canvas.draw.line((x + 4, y + 8, x + 7, y + 11, x + 12, y + 5), fill=WHITE, width=2)
    canvas.text(label, x + 24, y, ink=ink)
    return box


def radio(canvas: Canvas, label: str, x: int, y: int, *, on: bool = False) -> Box:
    """Drawn at four times its size and shrunk, as a toolkit draws it: soft."""
    box = Box(x, y, 16, 16)
    scale, ground = 4, canvas.image.getpixel((2, 2))
    large = canvas.image.crop((x, y, x + 16, y + 16)).resize((64, 64))
    draw = type(canvas.draw)(large)
    draw.ellipse((0, 0, 16 * scale - 1, 16 * scale - 1), fill=ground, outline=BLUE if on else GREY, width=scale)
    if on:
        draw.ellipse((4 * scale, 4 * scale, 12 * scale - 1, 12 * scale - 1), fill=BLUE)
    canvas.image.paste(large.resize((16, 16), resample=Image.Resampling.BOX), (x, y))
    canvas.text(label, x + 24, y)
    return box


def test_buttons_fields_and_free_texts_are_told_apart():
    """S2.9: box, role guess, text inside, confidence."""
    canvas = Canvas(900, 600)
    label = canvas.text("Nom du client", 60, 106)
    field = canvas.field(Box(200, 100, 400, 28))
    filled = canvas.field(Box(200, 150, 400, 28), "Alice")
    button = canvas.button("Enregistrer", Box(500, 500, 120, 32))
    box = canvas.field(Box(60, 200, 14, 14))
    found = detected(canvas)
    assert (at(found, field).role, at(found, field).text) == ("field", "")
    assert (at(found, filled).role, at(found, filled).text) == ("field", "Alice")
    assert (at(found, button).role, at(found, button).text) == ("button", "Enregistrer")
    assert at(found, box).role == "checkbox"
    assert (at(found, label).role, at(found, label).text) == ("text", "Nom du client")
    assert all(0 < e.confidence <= 1 for e in found)


@pytest.mark.parametrize("ground", [LIGHT, DARK])
@pytest.mark.parametrize("radius", [0, 6, 18])
def test_buttons_are_found_filled_or_outlined_square_or_round(ground, radius):
    canvas = Canvas(700, 300, background=ground)
    filled, outlined = Box(60, 60, 130, 36), Box(260, 60, 130, 36)
    rounded(canvas, filled, radius=radius, fill=BLUE)
    middle_text(canvas, "Valider", filled, ink=WHITE)
    rounded(canvas, outlined, radius=radius, fill=ground, outline=(200, 60, 60))
    middle_text(canvas, "Supprimer", outlined, ink=(200, 60, 60))
    found = detected(canvas)
    assert [(at(found, b).role, at(found, b).text) for b in (filled, outlined)] == [
        ("button", "Valider"),
        ("button", "Supprimer"),
    ]


def test_what_is_drawn_twice_as_large_is_the_same():
    """S2.9 on fine screens: 200 %."""
    canvas = Canvas(700, 300)
    canvas.button("Enregistrer", Box(60, 60, 120, 32))
    canvas.field(Box(60, 120, 300, 28), "Alice")
    check_box(canvas, "Compte actif", 60, 180, on=True)
    large = cv2.resize(canvas.pixels, None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST)
    lines = [replace(line, box=Box(*(2 * v for v in line.box))) for line in canvas.lines]
    small = [(e.role, e.text, e.states) for e in detected(canvas)]
    assert [(e.role, e.text, e.states) for e in FrameDetector().detect(large, lines)] == small
    assert {role for role, *_ in small} == {"button", "field", "checkbox", "text"}


def test_a_list_to_choose_from_is_a_field_and_its_arrow_is_no_text():
    canvas = Canvas(700, 300)
    box = canvas.field(Box(60, 60, 240, 32), "France")
    canvas.draw.line((276, 73, 281, 78, 286, 73), fill=DARK, width=2)
    canvas.lines[0] = replace(canvas.lines[0], text="France v", box=Box(68, 66, 220, 20))
    found = detected(canvas)
    assert (at(found, box).role, at(found, box).text) == ("field", "France")
    assert not [e for e in found if e.role == "icon"]


@pytest.mark.parametrize("ground", [LIGHT, DARK])
def test_check_boxes_say_whether_they_are_checked_and_what_they_are_for(ground):
    canvas = Canvas(700, 300, background=ground)
    on, off = check_box(canvas, "Compte actif", 60, 60, on=True), check_box(canvas, "Archives", 60, 100)
    found = detected(canvas)
    assert [(at(found, b).role, at(found, b).text, set(at(found, b).states)) for b in (on, off)] == [
        ("checkbox", "Compte actif", {CHECKED}),
        ("checkbox", "Archives", set()),
    ]


def test_a_check_box_that_the_reader_took_into_the_line_is_found():
    canvas = Canvas(700, 300)
    box = check_box(canvas, "Archives", 60, 60)
    line = canvas.lines[0]
    canvas.lines[0] = replace(line, box=Box(58, line.box.y - 3, line.box.right - 58, line.box.h + 6))
    found = detected(canvas)
    assert (at(found, box).role, at(found, box).text) == ("checkbox", "Archives")


def test_a_switch_is_a_check_box_that_its_knob_checks():
    canvas = Canvas(700, 300)
    for x, on in ((60, True), (300, False)):
        rounded(canvas, Box(x, 60, 36, 20), radius=10, fill=BLUE if on else (170, 170, 170))
        knob = Box(x + (18 if on else 2), 62, 16, 16)
        rounded(canvas, knob, radius=8, fill=WHITE)
        canvas.text("Notifications", x + 46, 62)
    found = detected(canvas)
    assert [(at(found, Box(x, 60, 36, 20)).role, at(found, Box(x, 60, 36, 20)).states) for x in (60, 300)] == [
        ("checkbox", {CHECKED}),
        ("checkbox", frozenset()),
    ]


def test_radio_buttons_are_round():
    canvas = Canvas(700, 300)
    on, off = radio(canvas, "Particulier", 60, 60, on=True), radio(canvas, "Professionnel", 60, 100)
    found = detected(canvas)
    assert [(at(found, b).role, at(found, b).text, set(at(found, b).states)) for b in (on, off)] == [
        ("radio", "Particulier", {CHECKED}),
        ("radio", "Professionnel", set()),
    ]


def test_the_letter_o_is_no_radio_button():
    canvas = Canvas(700, 300)
    canvas.text("Ouvrir le dossier", 60, 60, size=16)
    canvas.text("0 Objets", 60, 100, size=16)
    assert {e.role for e in detected(canvas)} == {"text"}


def test_tabs_stand_on_a_line_and_the_chosen_one_is_open_to_it():
    canvas = Canvas(800, 300)
    labels = {"Général": 72, "Adresses": 172, "Factures": 280}
    for text, x in labels.items():
        canvas.text(text, x, 70)
    canvas.draw.line((40, 96, 760, 96), fill=PALE)
    canvas.draw.line((56, 96, 56, 60, 140, 60, 140, 96), fill=PALE)
    canvas.draw.line((57, 96, 139, 96), fill=LIGHT)
    tabs = [e for e in detected(canvas) if e.role == "tab"]
    assert [(t.text, set(t.states)) for t in tabs] == [("Général", {CHECKED}), ("Adresses", set()), ("Factures", set())]
    assert tabs[0].box.iou(Box(56, 60, 85, 37)) > 0.9
    assert tabs[1].box.h == tabs[0].box.h
    assert tabs[1].box.contains(canvas.lines[1].box.center)


def test_a_bar_under_one_of_several_labels_makes_tabs():
    canvas = Canvas(800, 300)
    for text, x in {"Général": 72, "Adresses": 172, "Factures": 280}.items():
        canvas.text(text, x, 70)
    canvas.draw.line((40, 98, 760, 98), fill=PALE)
    canvas.draw.rectangle((162, 96, 244, 98), fill=BLUE)
    tabs = [e for e in detected(canvas) if e.role == "tab"]
    assert [(t.text, set(t.states)) for t in tabs] == [("Général", set()), ("Adresses", {CHECKED}), ("Factures", set())]


def test_words_at_equal_distances_are_a_menu_bar_and_an_opened_menu_has_items():
    canvas = Canvas(800, 400)
    x = 20
    for text in ("Fichier", "Édition", "Affichage", "Aide"):
        x = canvas.text(text, x, 8).right + 20
    rounded(canvas, Box(16, 30, 200, 120), radius=0, fill=WHITE, outline=GREY)
    for row, text in enumerate(("Nouveau", "Ouvrir…", "Enregistrer", "Quitter")):
        canvas.text(text, 40, 38 + 28 * row, ink=DARK)
    items = [e for e in detected(canvas) if e.role == "menu_item"]
    bar = ["Fichier", "Édition", "Affichage", "Aide"]
    assert sorted(i.text for i in items) == sorted([*bar, "Nouveau", "Ouvrir…", "Enregistrer", "Quitter"])
    opened = next(i for i in items if i.text == "Ouvrir…")
    assert opened.box.w > 190, "an item is as wide as its menu"


@pytest.mark.parametrize(("ground", "ink"), [(LIGHT, (13, 110, 253)), (DARK, (110, 168, 254))])
def test_links_are_words_of_another_colour_also_within_a_line(ground, ink):
    canvas = Canvas(900, 300, background=ground)
    alone = canvas.text("Liste des pays", 60, 60, ink=ink)
    before = canvas.text("Consultez le", 60, 100)
    inner = canvas.text("guide de démarrage", before.right + 5, 100, ink=ink)
    after = canvas.text("avant de saisir.", inner.right + 5, 100)
    whole = TextLine(
        text="Consultez le guide de démarrage avant de saisir.", box=Box(60, inner.y, after.right - 60, inner.h)
    )
    canvas.lines[1:] = [whole]
    found = detected(canvas)
    links = [e for e in found if e.role == "link"]
    assert [link.text for link in links] == ["Liste des pays", "guide de démarrage"]
    assert links[0].box.iou(alone) > 0.7
    assert links[1].box.iou(inner) > 0.7
    assert [e.text for e in found if e.role == "text"] == [whole.text], "the line with a link is a text besides"


def test_a_coloured_word_on_a_coloured_ground_is_no_link():
    canvas = Canvas(900, 300)
    rounded(canvas, Box(40, 40, 800, 60), radius=6, fill=(248, 215, 218), outline=(241, 174, 181))
    canvas.text("Le paiement a été refusé, vérifiez le numéro de la carte.", 60, 60, ink=(88, 21, 28))
    assert not [e for e in detected(canvas) if e.role in ("link", "button", "field")]


def test_a_word_on_a_patch_of_colour_in_a_table_is_no_button():
    canvas = Canvas(900, 300)
    for row, (text, fill) in enumerate((("en cours", (25, 135, 84)), ("en retard", (220, 53, 69)), ("réglée", BLUE))):
        rounded(canvas, Box(600, 60 + 40 * row, 80, 21), radius=5, fill=fill)
        middle_text(canvas, text, Box(600, 60 + 40 * row, 80, 21), ink=WHITE, size=12)
    assert {e.role for e in detected(canvas)} == {"text"}


def test_small_pictures_are_icons_and_those_in_a_button_are_not():
    canvas = Canvas(700, 300)
    canvas.icon(60, 60, seed=1)
    canvas.draw.rectangle((200, 60, 320, 95), fill=(228, 228, 228), outline=GREY)
    canvas.draw.ellipse((212, 70, 226, 84), outline=DARK, width=2)
    canvas.text("Rechercher", 234, 69, ink=DARK)
    found = detected(canvas)
    assert {(e.role, e.text) for e in found} == {("icon", ""), ("button", "Rechercher")}


def test_a_picture_that_was_read_as_a_letter_is_an_icon_before_a_shorter_text():
    canvas = Canvas(700, 300)
    canvas.draw.ellipse((60, 60, 73, 73), outline=DARK, width=2)
    canvas.draw.line((72, 72, 77, 77), fill=DARK, width=2)
    box = canvas.text("Rechercher", 86, 60)
    canvas.lines = [TextLine(text="Q Rechercher", box=Box(58, 58, box.right - 58, 22))]
    found = detected(canvas)
    assert {(e.role, e.text) for e in found} == {("icon", ""), ("text", "Rechercher")}
    assert next(e for e in found if e.role == "text").box.x >= 80


def test_a_frame_around_several_controls_is_a_group():
    canvas = Canvas(900, 600)
    canvas.draw.rectangle((300, 480, 660, 540), outline=(120, 120, 120))
    canvas.button("OK", Box(320, 494, 120, 32))
    canvas.button("Annuler", Box(500, 494, 120, 32))
    found = detected(canvas)
    assert at(found, Box(300, 480, 360, 60)).role == "group"
    assert at(found, Box(320, 494, 120, 32)).text == "OK"


def test_buttons_that_were_read_as_one_line_have_each_their_text():
    canvas = Canvas(900, 300)
    canvas.button("Enregistrer", Box(60, 60, 110, 32))
    canvas.button("Annuler", Box(178, 60, 90, 32))
    canvas.lines = [TextLine(text="Enregistrer Annuler", box=Box(64, 66, 190, 20))]
    assert [(e.role, e.text) for e in detected(canvas)] == [("button", "Enregistrer"), ("button", "Annuler")]


def test_what_is_disabled_is_fainter_than_its_like():
    """S2.9, states."""
    canvas = Canvas(900, 400)
    canvas.text("Nom du client", 60, 30)
    plain, greyed = canvas.field(Box(60, 60, 300, 30), "Alice"), Box(400, 60, 300, 30)
    rounded(canvas, greyed, radius=0, fill=(224, 226, 229), outline=GREY)
    canvas.text("A-1024", 408, 67, ink=(110, 110, 110))
    on, off = Box(60, 120, 120, 34), Box(200, 120, 120, 34)
    rounded(canvas, on, radius=4, fill=BLUE)
    middle_text(canvas, "Valider", on, ink=WHITE)
    rounded(canvas, off, radius=4, fill=(160, 200, 254))
    middle_text(canvas, "Envoyer", off, ink=(240, 246, 255))
    box, faint = check_box(canvas, "Compte actif", 60, 200), check_box(canvas, "Archives", 60, 240, ink=(170, 170, 170))
    found = detected(canvas)
    assert [DISABLED in at(found, b).states for b in (plain, on, box)] == [False] * 3
    assert [DISABLED in at(found, b).states for b in (greyed, off, faint)] == [True] * 3


def test_a_field_that_asks_for_words_is_not_disabled_beside_the_one_that_has_the_focus():
    canvas = Canvas(500, 300)
    focused, asking, off = Box(40, 30, 300, 34), Box(40, 90, 300, 34), Box(40, 150, 300, 34)
    for box, line, words, ink in (
        (focused, BLUE, "Marie", DARK),
        (asking, (176, 176, 176), "First name", (140, 140, 140)),
        (off, (226, 226, 226), "First name", (176, 176, 176)),
    ):
        rounded(canvas, box, radius=4, fill=WHITE, outline=line)
        canvas.text(words, box.x + 10, box.y + 9, ink=ink)
    found = detected(canvas)
    assert [DISABLED in at(found, box).states for box in (focused, asking, off)] == [False, False, True]


def test_a_text_cursor_shows_which_field_has_the_focus_and_a_ring_does_not():
    """A ring may as well say that a value is wrong, or frame a group (S2.9)."""
    canvas = Canvas(900, 300)
    rounded(canvas, Box(56, 56, 308, 38), radius=6, fill=(190, 215, 254))
    ringed, other = canvas.field(Box(60, 60, 300, 30), "Alice"), canvas.field(Box(60, 120, 300, 30), "")
    assert not any(FOCUSED in e.states for e in detected(canvas))
    canvas.draw.rectangle((68, 126, 68, 143), fill=(0, 0, 0))
    found = detected(canvas)
    assert [set(at(found, b).states) for b in (ringed, other)] == [set(), {FOCUSED}]
    canvas.field(Box(60, 180, 300, 30), "")
    canvas.draw.rectangle((68, 186, 68, 203), fill=(0, 0, 0))
    assert not any(FOCUSED in e.states for e in detected(canvas)), "two cannot have it"


@pytest.mark.timing
def test_five_thousand_words_are_searched_in_bounded_time():
    """Bad input of the issue: a screen full of words, each a line."""
    canvas = Canvas(1920, 1080)
    word = Canvas(40, 16)
    word.text("mot", 2, 1, size=11)
    tile = np.tile(word.pixels, (67, 48, 1))
    pixels = canvas.pixels.copy()
    pixels[: tile.shape[0], : tile.shape[1]] = tile[:1080, :1920]
    lines = [
        TextLine(text="mot", box=Box(40 * i + 2, 16 * j + 2, 24, 12)) for j in range(67) for i in range(48) if j < 66
    ]
    lines += [replace(line, box=Box(line.box.x + 26, *line.box[1:2], 8, 12), text="a") for line in lines[:1900]]
    started = time.process_time()
    found = FrameDetector().detect(pixels, lines)
    assert len(lines) > 5000
    assert 0 < len(found) <= 2000
    assert time.process_time() - started < 5


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 400, 3), (400, 1, 3), (0, 10, 3), (300, 400, 3)])
@pytest.mark.parametrize("level", [0, 255])
def test_an_empty_picture_has_no_elements(shape, level):
    assert FrameDetector().detect(np.full(shape, level, np.uint8), []) == ()


def test_noise_has_no_elements_worth_naming():
    noise = np.random.default_rng(5).integers(0, 256, (400, 600, 3)).astype(np.uint8)
    assert FrameDetector().detect(noise, []) == ()


def test_lines_outside_the_picture_are_left_out():
    """Bad input of the issue: a reader that returns boxes outside the picture."""
    lines = [TextLine(text="dehors", box=Box(x, y, 60, 20)) for x, y in ((-30, 10), (580, 10), (10, 395), (900, 900))]
    lines.append(TextLine(text="vide", box=Box(10, 10, 0, 0)))
    assert FrameDetector().detect(np.full((400, 600, 3), 255, np.uint8), lines) == ()


@pytest.mark.parametrize(
    "picture", [np.zeros((40, 40), np.uint8), np.zeros((40, 40, 4), np.uint8), np.zeros((40, 40, 3), np.uint16)]
)
def test_what_is_no_bgr_picture_is_refused(picture):
    with pytest.raises(ValueError, match="convert it first"):
        FrameDetector().detect(picture, [])


@pytest.mark.parametrize("kind", ["radio", "checkbox"])
@pytest.mark.parametrize(("before", "behind"), [(0, 0), (0, 20), (18, 0)], ids=["apart", "next word", "last word"])
def test_what_the_reader_joined_is_cut_at_the_markers(kind: str, before: int, behind: int):
    """S2.9: each check box and radio button of a line has its own caption, whichever word its marker was read into."""
    canvas = Canvas(700, 200)
    captions = ("Inpatient", "Outpatient", "Day case")
    boxes, words, x = [], [], 40
    for number, caption in enumerate(captions):
        box = radio(canvas, "", x, 60) if kind == "radio" else check_box(canvas, "", x, 60, on=number == 1)
        said = canvas.text(caption, x + 24, 60)
        boxes.append(box)
        first = caption.split()[0]
        left, right = said.x - 40 - (behind if number else 0), said.right - 40 + (before if number < 2 else 0)
        middle = said.x - 40 + round(said.w * len(first) / len(caption))
        words += [Word(first, left, right if first == caption else middle - 4)]
        words += [] if first == caption else [Word("case", middle, right)]
        x = said.right + 20
    canvas.lines[:] = [TextLine(text=" ".join(captions), box=Box(40, 58, x - 60, 20), words=tuple(words))]
    found = FrameDetector().detect(canvas.pixels, canvas.lines)
    assert [(e.role, e.text) for e in found if e.role == kind] == [(kind, caption) for caption in captions]
    assert all(at(found, box).role == kind for box in boxes)
    assert [CHECKED in e.states for e in found if e.role == kind] == [False, kind == "checkbox", False]
    assert sorted(e.text for e in found if e.role == "text") == sorted(captions)


@pytest.mark.parametrize("on", [0, 1])
def test_radio_buttons_that_are_hardly_drawn_are_found_by_the_one_that_is_on(on: int):
    """S2.9: as Tk draws them: a light disc on a light ground, and half a border."""
    canvas = Canvas(700, 200, background=(217, 217, 217))
    boxes, words, x = [], [], 40
    for number, caption in enumerate(("Male", "Female")):
        box = Box(x, 63, 11, 11)
        canvas.draw.ellipse((x, 63, x + 10, 73), fill=WHITE)
        canvas.draw.arc((x, 63, x + 10, 73), 135, 315, fill=(110, 110, 110))
        if number == on:
            canvas.draw.ellipse((x + 4, 67, x + 6, 69), fill=(0, 0, 0))
        said = canvas.text(caption, x + 20, 60)
        boxes.append(box)
        words.append(Word(caption, x - 40, said.right - 40))
        x = said.right + 12
    canvas.lines[:] = [TextLine(text="Male Female", box=Box(40, 58, x - 52, 20), words=tuple(words))]
    radios = [e for e in detected(canvas) if e.role == "radio"]
    assert [(e.text, CHECKED in e.states) for e in radios] == [("Male", on == 0), ("Female", on == 1)]
    assert all(e.box.iou(box) > 0.6 for e, box in zip(radios, boxes, strict=True))
