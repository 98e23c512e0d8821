"""Choosing a reader by name, and the two that are not the default."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.perception.ocr import READERS, ReaderUnavailable, open_reader
from execution.perception.ocr.base import in_reading_order
from execution.perception.ocr.easyocr import DETECTOR_FILE, RECOGNISER_FILE, EasyReader
from execution.perception.ocr.tesseract import TesseractReader
from execution.types import Box, TextLine
from tests.execution.perception.drawing import Canvas


def test_an_unknown_reader_is_refused_with_the_list_of_those_there_are():
    """S2.8."""
    with pytest.raises(ValueError, match=r"'paddle'.*easyocr, rapidocr, tesseract"):
        open_reader("paddle")


@pytest.mark.parametrize("name", sorted(READERS))
def test_every_reader_opens_without_loading_anything(name):
    assert open_reader(name).name == name


def test_importing_perception_loads_no_model_library():
    """DESIGN 5.6: heavy imports stay inside what uses them."""
    heavy = "{'torch', 'easyocr', 'rapidocr', 'openvino', 'onnxruntime', 'open_clip', 'mss', 'pyautogui'}"
    modules = "execution.perception.analyzer, execution.targeting.resolver, execution.matching"
    code = f"import sys, {modules}; print(sorted({heavy} & set(sys.modules)))"
    code += "\nfor name in ('rapidocr', 'easyocr', 'tesseract'): execution.perception.ocr.open_reader(name)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_perception_matching_and_targeting_know_no_orm():
    """DESIGN 2: these rooms hold values and pixels alone."""
    modules = "execution.perception.analyzer, execution.targeting.evidence, execution.targeting.resolver, "
    modules += "execution.matching, execution.navigation.visual_verifier"
    code = f"import sys, {modules}; print(sorted(m for m in sys.modules if m.split('.')[0] == 'django'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_tesseract_reads_lines_of_the_whole_picture_and_of_a_region():
    canvas = Canvas(700, 300)
    box = canvas.text("Enregistrer la facture", 300, 180, size=16)
    canvas.text("Save document", 40, 40, size=16)
    reader = TesseractReader()
    lines = reader.read(canvas.pixels)
    assert [line.text for line in lines] == ["Save document", "Enregistrer la facture"]
    assert lines[1].box.iou(box) > 0.5
    (line,) = reader.read(canvas.pixels, Box(280, 160, 400, 70))
    assert line.text == "Enregistrer la facture"
    assert line.box.iou(box) > 0.5


def test_tesseract_names_a_missing_program_with_what_to_install():
    with pytest.raises(ReaderUnavailable, match=r"'no-such-program'.*apt-get install tesseract-ocr"):
        TesseractReader(program="no-such-program").read(Canvas(100, 60).pixels)


def test_tesseract_names_a_missing_language():
    with pytest.raises(ReaderUnavailable, match="no data for tlh"):
        TesseractReader(languages="eng+tlh").read(Canvas(100, 60).pixels)


def test_easyocr_names_missing_weights_with_the_folder(tmp_path):
    """S2.8: never downloaded at run time."""
    (tmp_path / DETECTOR_FILE).touch()
    with pytest.raises(ReaderUnavailable) as caught:
        EasyReader(folder=tmp_path).read(Canvas(100, 60).pixels)
    assert RECOGNISER_FILE in str(caught.value)
    assert DETECTOR_FILE not in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_easyocr_is_opened_once_from_the_folder_with_downloads_off(tmp_path, monkeypatch):
    opened = []

    class Reader:
        def __init__(self, languages, **options):
            opened.append((languages, options))

        def readtext(self, pixels):
            assert pixels.shape == (50, 80, 3)
            return [
                ([[5, 10], [45, 10], [45, 24], [5, 24]], "Nom :", 0.9),
                ([[50, 10], [60, 10], [60, 20], [50, 20]], "??", 0.1),
            ]

    for name in (DETECTOR_FILE, RECOGNISER_FILE):
        (tmp_path / name).touch()
    monkeypatch.setitem(sys.modules, "easyocr", SimpleNamespace(Reader=Reader))
    reader = EasyReader(folder=tmp_path)
    lines = reader.read(Canvas(300, 200).pixels, Box(100, 60, 80, 50))
    reader.read(Canvas(300, 200).pixels, Box(100, 60, 80, 50))
    assert lines == (TextLine(text="Nom :", box=Box(105, 70, 40, 14), confidence=0.9),)
    ((languages, options),) = opened
    assert languages == ["en", "fr"]
    assert options["download_enabled"] is False
    assert options["model_storage_directory"] == str(tmp_path)


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
