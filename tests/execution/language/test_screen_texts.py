from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from execution.language.fuzzy import SAME, SEEN
from execution.language.joining import part_of
from execution.language.screen_texts import JOINED, LINE, PART, WRAPPED, ScreenWords, wanted
from execution.types import Box, TextLine
from tests.execution.perception.drawing import FONTS, Canvas


def screen(*rows: str | tuple[str, int, int]) -> ScreenWords:
    lines = []
    for index, row in enumerate(rows):
        text, x, y = row if isinstance(row, tuple) else (row, 20, 20 + 40 * index)
        lines.append(TextLine(text=text, box=Box(x, y, 8 * len(text), 16)))
    return ScreenWords(lines)


@pytest.mark.parametrize("text", ["Save", "save", "Untitled 1", "Mousepad", "Préférences", "File"])
def test_a_text_is_seen_as_a_line_or_inside_one(text):
    assert screen("Save", "*Untitled 1 - Mousepad", "Mes preferences", "File Edit").seen(text) >= SEEN


@pytest.mark.parametrize("text", ["Sav", "Untitled 2", "pad", "", "..."])
def test_what_is_not_there_is_not_seen(text):
    assert screen("Save", "*Untitled 1 - Mousepad").seen(text) == 0.0


def test_a_text_that_the_reader_split_is_seen_over_its_pieces():
    assert screen(("Total", 20, 20), ("amount", 80, 21)).seen("Total amount") == 1.0


def test_pieces_that_stand_far_apart_or_on_two_rows_are_not_one_text():
    assert screen(("Total", 20, 20), ("amount", 600, 20)).seen("Total amount") == 0.0
    assert screen(("Total", 20, 20), ("amount", 80, 60)).seen("Total amount") == 0.0


def test_a_text_inside_a_denial_is_not_seen():
    """S5.2: "saved" is not what "could not be saved" says."""
    assert screen("The file was saved").seen("saved") == 1.0
    assert screen("The file was not saved").seen("saved") == 0.0
    assert screen("Le fichier n'a pas été enregistré").seen("enregistré") == 0.0
    assert screen("The file was not saved").seen("was not saved") == 1.0


def test_strictly_only_the_very_name_is_seen():
    there = screen("Patient: Marie Dupond")
    assert there.seen("Marie Dupont") >= SEEN
    assert there.seen("Marie Dupont", strict=True) == 0.0
    assert there.seen("Marie Dupond", strict=True) == 1.0


def test_whole_lines_and_parts_of_lines_are_told_apart():
    there = screen("Save", "Save As...", "Save All")
    assert [s.line.text for s in there.whole_lines("Save", minimum=SAME)] == ["Save"]
    parts = list(there.inside_lines("Save", minimum=SAME))
    assert [s.line.text for s in parts] == ["Save As...", "Save All"]
    assert all(not s.whole for s in parts)


def test_the_part_of_a_line_has_its_part_of_the_box():
    line = TextLine(text="File Edit View", box=Box(100, 10, 140, 16))
    (part,) = ScreenWords([line]).inside_lines("Edit", minimum=SAME)
    assert part.box.iou(Box(148, 10, 38, 16)) > 0.8


def test_a_template_asks_for_its_filled_text_exactly():
    assert (wanted("Save", {}).text, wanted("Save", {}).exact) == ("Save", False)
    filled = wanted("Patient {{ name }}", {"name": "Ana"})
    assert (filled.text, filled.exact, filled.problem) == ("Patient Ana", True, "")
    assert "name has no value" in wanted("Patient {{name}}", {}).problem


# --- every sighting ---------------------------------------------------------------------------------------------------
def line(text: str, x: int, y: int, *, w: int | None = None, h: int = 16) -> TextLine:
    return TextLine(text=text, box=Box(x, y, 8 * len(text) if w is None else w, h))


def hows(lines: list[TextLine], text: str, *, strict: bool = False) -> list[str]:
    return [s.how for s in ScreenWords(lines).sightings(text, strict=strict)]


def test_whole_lines_come_first_then_parts_then_joined_then_wrapped():
    lines = [
        line("Save As", 500, 40), line("as", 68, 100), line("Save", 20, 100),
        line("Save", 20, 200), line("as", 20, 218), line("File Save As Help", 20, 300),
    ]  # fmt: skip
    found = ScreenWords(lines).sightings("Save as")
    assert [s.how for s in found] == [LINE, PART, JOINED, WRAPPED]
    assert [s.whole for s in found] == [True, False, True, True]


def test_the_box_of_joined_and_wrapped_pieces_covers_them_all():
    found = ScreenWords([line("Save", 20, 100), line("as", 68, 101)]).sightings("Save as")
    assert [s.box for s in found] == [Box(20, 100, 64, 17)]
    found = ScreenWords([line("Save", 20, 100), line("the record", 12, 118)]).sightings("Save the record")
    assert [s.box for s in found] == [Box(12, 100, 80, 34)]


@pytest.mark.parametrize(
    ("text", "read"), [("View", "FileEdit View"), ("Edit", "FileEdit View"), ("Save", "Open...Save")]
)
def test_a_word_that_the_reader_glued_to_another_is_a_part(text, read):
    (seen,) = ScreenWords([line(read, 100, 20)]).sightings(text)
    assert (seen.how, seen.whole) == (PART, False)
    assert seen.score >= SAME
    start = read.index(text)
    assert abs(seen.box.x - (100 + 8 * start)) <= 10 and abs(seen.box.w - 8 * len(text)) <= 10


def test_a_text_that_the_reader_glued_whole_is_the_whole_line():
    assert [(s.how, s.score) for s in ScreenWords([line("SaveAs...", 20, 20)]).sightings("Save As...")] == [(LINE, 1.0)]


@pytest.mark.parametrize(
    ("text", "read"),
    [("Durand", "Durandal"), ("Phone", "iPhone"), ("Donald", "McDonald"), ("edit", "Credited"), ("Sav", "FileSave")],
)
def test_a_part_of_a_word_that_nobody_glued_is_not_there(text, read):
    assert hows([line(read, 20, 20)], text) == []


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([("Enregistrer et", 20), ("continuer", 20)], "Enregistrer et continuer"),
        ([("Enregistrer et", 20), ("continuer", 40)], "Enregistrer et continuer"),  # in the middle aligned
        ([("Enregis-", 20), ("trement", 20)], "Enregistrement"),
        ([("Jean-", 20), ("Paul", 20)], "Jean-Paul"),
        ([("Mot de", 20), ("passe", 20), ("oublié", 20)], "Mot de passe oublié"),
    ],
)
def test_a_text_wrapped_over_lines_is_seen(rows, text):
    lines = [line(row, x, 100 + 19 * index) for index, (row, x) in enumerate(rows)]
    assert hows(lines, text) == [WRAPPED]
    assert ScreenWords(lines).seen(text) >= SEEN


def test_lines_that_stand_apart_or_beside_are_not_wrapped():
    assert hows([line("Mot de", 20, 100), line("passe", 20, 160)], "Mot de passe") == []
    assert hows([line("Mot de", 20, 100), line("passe", 200, 119)], "Mot de passe") == []
    assert hows([line("Mot de", 20, 100), line("passe", 20, 119, h=40)], "Mot de passe") == []


def test_a_text_that_begins_within_one_line_and_ends_within_the_next_is_seen_but_gives_no_place():
    lines = [line("To go on please click", 20, 100), line("here or there", 20, 119)]
    assert ScreenWords(lines).seen("click here") == 1.0
    assert hows(lines, "click here") == []


def test_every_occurrence_in_one_line_has_its_own_box():
    found = ScreenWords([line("Open Close Open", 20, 20)]).sightings("Open")
    assert len(found) == 2
    assert found[0].box.right < found[1].box.x


def test_strictly_no_other_digit_letter_or_place_between_words_passes():
    there = [line("Patient 4711", 20, 20), line("Durandal", 20, 60), line("DurandMarie", 20, 100)]
    assert hows(there, "Patient 4712", strict=True) == []
    assert hows(there, "Durand", strict=True) == []
    assert hows(there, "Patient 4711", strict=True) == [LINE]
    assert hows([line("12", 20, 20), line("34", 44, 20)], "1234", strict=True) == []
    assert hows([line("12", 20, 20), line("34", 44, 20)], "1234") == []
    assert hows([line("12", 20, 20), line("34", 20, 38)], "1234") == []
    assert hows([line("12", 20, 20), line("34", 44, 20)], "12 34", strict=True) == [JOINED]
    assert hows([line("Du", 20, 20), line("rand", 37, 20)], "Durand", strict=True) == [JOINED]  # cut within a word
    assert hows([line("Du", 20, 20), line("rand", 48, 20)], "Durand", strict=True) == []


@given(st.text("abcdefghjkstuvwxyz", min_size=4, max_size=9), st.text("0123456789", min_size=2, max_size=6), st.data())
def test_a_name_or_number_with_one_character_changed_is_never_strictly_seen(name, number, data):
    text = f"{name.capitalize()} {number}"
    at = data.draw(st.integers(0, len(text) - 1).filter(lambda i: text[i] != " "))
    others = "0123456789" if text[at].isdigit() else "abcdefghjkstuvwxyz"
    other = data.draw(st.sampled_from(others).filter(lambda c: c != text[at].lower()))
    changed = text[:at] + other + text[at + 1 :]
    first, second = changed.split(" ")
    for lines in (
        [line(changed, 20, 20)],
        [line(first, 20, 20), line(second, 28 + 8 * len(first), 20)],
        [line(first, 20, 20), line(second, 20, 38)],
        [line(f"Dossier {changed} ouvert", 20, 20)],
    ):
        assert hows(lines, text, strict=True) == []


@given(st.lists(st.text("abcdefghjkstuvwxyz", min_size=3, max_size=8), min_size=2, max_size=4), st.integers(1, 3))
def test_a_text_is_seen_whole_split_and_wrapped(pieces, at):
    at = min(at, len(pieces) - 1)
    text, (one, two) = " ".join(pieces), (" ".join(pieces[:at]), " ".join(pieces[at:]))
    assert LINE in hows([line(text, 20, 20)], text, strict=True)
    assert JOINED in hows([line(one, 20, 20), line(two, 28 + 8 * len(one), 20)], text, strict=True)
    assert WRAPPED in hows([line(one, 20, 20), line(two, 20, 38)], text, strict=True)


def test_what_a_line_above_or_left_of_it_denies_is_not_seen():
    """S5.2: a banner that wraps must not lie."""
    assert (
        ScreenWords([line("The file could not be", 20, 20), line("saved to disk", 20, 38)]).seen("saved to disk") == 0.0
    )
    assert ScreenWords([line("The file could not be", 20, 20), line("saved to disk", 20, 38)]).seen("saved") == 0.0
    assert ScreenWords([line("was not", 20, 20), line("saved", 84, 20)]).seen("saved") == 0.0
    assert ScreenWords([line("FileNotSaved", 20, 20)]).seen("Saved") == 0.0
    assert ScreenWords([line("No results.", 20, 20), line("Saved", 20, 38)]).seen("Saved") == 1.0


def test_the_part_of_a_line_lies_where_it_is_drawn():
    """Within 6 pixels, in proportional fonts whose metrics nobody knows."""
    for font in ("DejaVuSans", "DejaVuSans-Bold"):
        for text in ("Illicit millimetres WWW", "File Edit View Window Help", "il mw il Menu", "Total: 1 250,50"):
            canvas = Canvas(900, 100)
            whole = canvas.text(text, 50, 40, size=14, font=font)
            for word in text.split(" "):
                before = text[: text.index(word)]
                face = ImageFont.truetype(str(FONTS / f"{font}.ttf"), 14)
                left, right = face.getlength(before), face.getlength(before + word)
                box = part_of(whole, (len(before), len(before + word)), text)
                assert abs(box.x - (50 + left)) <= 6, (text, word)
                assert abs(box.right - (50 + right)) <= 6, (text, word)


def test_on_a_screen_of_five_thousand_words_every_sighting_is_found():
    lines = [
        line("Open" if i % 25 == 0 else f"Word{'abcdefgh'[i % 8]} {i}", 20 + 90 * (i % 20), 24 * (i // 20))
        for i in range(5000)
    ]
    there = ScreenWords(lines)
    for text, count in (("Open", 200), ("Worda 8", 1), ("Enregistrer sous un autre nom", 0)):
        assert len(there.sightings(text)) == count


def test_keys_that_a_reader_took_together_with_an_entry_are_no_part_of_it():
    there = screen("Quit Ctrl+Q", "Use Ctrl+C to copy")
    (quit_,) = there.whole_lines("Quit", minimum=SAME)
    assert (quit_.box.x, quit_.score) == (20, 1.0)
    assert quit_.box.right < 20 + 8 * len("Quit C")
    assert list(there.whole_lines("Use", minimum=SAME)) == []
    (joined,) = there.sightings("Quit Ctrl+Q")
    assert (joined.whole, joined.how) == (True, JOINED)
