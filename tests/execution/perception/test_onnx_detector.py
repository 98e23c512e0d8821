"""S2.9: a trained detector is set by file and gives the same elements; what is no detector is refused by name."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from execution.perception.elements import DetectorUnavailable
from execution.perception.ocr.engines import openvino_core
from execution.perception.onnx_detector import Letterbox, OnnxDetector, Rated, decoded, kept
from execution.types import Box, Element, ElementRole, Size, TextLine
from tests.execution.perception.onnx_file import write_detector

NAMES = {"names": "{0: 'button', 1: 'text field', 2: 'CheckBox'}"}
WHITE = np.full((64, 64, 3), 255, np.uint8)


def v8(*rows: tuple[float, ...], classes: int = 3, count: int = 84) -> np.ndarray:
    """1 x (4 + classes) x n: centre, size, then a score a class."""
    table = np.zeros((1, 4 + classes, count), np.float32)
    for place, row in enumerate(rows):
        table[0, :, place] = row
    return table


BUTTON, FIELD = (32, 16, 20, 8, 0.9, 0.1, 0), (32, 48, 40, 10, 0, 0.7, 0.2)


def found(path, picture: np.ndarray = WHITE, texts: tuple[TextLine, ...] = (), **options) -> list[tuple]:
    return [(str(e.role), tuple(e.box), e.confidence) for e in OnnxDetector(path, **options).detect(picture, texts)]


def test_boxes_of_the_usual_output_are_elements_with_role_and_confidence(tmp_path):
    """1 x (4 + classes) x n, as YOLOv8 and later are exported."""
    path = write_detector(tmp_path / "ui.onnx", v8(BUTTON, FIELD), metadata=NAMES)
    assert found(path) == [("button", (22, 12, 20, 8), 0.9), ("field", (12, 43, 40, 10), 0.7)]


def test_boxes_with_an_objectness_are_read(tmp_path):
    """1 x n x (5 + classes), as YOLOv5 and YOLOX are exported: the score is objectness times class."""
    table = np.zeros((1, 100, 8), np.float32)
    table[0, 7] = (32, 16, 20, 8, 0.8, 0.5, 0, 1.0)
    path = write_detector(tmp_path / "ui.onnx", table, metadata=NAMES)
    assert found(path) == [("checkbox", (22, 12, 20, 8), 0.8)]


def test_boxes_that_are_sorted_out_already_are_read(tmp_path):
    """1 x n x 6, as YOLOv10 and exports with NMS inside have it: corners, score, class."""
    table = np.zeros((1, 300, 6), np.float32)
    table[0, 0] = (22, 12, 42, 20, 0.9, 1)
    path = write_detector(tmp_path / "ui.onnx", table, metadata=NAMES)
    assert found(path) == [("field", (22, 12, 20, 8), 0.9)]


def test_boxes_are_in_pixels_of_the_picture_whatever_the_model_takes(tmp_path):
    """A picture of 640 x 320 lies in 64 x 64 at a tenth, with 16 rows of grey above and below."""
    path = write_detector(tmp_path / "ui.onnx", v8((32, 32, 20, 8, 0.9, 0, 0)), metadata=NAMES)
    picture = np.full((320, 640, 3), 255, np.uint8)
    assert found(path, picture) == [("button", (220, 120, 200, 80), 0.9)]


def test_boxes_are_cut_to_the_picture_and_those_outside_are_dropped(tmp_path):
    rows = (4, 4, 20, 20, 0.9, 0, 0), (90, 90, 10, 10, 0.9, 0, 0)
    assert found(write_detector(tmp_path / "ui.onnx", v8(*rows), metadata=NAMES)) == [("button", (0, 0, 14, 14), 0.9)]


def test_of_two_boxes_over_each_other_the_better_is_kept(tmp_path):
    rows = BUTTON, (33, 16, 20, 8, 0.6, 0, 0), (32, 16, 20, 8, 0, 0.5, 0)
    path = write_detector(tmp_path / "ui.onnx", v8(*rows), metadata=NAMES)
    assert found(path) == [("button", (22, 12, 20, 8), 0.9), ("field", (22, 12, 20, 8), 0.5)]


def test_what_the_model_is_unsure_of_is_left_out(tmp_path):
    path = write_detector(tmp_path / "ui.onnx", v8((32, 16, 20, 8, 0.2, 0, 0)), metadata=NAMES)
    assert found(path) == []
    assert found(path, least=0.1) == [("button", (22, 12, 20, 8), 0.2)]


def test_texts_come_from_the_lines_and_free_lines_are_texts(tmp_path):
    path = write_detector(tmp_path / "ui.onnx", v8(BUTTON), metadata=NAMES)
    lines = [
        TextLine(text="sous", box=Box(34, 13, 8, 6)),
        TextLine(text="Enregistrer", box=Box(23, 13, 10, 6)),
        TextLine(text="Nom", box=Box(2, 40, 20, 8), confidence=0.8),
    ]
    elements = OnnxDetector(path).detect(WHITE, lines)
    assert [(e.role, e.text) for e in elements] == [
        (ElementRole.BUTTON, "Enregistrer sous"),
        (ElementRole.TEXT, "Nom"),
    ]
    assert elements[1] == Element(box=lines[2].box, role=ElementRole.TEXT, text="Nom", confidence=0.8)


def test_a_file_that_leaves_the_size_open_takes_640_pixels(tmp_path):
    path = write_detector(tmp_path / "ui.onnx", v8((320, 320, 64, 32, 0.9, 0, 0)), metadata=NAMES, side=None)
    assert found(path) == [("button", (29, 30, 6, 4), 0.9)]


def test_openvinos_own_format_is_read_too(tmp_path):
    core = openvino_core()
    import openvino

    path = write_detector(tmp_path / "ui.onnx", v8(BUTTON), metadata=NAMES)
    openvino.save_model(core.read_model(path), tmp_path / "converted.xml", compress_to_fp16=False)
    (tmp_path / "converted.json").write_text(json.dumps(["button", "field", "checkbox"]))
    assert found(tmp_path / "converted.xml") == [("button", (22, 12, 20, 8), 0.9)]


@pytest.mark.parametrize(
    "content",
    [
        ["btn", "EditText", "switch"],
        {"0": "btn", "1": "EditText", "2": "switch"},
        {"names": {"0": "btn", "1": "EditText", "2": "switch"}},
        {"names": ["A", "B", "C"], "roles": {"A": "button", "B": "field", "C": "checkbox"}},
    ],
)
def test_names_beside_the_file_count_before_those_in_it(tmp_path, content):
    path = write_detector(tmp_path / "ui.onnx", v8(BUTTON, FIELD), metadata={"names": "{0: 'x', 1: 'y', 2: 'z'}"})
    (tmp_path / "ui.json").write_text(json.dumps(content))
    assert [role for role, *_ in found(path)] == ["button", "field"]


def test_labels_say_what_unknown_names_are(tmp_path):
    path = write_detector(tmp_path / "ui.onnx", v8(BUTTON), metadata={"names": "{0: 'bouton', 1: 'field', 2: 'tab'}"})
    assert found(path, labels={"bouton": "button"})[0][0] == "button"


# What is no detector


def refusal(path, **options) -> str:
    with pytest.raises(DetectorUnavailable) as caught:
        OnnxDetector(path, **options).load()
    assert str(path.name).split(".")[0] in str(caught.value)
    return str(caught.value)


def test_a_missing_file_is_refused_at_once(tmp_path):
    with pytest.raises(DetectorUnavailable, match=r"no detector at .*ui\.onnx: put the file there"):
        OnnxDetector(tmp_path / "ui.onnx")


def test_a_file_of_another_kind_is_refused_at_once(tmp_path):
    (tmp_path / "ui.pt").write_bytes(b"PK")
    with pytest.raises(DetectorUnavailable, match=r"ends in \.onnx or \.xml"):
        OnnxDetector(tmp_path / "ui.pt")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "Copy it there again"),
        (b"<!doctype html><html>", "Copy it there again"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Copy it there again"),
        (np.random.default_rng(1).bytes(5000), "cannot be loaded"),
    ],
    ids=["empty", "a page", "a pointer", "noise"],
)
def test_a_file_that_is_no_model_is_refused(tmp_path, content, said):
    path = tmp_path / "ui.onnx"
    path.write_bytes(content)
    assert said in refusal(path)


@pytest.mark.parametrize("share", [0.3, 0.7, 0.97])
def test_a_file_cut_off_is_refused(tmp_path, share):
    path = write_detector(tmp_path / "ui.onnx", v8(BUTTON), metadata=NAMES)
    os.truncate(path, int(path.stat().st_size * share))
    assert "cut off or no such model" in refusal(path) or "does not name its classes" in refusal(path)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"metadata": NAMES, "channels": 1}, ["it takes 1 × 1 × 64 × 64"]),
        ({}, ["does not name its classes: put ui.json beside it"]),
        (
            {"metadata": {"names": "{0: 'person', 1: 'button', 2: 'car'}"}},
            ["person, car", '{"roles": {"person": "button"}}'],
        ),
    ],
    ids=["no picture", "no names", "no elements"],
)
def test_a_model_that_is_no_detector_of_elements_is_refused(tmp_path, how, said):
    text = refusal(write_detector(tmp_path / "ui.onnx", v8(BUTTON), **how))
    assert all(words in text for words in said)


@pytest.mark.parametrize("shape", [(1, 1000), (1, 9, 84), (2, 7, 84), (1, 84, 11), (1, 7, 8, 84)])
def test_a_model_of_another_output_is_refused(tmp_path, shape):
    """A classifier, a segmenter, a detector of another number of classes, a batch of two."""
    path = write_detector(tmp_path / "ui.onnx", np.zeros(shape, np.float32), metadata=NAMES)
    with pytest.raises(DetectorUnavailable, match=r"ui\.onnx is no detector of 3 classes: its output has the shape"):
        OnnxDetector(path).detect(WHITE, [])


def test_a_broken_file_of_names_is_refused(tmp_path):
    path = write_detector(tmp_path / "ui.onnx", v8(BUTTON), metadata=NAMES)
    (tmp_path / "ui.json").write_text("{names")
    assert "is no JSON" in refusal(path)


def test_a_label_that_is_no_role_is_refused(tmp_path):
    path = write_detector(tmp_path / "ui.onnx", v8(BUTTON), metadata=NAMES)
    with pytest.raises(DetectorUnavailable, match="'knob' is no role"):
        OnnxDetector(path, labels={"button": "knob"})


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 900, 3), (0, 10, 3)])
def test_the_smallest_pictures_are_searched_too(tmp_path, shape):
    path = write_detector(tmp_path / "ui.onnx", v8(BUTTON), metadata=NAMES)
    assert all(e.box.area for e in OnnxDetector(path).detect(np.full(shape, 255, np.uint8), []))


# The arithmetic behind it


def test_what_is_not_finite_or_of_no_class_is_dropped(tmp_path):
    table = np.zeros((1, 300, 6), np.float32)
    table[0, :4] = (
        (1, 1, 9, 9, 0.9, 0), (1, 1, np.nan, 9, 0.9, 0), (1, 1, 9, 9, np.inf, 0), (1, 1, 9, 9, 0.9, 7),
    )  # fmt: skip
    assert decoded(table, 3, tmp_path) == [Rated((1, 1, 9, 9), pytest.approx(0.9), 0)]


def test_one_class_with_objectness_and_one_sorted_out_are_told_apart_by_their_rows(tmp_path):
    """Both have six columns where there is one class: a model's own candidates are thousands."""
    many = np.zeros((1, 25200, 6), np.float32)
    many[0, 0] = (10, 10, 4, 4, 0.5, 0.5)
    few = np.zeros((1, 300, 6), np.float32)
    few[0, 0] = (8, 8, 12, 12, 0.25, 0)
    assert decoded(many, 1, tmp_path) == decoded(few, 1, tmp_path) == [Rated((8, 8, 12, 12), 0.25, 0)]


def test_boxes_of_one_class_that_touch_stay_both():
    fit = Letterbox.fitting(Size(640, 640), Size(640, 640))
    rows = [Rated((0, 0, 100, 30), 0.9, 0), Rated((100, 0, 200, 30), 0.8, 0), Rated((60, 0, 160, 30), 0.7, 0)]
    assert [box for box, _ in kept(rows, fit)] == [Box(0, 0, 100, 30), Box(100, 0, 100, 30), Box(60, 0, 100, 30)]
