"""The elements of a screen, named by a vision-language model where there is one (S2.9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from execution.perception.elements import ElementDetector, FrameDetector
from execution.perception.marks import MOST, Marked, SomEngine
from execution.perception.onnx_detector import OnnxDetector
from execution.types import Element, TextLine
from sentences.said import cause, say

BUILTIN = "builtin"


class Classifier(Protocol):
    """What names elements: the vision-language model, behind the GPU manager."""

    def ready(self) -> bool:
        """Whether the model is there now; this loads nothing."""

    def classify(self, marked: np.ndarray, elements: Sequence[Element]) -> Sequence[str]:
        """What each element is called; `marked` is the BGR picture on which it has its number, the first has 1."""


@dataclass(frozen=True, slots=True)
class Detection:
    """`notes` are sentences on what is missing from the elements and why."""

    elements: tuple[Element, ...]
    notes: tuple[str, ...] = ()


class UIDetector:
    """Finds elements, and has them named if a classifier is given and its model is there."""

    def __init__(self, detector: ElementDetector, classifier: Classifier | None = None, *, most: int = MOST) -> None:
        """At most `most` elements are named, those first that a step acts on."""
        self.detector = detector
        self.classifier = classifier
        self._engine = SomEngine(most=most)

    def detect(self, pixels: np.ndarray, texts: Sequence[TextLine]) -> Detection:
        """The elements of a BGR picture with its lines; what the detector raises comes through."""
        return self.classified(pixels, self.detector.detect(pixels, texts))

    def classified(self, pixels: np.ndarray, elements: tuple[Element, ...]) -> Detection:
        """The same elements, named; without the model, or if it fails, they come as they are and a note says so."""
        if self.classifier is None or not elements:
            return Detection(elements)
        try:
            return self._named(self.classifier, pixels, elements)
        except Exception as error:  # noqa: BLE001  a model, a server, a network: none of them may cost the elements
            return Detection(elements, (say("perception.not_named", error=cause(error)),))

    def _named(self, classifier: Classifier, pixels: np.ndarray, elements: tuple[Element, ...]) -> Detection:
        if not classifier.ready():
            return Detection(elements, (say("perception.no_model"),))
        marked = self._engine.mark(pixels, elements)
        if not marked.marks:
            return Detection(elements)
        labels = classifier.classify(marked.picture, [mark.element for mark in marked.marks])
        if len(labels) != len(marked.marks):
            note = say("perception.other_number", given=len(labels), asked=len(marked.marks))
            return Detection(elements, (note,))
        return Detection(_labelled(elements, marked, labels))


def open_detector(name_or_path: str, *, labels: Mapping[str, str] | None = None) -> ElementDetector:
    """The detector "builtin", or the one in an .onnx or .xml file; raises DetectorUnavailable where there is none."""
    if name_or_path == BUILTIN:
        return FrameDetector()
    return OnnxDetector(name_or_path, labels=labels)


def _labelled(elements: Sequence[Element], marked: Marked, labels: Sequence[str]) -> tuple[Element, ...]:
    named = {id(mark.element): str(label).strip() for mark, label in zip(marked.marks, labels, strict=True)}
    return tuple(replace(e, label=named[id(e)]) if named.get(id(e)) else e for e in elements)
