"""S2.8: EasyOCR from a local folder. Its loading code is the real one; the weights are random, in its format."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from execution.perception.ocr import easyocr as module
from execution.perception.ocr.base import ReaderUnavailable
from execution.perception.ocr.easyocr import EasyReader
from execution.perception.weights import easyocr_weights
from execution.types import Box, TextLine
from tests.execution.perception.drawing import Canvas
from tests.execution.perception.ocr import standin

# EasyOCR and torch warn of what they themselves do; the product keeps it out of the log by filters that pytest resets.
pytestmark = [
    pytest.mark.extras,
    pytest.mark.filterwarnings("ignore:.*pin_memory.*"),
    pytest.mark.filterwarnings("ignore:.*quantiz.*"),
]

DETECTOR, RECOGNISER = "craft_mlt_25k.pth", "latin_g2.pth"
PICTURE = Canvas(160, 48).pixels


def problem(folder: Path | None, **options: object) -> str:
    """What the reader says of its weights when it first reads."""
    with pytest.raises(ReaderUnavailable) as caught:
        EasyReader(folder=folder, **options).read(PICTURE)
    return str(caught.value)


@pytest.mark.slow
def test_weights_in_its_format_are_loaded_and_read_with(easyocr_folder):
    """The detector sees text all over the picture and the recogniser spells something in it.

    EasyOCR adds the folder of weights to the path of imports: whoever may write weights could have code imported.
    """
    before = list(sys.path)
    reader = EasyReader(folder=easyocr_folder, least_confidence=0.0)
    canvas = Canvas(320, 120)
    canvas.text("Facture", 110, 50)
    lines = reader.read(canvas.pixels, Box(100, 40, 100, 40))
    assert lines
    assert all(Box(100, 40, 100, 40).intersection(line.box) == line.box for line in lines)
    assert all(line.text and 0 <= line.confidence <= 1 for line in lines)
    assert reader.read(canvas.pixels, Box(100, 40, 100, 40)) == lines
    assert sys.path == before


@pytest.mark.parametrize("there", [(), (DETECTOR,), (RECOGNISER,)])
def test_missing_weights_are_named_with_the_folder_and_what_to_do(tmp_path, there):
    for name in there:
        (tmp_path / name).touch()
    said = problem(tmp_path)
    assert str(tmp_path) in said
    assert "manage.py fetchmodels easyocr" in said
    assert all((name in said) is (name not in there) for name in (DETECTOR, RECOGNISER))


def test_without_a_folder_it_says_so():
    assert "no folder is configured" in problem(None)


def test_languages_that_it_cannot_read_are_named(tmp_path):
    said = problem(tmp_path, languages=("en", "tlh"))
    assert "does not read tlh" in said and "RPA_OCR_LANGUAGES" in said


def test_where_it_is_not_installed_it_says_what_to_install(tmp_path, monkeypatch):
    def none(languages):
        raise ImportError("EasyOCR is not installed.")

    monkeypatch.setattr(module, "easyocr_weights", none)
    assert "make models" in problem(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "other"), [(DETECTOR, RECOGNISER), (RECOGNISER, DETECTOR)])
def test_a_damaged_file_is_named_with_what_to_do(easyocr_folder, tmp_path, name, other):
    """What is wrong with a file is told by `look_over` and `verify`."""
    for path in easyocr_folder.glob("*.pth"):
        shutil.copy(path, tmp_path)
    shutil.copy(tmp_path / other, tmp_path / name)
    message = problem(tmp_path)
    assert all(said in message for said in (str(tmp_path / name), "checksum", "manage.py fetchmodels easyocr"))


@pytest.mark.slow
@pytest.mark.parametrize("content", ["rubbish", "of another network"])
def test_a_file_that_was_published_and_still_does_not_load_is_no_crash(easyocr_folder, tmp_path, monkeypatch, content):
    """Such as weights of another version of EasyOCR: the checksum is right and the network is not."""
    shutil.copy(easyocr_folder / RECOGNISER, tmp_path)
    if content == "rubbish":
        (tmp_path / DETECTOR).write_bytes(bytes(range(256)) * 20)
    else:
        shutil.copy(easyocr_folder / RECOGNISER, tmp_path / DETECTOR)
    standin.publish(tmp_path, monkeypatch)
    assert f"cannot load its weights from {tmp_path}" in problem(tmp_path)


@pytest.mark.slow
def test_it_is_opened_once_from_the_folder_with_downloads_off(easyocr_folder, monkeypatch):
    opened = []

    class Reader:
        def __init__(self, languages, **options):
            opened.append((languages, options))

        def readtext(self, pixels, **options):
            assert pixels.shape == (50, 80, 3)
            return [
                ([[5, 10], [45, 10], [45, 24], [5, 24]], "Nom  :", 0.9),
                ([[50, 10], [60, 10], [60, 20], [50, 20]], "??", 0.1),
                ([[-4, 30], [200, 30], [200, 90], [-4, 90]], "beyond", 0.8),
                ([[90, 60], [99, 60], [99, 70], [90, 70]], "beside", 0.8),
                ([[5, 1], [9, 1], [9, 5], [5, 5]], "  ", 0.9),
            ]

    monkeypatch.setitem(sys.modules, "easyocr", SimpleNamespace(Reader=Reader))
    reader = EasyReader(folder=easyocr_folder)
    lines = reader.read(Canvas(300, 200).pixels, Box(100, 60, 80, 50))
    reader.read(Canvas(300, 200).pixels, Box(100, 60, 80, 50))
    assert lines == (
        TextLine(text="Nom :", box=Box(105, 70, 40, 14), confidence=0.9),
        TextLine(text="beyond", box=Box(100, 90, 80, 20), confidence=0.8),  # cut to what was read
    )
    ((languages, options),) = opened
    assert languages == ["en", "fr"]
    assert options["download_enabled"] is False
    assert options["model_storage_directory"] == options["user_network_directory"] == str(easyocr_folder)


def test_reading_nothing_loads_nothing(tmp_path):
    assert EasyReader(folder=tmp_path).read(np.zeros((0, 5, 3), np.uint8)) == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    "languages",
    [("en", "fr"), ("fr",), ("en",), ("ru",), ("ar", "en"), ("hi",), ("bn",), ("ja", "en"), ("ko",), ("ch_sim",),
     ("ch_tra", "en"), ("th",), ("ta",), ("te", "en"), ("kn",), ("fa", "ur"), ("be", "mn", "en"), ("de", "vi")],
)  # fmt: skip
def test_the_weights_that_are_asked_for_are_those_that_easyocr_itself_takes(tmp_path, languages):
    import easyocr

    folders = {"model_storage_directory": str(tmp_path), "user_network_directory": str(tmp_path)}
    opened = easyocr.Reader(
        list(languages), gpu=False, detector=False, recognizer=False, verbose=False, download_enabled=False, **folders
    )
    (row,) = [row for row in standin.rows(easyocr.config) if row["filename"] == easyocr_weights(languages)[1].filename]
    assert row["characters"] == opened.character
