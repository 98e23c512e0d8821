"""S2.10: the built-in embedding looks at what makes a screen this screen, and past what changes from day to day."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from execution.perception.embedding import BuiltinEmbedder, ModelsDiffer, cosine
from execution.perception.embedding.builtin import find_marks
from execution.types import Box, Embedding
from tests.execution.perception.drawing import Canvas

LIGHT, DARK = (250, 250, 250), (28, 28, 32)


@dataclass(frozen=True, kw_only=True)
class Form:
    """A window of an application, drawn as it is set up today."""

    title: str = "Invoice"
    labels: Sequence[str] = ("Number", "Customer", "Due date", "Amount", "Remark", "Currency")
    values: Sequence[str] = ("10452", "Marie Dupont", "21/11/2026", "1 250,50", "", "EUR")
    tabs: Sequence[str] = ("General", "Lines", "Payments", "History")
    tab: int = 0
    buttons: Sequence[str] = ("Save", "Cancel", "Print")
    menu: Sequence[str] = ()
    dialog: str = ""
    accent: tuple[int, int, int] = (40, 90, 160)
    dark: bool = False
    place: tuple[int, int] = (60, 40)
    scale: float = 1.0

    def drawn(self) -> np.ndarray:
        ground, z = DARK if self.dark else LIGHT, self.scale
        canvas = Canvas(round(1280 * z), round(800 * z), background=(84, 104, 84))
        canvas.ink = LIGHT if self.dark else DARK
        x, y = (round(v * z) for v in self.place)

        def box(left: int, top: int, width: int, height: int, **how: object) -> None:
            at = (x + left * z, y + top * z, x + (left + width) * z - 1, y + (top + height) * z - 1)
            canvas.draw.rectangle(at, **how)

        def write(text: str, left: int, top: int, *, size: int = 13, ink: tuple[int, ...] | None = None) -> None:
            canvas.text(text, x + round(left * z), y + round(top * z), size=round(size * z), ink=ink)

        box(0, 0, 1000, 640, fill=ground, outline=(120, 120, 120))
        box(0, 0, 1000, 34, fill=self.accent)
        write(self.title, 16, 8, size=15, ink=(255, 255, 255))
        for index, name in enumerate(self.tabs):
            write(name, 20 + 110 * index, 52)
            if index == self.tab:
                box(16 + 110 * index, 72, 90, 3, fill=self.accent)
        for index, (label, value) in enumerate(zip(self.labels, self.values, strict=True)):
            write(label, 30, 110 + 56 * index)
            box(200, 102 + 56 * index, 420, 32, fill=(40, 40, 46) if self.dark else (255, 255, 255), outline=(150,) * 3)
            write(value, 210, 110 + 56 * index)
        for index, name in enumerate(self.buttons):
            box(30 + 130 * index, 580, 110, 34, fill=self.accent)
            write(name, 60 + 130 * index, 589, ink=(255, 255, 255))
        if self.menu:
            box(20, 34, 240, 30 * len(self.menu) + 16, fill=ground, outline=(120, 120, 120))
            for index, name in enumerate(self.menu):
                write(name, 40, 46 + 30 * index)
        if self.dialog:
            box(280, 220, 440, 170, fill=ground, outline=(90, 90, 90))
            write(self.dialog, 310, 250, size=15)
            for index, name in enumerate(("OK", "Cancel")):
                box(480 + 110 * index, 340, 96, 32, fill=self.accent)
                write(name, 505 + 110 * index, 348, ink=(255, 255, 255))
        return canvas.pixels


INVOICE = Form()
CHANGES = {
    "other data": {"values": ("87", "Zoé Lefèvre-Martin", "03/02/2027", "99,00", "paid twice", "GBP")},
    "empty fields": {"values": ("",) * 6},
    "another accent": {"accent": (180, 60, 30)},
    "dark": {"dark": True, "accent": (70, 140, 60)},
    "moved": {"place": (213, 117)},
    "at 125 %": {"scale": 1.25},
    "all of it": {"values": ("1", "A. Bé", "", "7", "x", "CHF"), "dark": True, "place": (180, 9)},
}
OTHERS = {
    "another tab": {"tab": 2, "labels": ("Method", "Bank", "Account", "Paid on", "Reference", "Open"),
                    "values": ("Transfer", "BNP", "FR76 3000", "21/11/2026", "A-17", "0")},
    "a menu": {"menu": ("New", "Open...", "Duplicate", "Export as PDF", "Delete", "Properties", "Close")},
    "a dialog": {"dialog": "Delete this invoice?"},
    "another dialog": {"dialog": "Unsaved changes will be lost."},
    "another window": {"title": "Patient file", "tabs": ("Identity", "Stays", "Letters"),
                       "labels": ("Surname", "First name", "Born", "Doctor"),
                       "values": ("FAURE", "Inès", "4/4/1961", "Dr Roche"),
                       "buttons": ("Admit", "Discharge")},
}  # fmt: skip


EMBEDDER = BuiltinEmbedder()


@cache
def seen(form: Form) -> Embedding:
    return EMBEDDER.embed(form.drawn())


@pytest.fixture
def embedder() -> BuiltinEmbedder:
    return EMBEDDER


@pytest.fixture
def base() -> Embedding:
    return seen(INVOICE)


def test_the_vector_is_of_unit_length_and_the_same_every_time(embedder, base):
    again = BuiltinEmbedder().embed(INVOICE.drawn())
    assert base.model == embedder.model_id == "builtin-2"
    assert base.vector.dtype == np.float32
    assert base.vector.shape == (1024,)
    assert np.linalg.norm(base.vector) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(base.vector, again.vector)


def test_the_vector_is_the_same_in_another_process():
    """Vectors are kept for months; the waves they are made of must not depend on a seed of the day."""
    code = "import hashlib; from execution.perception.embedding import BuiltinEmbedder as B; e = B();"
    code += "print(hashlib.md5((e._directions * 1e4).round().astype('int32').tobytes()).hexdigest())"
    said = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(2)}
    assert said == {"a276b5112a6d16ccd3257fddf5621253\n"}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_from_day_to_day_leaves_a_screen_nearer_to_itself_than_to_any_other(base, change):
    today = seen(replace(INVOICE, **CHANGES[change]))
    others = {name: cosine(seen(replace(INVOICE, **how)), today) for name, how in OTHERS.items()}
    assert cosine(base, today) > 0.6
    assert cosine(base, today) > max(others.values()), others


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.slow
def test_another_screen_of_the_same_application_is_told_from_it_whatever_the_day(base, other):
    taught = seen(replace(INVOICE, **OTHERS[other]))
    for change in CHANGES.values():
        how = {**change, **{k: v for k, v in OTHERS[other].items() if k != "values" or "values" not in change}}
        if "values" in how and "labels" in how:
            how["values"] = how["values"][: len(how["labels"])]
        today = seen(replace(INVOICE, **how))
        assert cosine(taught, today) > cosine(base, today)


def test_a_picture_of_one_colour_is_like_nothing(embedder, base):
    blank = embedder.embed(np.full((100, 100, 3), 128, np.uint8))
    assert not blank.vector.any()
    assert cosine(blank, base) == 0.0


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (500, 1), (2, 2), (3, 3), (90, 7000), (9000, 40), (4320, 7680)])
def test_pictures_of_any_size_are_taken(embedder, size):
    pixels = np.zeros((*size, 3), np.uint8)
    pixels[::2] = 255
    vector = embedder.embed(pixels).vector
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4) or not vector.any()


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((8, 8), np.uint8),
        np.zeros((8, 8, 4), np.uint8),
        np.zeros((8, 8, 3), np.uint16),
        np.zeros((0, 8, 3), np.uint8),
    ],
    ids=["grey", "transparent", "16 bit", "empty"],
)
def test_what_is_no_bgr_picture_is_refused(embedder, pixels):
    with pytest.raises(ValueError, match=r"convert it first|looks like nothing"):
        embedder.embed(pixels)


def test_a_picture_is_not_changed_and_may_lie_in_memory_in_any_way(embedder, base):
    pixels = np.asfortranarray(INVOICE.drawn())
    pixels.flags.writeable = False
    assert np.array_equal(embedder.embed(pixels).vector, base.vector)


def test_vectors_of_two_models_are_never_compared(base):
    with pytest.raises(ModelsDiffer, match=r"builtin-2.*clip"):
        cosine(base, Embedding(model="clip", vector=base.vector))
    with pytest.raises(ModelsDiffer, match="embed the stored picture again"):
        cosine(base, Embedding(model=base.model, vector=base.vector[:5]))


def test_marks_are_words_and_icons_also_inside_a_frame():
    canvas = Canvas(400, 200)
    canvas.draw.rectangle((20, 20, 380, 180), outline=(90, 90, 90))
    canvas.draw.ellipse((60, 120, 84, 144), fill=(30, 90, 200))
    truth = [canvas.text("Save", 60, 60), canvas.text("Cancel", 200, 60), Box(60, 120, 25, 25)]
    marks = find_marks(canvas.pixels)
    boxes = [Box(*map(int, box)) for box in marks.boxes]
    assert len(boxes) == 4  # the frame as well
    assert [bool(h) for h in marks.hollow] == [box.w > 100 or box.h > 20 for box in boxes]
    for box in truth:
        assert max(box.iou(found) for found in boxes) > 0.6
    assert marks.looks.shape == (4, 120)
    assert np.allclose(np.linalg.norm(marks.looks, axis=1), 1, atol=1e-5)


def test_of_too_many_marks_the_largest_are_looked_at():
    canvas = Canvas(800, 600)
    for row in range(40):
        for column in range(20):
            canvas.text(str(column), 10 + 38 * column, 14 * row, size=9)
    canvas.text("Heading", 300, 570, size=24)
    marks = find_marks(canvas.pixels)
    assert len(marks.boxes) == 400
    assert marks.boxes[:, 2].max() > 80
