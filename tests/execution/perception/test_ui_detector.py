"""S2.9: elements are classified by the vision-language model if the GPU manager says that it is there, else not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from execution.perception.elements import DetectorUnavailable, FrameDetector
from execution.perception.onnx_detector import OnnxDetector
from execution.perception.ui_detector import UIDetector, open_detector
from execution.types import Box, Element, ElementRole
from tests.execution.perception.drawing import Canvas


class Listed:
    """Finds what it was given."""

    def __init__(self, *elements: Element) -> None:
        self.elements = elements

    def detect(self, pixels: np.ndarray, texts: object) -> tuple[Element, ...]:
        return self.elements


class Names:
    """A model that calls things what it was told to, and keeps what it was asked."""

    def __init__(self, *labels: str, ready: bool = True) -> None:
        self.labels, self.there = labels, ready
        self.asked: list[tuple[np.ndarray, list[Element]]] = []

    def ready(self) -> bool:
        return self.there

    def classify(self, marked: np.ndarray, elements: Sequence[Element]) -> Sequence[str]:
        self.asked.append((marked, list(elements)))
        return self.labels


BUTTON = Element(box=Box(20, 20, 80, 30), role=ElementRole.BUTTON, text="OK")
FIELD = Element(box=Box(20, 80, 200, 30), role=ElementRole.FIELD)
TEXT = Element(box=Box(20, 60, 60, 14), role=ElementRole.TEXT, text="Nom")
PIXELS = Canvas(300, 200).pixels


def labels(detection) -> list[str]:
    return [e.label for e in detection.elements]


def test_without_a_classifier_elements_have_no_label_and_nothing_is_noted():
    detection = UIDetector(Listed(BUTTON, TEXT)).detect(PIXELS, [])
    assert detection.elements == (BUTTON, TEXT)
    assert detection.notes == ()


def test_the_model_names_the_elements_that_have_a_number():
    model = Names("confirm", "customer name")
    detection = UIDetector(Listed(BUTTON, TEXT, FIELD), model).detect(PIXELS, [])
    assert labels(detection) == ["confirm", "", "customer name"]
    assert detection.notes == ()
    ((picture, asked),) = model.asked
    assert asked == [BUTTON, FIELD]
    assert picture.shape == PIXELS.shape
    assert not np.array_equal(picture, PIXELS), "it sees the numbers"


def test_a_model_that_is_not_there_is_not_asked_and_a_note_says_so():
    model = Names("confirm", ready=False)
    detection = UIDetector(Listed(BUTTON), model).detect(PIXELS, [])
    assert model.asked == []
    assert detection.elements == (BUTTON,)
    assert detection.notes == ("The elements are not classified: the vision-language model is not loaded.",)


@pytest.mark.parametrize("answer", [(), ("confirm",), ("a", "b", "c")])
def test_a_wrong_number_of_names_is_no_answer(answer):
    detection = UIDetector(Listed(BUTTON, FIELD), Names(*answer)).detect(PIXELS, [])
    assert detection.elements == (BUTTON, FIELD)
    assert detection.notes == (f"The elements are not classified: the model gave {len(answer)} names for 2 elements.",)


class Failing(Names):
    def classify(self, marked: np.ndarray, elements: Sequence[Element]) -> Sequence[str]:
        raise TimeoutError("no answer within 20 s")


class Unsure(Names):
    def ready(self) -> bool:
        raise ConnectionError("the server is gone")


@pytest.mark.parametrize(
    ("model", "said"),
    [(Failing(), "TimeoutError: no answer within 20 s"), (Unsure(), "ConnectionError: the server is gone")],
)
def test_a_model_that_fails_costs_the_labels_and_not_the_elements(model, said):
    detection = UIDetector(Listed(BUTTON), model).detect(PIXELS, [])
    assert detection.elements == (BUTTON,)
    assert detection.notes == (f"The elements are not classified: {said}",)


def test_a_model_is_not_asked_about_nothing():
    model = Names()
    assert UIDetector(Listed(), model).detect(PIXELS, []).elements == ()
    assert UIDetector(Listed(TEXT), model).detect(PIXELS, []).notes == ()
    assert model.asked == []


def test_an_empty_name_is_no_label():
    assert labels(UIDetector(Listed(BUTTON, FIELD), Names("  ", " name ")).detect(PIXELS, [])) == ["", "name"]


def test_the_detector_is_chosen_by_name_or_by_path(tmp_path):
    assert isinstance(open_detector("builtin"), FrameDetector)
    (tmp_path / "ui.onnx").write_bytes(b"x")
    assert isinstance(open_detector(str(tmp_path / "ui.onnx")), OnnxDetector)
    with pytest.raises(DetectorUnavailable, match="no detector at"):
        open_detector(str(tmp_path / "other.onnx"))
