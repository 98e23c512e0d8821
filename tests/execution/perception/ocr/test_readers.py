"""S2.8: what every reader does, whichever it is; each case runs for all of them."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.perception.analyzer import reader_from
from execution.perception.config import PerceptionConfig
from execution.perception.ocr import READERS, open_reader
from execution.perception.ocr.base import TextReader, in_reading_order
from execution.perception.ocr.easyocr import EasyReader
from execution.perception.ocr.rapidocr import RapidReader
from execution.perception.ocr.tesseract import TesseractReader
from execution.types import Box, TextLine
from tests.execution.perception.drawing import DARK, LIGHT, Canvas
from tests.execution.perception.ocr.standin import InkReader

# EasyOCR and torch warn of what they themselves do; the product keeps it out of the log by filters that pytest resets.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*pin_memory.*"),
    pytest.mark.filterwarnings("ignore:.*quantiz.*"),
]

TEXTS = ("Invoice number 10452", "Save document", "Total amount due", "Customer")


def page(background: tuple[int, int, int] = LIGHT) -> Canvas:
    """Two rows of two texts."""
    canvas = Canvas(560, 150, background=background)
    for index, text in enumerate(TEXTS):
        canvas.text(text, 30 + 270 * (index % 2), 25 + 70 * (index // 2), size=16)
    return canvas


def ink_reader() -> EasyReader:
    """EasyOCR's place taken by an engine that sees ink: what is tested is what the reader makes of it."""
    reader = EasyReader()
    reader._reader = InkReader(page().lines)
    return reader


@pytest.fixture(scope="module")
def sighted() -> Callable[[str], TextReader]:
    """Readers that read, by name, each opened once."""
    opened: dict[str, TextReader] = {}
    makers: dict[str, Callable[[], TextReader]] = {
        "rapidocr": RapidReader, "easyocr": ink_reader, "tesseract": lambda: TesseractReader(languages="eng"),
    }  # fmt: skip

    def get(name: str) -> TextReader:
        return opened.setdefault(name, opened.get(name) or makers[name]())

    return get


TESSERACT = pytest.param("tesseract", marks=pytest.mark.extras)


@pytest.fixture(params=["easyocr", "rapidocr", TESSERACT])
def any_reader(request: pytest.FixtureRequest, sighted: Callable[[str], TextReader]) -> TextReader:
    return sighted(request.param)


@pytest.fixture(scope="module")
def real(easyocr_folder: Path) -> EasyReader:
    """EasyOCR itself, with weights that say nothing sensible and take every path."""
    return EasyReader(folder=easyocr_folder, languages=("en", "fr"), least_confidence=0.0)


@pytest.fixture(params=[pytest.param("easyocr", marks=pytest.mark.extras), "rapidocr", TESSERACT])
def hardy_reader(request: pytest.FixtureRequest, sighted: Callable[[str], TextReader]) -> TextReader:
    """The same, with the real EasyOCR: for pictures whose text does not matter."""
    if request.param == "easyocr":
        return request.getfixturevalue("real")
    return sighted(request.param)


def inside(lines: tuple[TextLine, ...], width: int, height: int) -> bool:
    whole = Box(0, 0, width, height)
    return all(line.box.area and line.box.intersection(whole) == line.box for line in lines)


@pytest.mark.parametrize("background", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_come_in_reading_order_with_boxes_around_their_ink(any_reader, background):
    canvas = page(background)
    lines = any_reader.read(canvas.pixels)
    assert [line.text for line in lines] == list(TEXTS)
    for line, truth in zip(lines, canvas.lines, strict=True):
        assert line.box.iou(truth.box) > 0.5
        assert line.box.contains(truth.box.center)
        assert 0.3 <= line.confidence <= 1.0


@pytest.mark.parametrize("reader", ["rapidocr", TESSERACT])
def test_words_are_those_of_their_line_from_the_left(sighted, reader):
    for line in sighted(reader).read(page().pixels):
        assert [word.text for word in line.words] == line.text.split()
        edges = [edge for word in line.words for edge in (word.left, word.right)]
        assert edges == sorted(edges)
        assert edges[0] >= 0
        assert edges[-1] <= line.box.w


def test_a_region_gives_its_lines_in_pixels_of_the_whole_picture(any_reader):
    canvas = page()
    truth = canvas.lines[3]
    (line,) = any_reader.read(canvas.pixels, Box(280, 80, 230, 50))
    assert line.text == truth.text
    assert line.box.iou(truth.box) > 0.5


def test_a_region_that_reaches_out_of_the_picture_is_cut_to_it(any_reader):
    canvas = page()
    lines = any_reader.read(canvas.pixels, Box(-50, -50, 320, 5000))
    assert [line.text for line in lines] == [TEXTS[0], TEXTS[2]]
    assert inside(lines, 560, 150)


@pytest.mark.parametrize("region", [Box(2000, 10, 50, 50), Box(10, 10, 0, 40), Box(-90, -90, 80, 80)])
def test_a_region_with_no_pixels_holds_nothing(any_reader, region):
    assert any_reader.read(page().pixels, region) == ()


@pytest.mark.parametrize("value", [0, 128, 255], ids=["black", "grey", "white"])
def test_a_picture_of_one_colour_holds_nothing(any_reader, value):
    assert any_reader.read(np.full((60, 120, 3), value, np.uint8)) == ()


NOISE = np.random.default_rng(7).integers(0, 255, (40, 90, 3), np.uint8)
STRANGE = {
    "1 × 1": np.zeros((1, 1, 3), np.uint8),
    "a column": np.full((60, 1, 3), 90, np.uint8),
    "a row": NOISE[:1, :30],
    "2 × 3": NOISE[:2, :3],
    "noise": NOISE,
    "stripes": np.tile(np.array([0, 255], np.uint8)[:, None, None], (20, 80, 3)),
    "torn": np.concatenate([page().pixels[20:50, 20:110], NOISE[:20]]),
}


@pytest.mark.parametrize("name", STRANGE)
def test_no_picture_brings_a_reader_down_or_gives_text_beside_it(hardy_reader, name):
    pixels = STRANGE[name]
    lines = hardy_reader.read(pixels)
    assert inside(lines, pixels.shape[1], pixels.shape[0])
    assert all(line.text.strip() == line.text and line.text for line in lines)


@pytest.mark.parametrize("text", ["مرحبا بالعالم", "שלום עולם", "Total مرحبا 12,50", "日本語の画面", "👍 ☑ ▲"])
def test_text_of_other_scripts_brings_no_reader_down(hardy_reader, text):
    canvas = Canvas(170, 40)
    canvas.text(text, 10, 10, size=16)
    assert inside(hardy_reader.read(canvas.pixels), 170, 40)


@pytest.mark.parametrize(
    ("pixels", "said"),
    [
        (np.zeros((20, 40), np.uint8), "20 × 40 of uint8"),
        (np.zeros((20, 40, 1), np.uint8), "20 × 40 × 1"),
        (np.zeros((20, 40, 4), np.uint8), "20 × 40 × 4"),
        (np.zeros((20, 40, 3), np.uint16), "uint16"),
        (np.zeros((20, 40, 3), np.float32), "float32"),
        ([[0, 0, 0]], "not list"),
    ],
    ids=["grey", "one channel", "transparent", "16 bit", "float", "no array"],
)
def test_what_is_no_bgr_picture_is_refused_in_words(any_reader, pixels: Any, said):
    """Whoever opens a file converts it: a reader would have to guess what the numbers mean."""
    with pytest.raises(ValueError, match=said):
        any_reader.read(pixels)


def test_threads_get_the_lines_of_their_own_pictures(any_reader):
    whole = page().pixels
    regions = {0: Box(0, 10, 280, 50), 1: Box(280, 10, 280, 50), 2: Box(0, 80, 280, 50)}
    said: dict[int, list[str]] = {}

    def work(index: int) -> None:
        said[index] = [line.text for line in any_reader.read(whole, regions[index])]

    threads = [threading.Thread(target=work, args=(i,)) for i in regions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {i: [TEXTS[i]] for i in regions}


def test_an_unknown_reader_is_refused_with_the_list_of_those_there_are():
    with pytest.raises(ValueError, match=r"'paddle'.*easyocr, rapidocr, tesseract"):
        open_reader("paddle")


@pytest.mark.parametrize("name", sorted(READERS))
def test_the_configured_reader_is_opened_with_its_folder_and_languages(name, tmp_path):
    reader = reader_from(PerceptionConfig(reader=name, models_dir=tmp_path, languages=("fr", "de")))
    assert reader is not None
    assert reader.name == name
    kept = {key: value for key, value in vars(reader).items() if key in ("_folder", "_languages")}
    expected = {"easyocr": {"_folder": tmp_path, "_languages": ("fr", "de")}, "tesseract": {"_languages": "fra+deu"}}
    assert kept == expected.get(name, {})


def test_no_reader_can_be_configured():
    assert reader_from(PerceptionConfig(reader="none")) is None


def test_importing_perception_loads_no_model_library():
    """D4: heavy imports stay inside what uses them."""
    heavy = "{'torch', 'easyocr', 'rapidocr', 'openvino', 'onnxruntime', 'open_clip', 'mss', 'pyautogui'}"
    modules = "execution.perception.analyzer, execution.targeting.resolver, execution.matching"
    code = f"import sys, {modules}\nfrom execution.perception.config import PerceptionConfig"
    code += "\nfor name in ('rapidocr', 'easyocr', 'tesseract'):"
    code += "\n    execution.perception.ocr.open_reader(name)"
    code += "\n    PerceptionConfig(reader=name, embedder='open_clip').problems()"
    code += f"\nprint(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_perception_matching_and_targeting_know_no_orm():
    """D3: these rooms hold values and pixels alone: no rows, no settings, no app of the site."""
    modules = "execution.perception.analyzer, execution.teaching.evidence, execution.targeting.resolver, "
    modules += "execution.matching, execution.verification.verifier, execution.perception.config"
    rows = "m.startswith('django.contrib') or m in ('workflows.models', 'execution.models', 'gpu.manager')"
    code = f"import sys, {modules}; print(sorted(m for m in sys.modules if {rows}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@given(st.lists(st.builds(Box, *[st.integers(0, 900)] * 2, st.integers(1, 300), st.integers(5, 40)), max_size=20))
def test_reading_order_keeps_every_line_and_starts_at_the_top(boxes):
    lines = [TextLine(text=str(i), box=box) for i, box in enumerate(boxes)]
    ordered = in_reading_order(lines)
    assert sorted(line.text for line in ordered) == sorted(line.text for line in lines)
    if lines:
        top = min(line.box.center.y for line in lines)
        assert ordered[0].box.center.y <= top + max(line.box.h for line in lines)


def test_reading_order_goes_along_a_row_before_the_next():
    def line(text: str, x: int, y: int) -> TextLine:
        return TextLine(text=text, box=Box(x, y, 60, 16))

    ordered = in_reading_order([line("d", 200, 43), line("b", 200, 8), line("a", 10, 10), line("c", 10, 40)])
    assert [piece.text for piece in ordered] == ["a", "b", "c", "d"]
