"""The default reader on drawn screens: what is written is the truth."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from types import SimpleNamespace

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from execution.perception.ocr import engines
from execution.perception.ocr.base import ReaderUnavailable
from execution.perception.ocr.rapidocr import RapidReader
from execution.perception.ocr.recognition import wanted
from execution.types import Box, TextLine
from tests.execution.perception.drawing import DARK, LIGHT, Canvas

TEXTS = (
    "Fichier", "Édition", "Préférences réseau", "Enregistrer sous...", "Facture n° 10452", "1 250,50 €", "Désactivé",
    "Save As...", "Options", "user@example.org", "naïve façade", "2026-11-21", "Ctrl+Shift+S", "Où êtes-vous ?",
)  # fmt: skip


def page(width: int, height: int, *, dark: bool) -> Canvas:
    """Forty labels of 10 to 16 px, spread over the screen."""
    canvas = Canvas(width, height, background=DARK if dark else LIGHT)
    for index in range(40):
        column, row = index % 4, index // 4
        text, size = TEXTS[index % len(TEXTS)], (10, 11, 12, 13, 16)[index % 5]
        canvas.text(text, 20 + column * (width - 60) // 4, 20 + row * (height - 60) // 10, size=size)
    return canvas


def read_at(lines: tuple[TextLine, ...], box: Box) -> str:
    return " ".join(line.text for line in lines if line.box.intersection(box).area > 0.3 * line.box.area)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080), (2560, 1600)])
@pytest.mark.slow
def test_it_reads_interface_text_in_french_and_english_with_accents(reader, width, height, dark):
    """S2.8: at every usual size, light and dark, at most 3 % of the characters are wrong and no line is missed."""
    canvas = page(width, height, dark=dark)
    lines = reader.read(canvas.pixels)
    wrong = total = 0
    for truth in canvas.lines:
        said = read_at(lines, truth.box)
        assert said, f"nothing was read at {truth}"
        wrong += Levenshtein.distance(said.replace(" ", ""), truth.text.replace(" ", ""))
        total += len(truth.text.replace(" ", ""))
    assert wrong / total <= 0.03


def test_the_entries_of_a_menu_bar_are_lines_of_their_own(reader):
    canvas = Canvas(800, 200)
    x = 12
    for text in ("File", "Edit", "Search", "View", "Help"):
        x = canvas.text(text, x, 20).right + 15
    assert [line.text for line in reader.read(canvas.pixels)] == ["File", "Edit", "Search", "View", "Help"]


@pytest.mark.parametrize("font", ["DejaVuSans", "DejaVuSansMono", "DejaVuSans-Bold"])
def test_a_sentence_is_one_line(reader, font):
    canvas = Canvas(900, 200)
    canvas.text("Bonjour à tous, facture n° 10452 du 3 août", 12, 60, font=font, size=14)
    assert [line.text for line in reader.read(canvas.pixels)] == ["Bonjour à tous, facture n° 10452 du 3 août"]


@pytest.mark.parametrize("text", ["OK", "No", "42", "12:30", "99", "L1", "Été"])
def test_very_short_texts_are_read(reader, text):
    canvas = Canvas(400, 120)
    canvas.text(text, 150, 50)
    assert [line.text for line in reader.read(canvas.pixels)] == [text]


def test_a_line_read_before_is_remembered_until_one_pixel_of_it_changes():
    """S2.11: what a line said is known by the digest of its pixels."""
    reader, canvas = RapidReader(), Canvas(640, 200)
    box = canvas.text("Total 1205", 100, 80)
    first = reader.read(canvas.pixels)
    assert reader.lines_recognised == 1
    assert reader.read(canvas.pixels) == first
    assert reader.lines_recognised == 1
    changed = canvas.pixels
    changed[box.center.y, box.center.x] ^= 255
    reader.read(changed)
    assert reader.lines_recognised == 2


def test_nothing_is_looked_up_or_connected_to_and_no_other_package_is_loaded():
    """S10.6: OpenVINO's telemetry is kept out, models come from the wheel, and no socket is ever made."""
    program = """
        import sys
        def refuse(event, args):
            if event.startswith("socket."):
                raise RuntimeError(f"{event} {args}")
        sys.addaudithook(refuse)
        import numpy as np
        from execution.perception.ocr import open_reader
        picture = np.full((200, 400, 3), 255, np.uint8)
        picture[90:110:3, 50:200:2] = 0
        open_reader("rapidocr").read(picture)
        assert sys.modules["openvino_telemetry"] is None
        loaded = {"rapidocr", "requests", "torch", "onnxruntime"} & set(sys.modules)
        assert not loaded, loaded
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_onnxruntime_serves_where_openvino_has_no_wheel(monkeypatch):
    """D5: the same models by the same path, on the processor."""
    opened = []

    class Session:
        def __init__(self, path, options, providers):
            opened.append((path.rsplit("/", 1)[-1], providers))

        def get_inputs(self):
            return [SimpleNamespace(name="x")]

        def get_modelmeta(self):
            return SimpleNamespace(custom_metadata_map={"character": "a\n漢\n字"})

        def run(self, outputs, inputs):
            return [np.arange(5.0)[None, None] * inputs["x"]]

    find = engines.importlib.util.find_spec
    monkeypatch.setattr(
        engines.importlib.util, "find_spec", lambda n: n == "onnxruntime" or (find(n) if n == "rapidocr" else None)
    )
    fake = SimpleNamespace(InferenceSession=Session, SessionOptions=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "onnxruntime", fake)
    models = engines.load_models(wanted)
    assert models.engine == "onnxruntime"
    assert [name for name, _ in opened] == [engines.DETECTOR, engines.RECOGNISER]
    assert all(providers == ["CPUExecutionProvider"] for _, providers in opened)
    assert models.recogniser.characters == ("", "a", " ")
    assert models.detect(np.float64(2)).tolist() == [[[0, 2, 4, 6, 8]]]
    assert [scores.tolist() for scores in models.recogniser.run([np.float64(1)])] == [[[0, 1, 4]]]


def test_without_any_engine_it_says_what_to_install(monkeypatch):
    find = engines.importlib.util.find_spec
    gone = {"openvino", "onnxruntime"}
    monkeypatch.setattr(engines.importlib.util, "find_spec", lambda n: None if n in gone else find(n))
    with pytest.raises(ReaderUnavailable, match="pip install openvino"):
        RapidReader().read(Canvas(100, 100).pixels)


def test_a_package_without_its_models_is_named(monkeypatch, tmp_path):
    find = engines.importlib.util.find_spec
    empty = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(engines.importlib.util, "find_spec", lambda n: empty if n == "rapidocr" else find(n))
    with pytest.raises(ReaderUnavailable, match=r"PP-OCRv6_det_small\.onnx"):
        RapidReader().read(Canvas(100, 100).pixels)
