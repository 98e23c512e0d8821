"""Elements by a trained detector of the YOLO kind, from a file (S2.9): ONNX, or OpenVINO's own format.

Nothing is looked up or fetched: the file, and the names of its classes in it or beside it, are all there is.
"""

from __future__ import annotations

import ast
import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from execution.perception.detections import Letterbox, Rated, decoded, kept
from execution.perception.elements.base import DetectorUnavailable, in_order
from execution.perception.model_file import ModelFile, open_model
from execution.perception.ocr.base import in_reading_order
from execution.perception.pixels import check_bgr
from execution.types import Box, Element, ElementRole, Size, TextLine

SUFFIXES = (".onnx", ".xml")
LEAST = 0.25  # of confidence; what exporters of such models take by default
_GREY = 114  # what the models were trained to see around a picture
_SIDE = 640  # pixels of the input, where the file leaves it open

# What data sets of user interfaces call their classes; lower case, without spaces and marks.
_WORDS: dict[ElementRole, str] = {
    ElementRole.BUTTON: "button btn pushbutton imagebutton textbutton iconbutton submit floatingactionbutton",
    ElementRole.FIELD: "field input inputfield textfield textinput textbox edittext entry textarea searchbox searchbar "
    "dropdown dropdownlist combobox select spinner datepicker spinbox",
    ElementRole.CHECKBOX: "checkbox checkedtextview switch toggle toggleswitch toggleslider",
    ElementRole.RADIO: "radio radiobutton",
    ElementRole.TAB: "tab pagetab tabitem",
    ElementRole.MENU_ITEM: "menuitem menu navigationitem listitem",
    ElementRole.LINK: "link hyperlink anchor",
    ElementRole.ICON: "icon image imageview picture logo pictogram",
    ElementRole.GROUP: "group panel window dialog modal card container toolbar navigationbar form frame table list",
    ElementRole.TEXT: "text label heading title paragraph textview statictext",
}
ROLES_BY_WORD = {word: role for role, words in _WORDS.items() for word in words.split()}


class OnnxDetector:
    """A detector of the YOLO kind; the model is loaded with the first picture or by `load`, whichever is earlier."""

    reach: int | None = None  # pixels around a change that it must see again: all, for it sees the picture as a whole

    def __init__(self, path: Path | str, *, labels: Mapping[str, str] | None = None, least: float = LEAST) -> None:
        """`labels` maps names of classes to roles, for names that are not known here.

        Raises DetectorUnavailable where the file is missing or of another kind.
        """
        self._path = Path(path)
        self.name = self._path.name
        self._labels = {name: _role_named(role, self._path) for name, role in (labels or {}).items()}
        self._least = least
        self._lock = threading.Lock()  # an inference request serves one caller at a time
        self._model: ModelFile | None = None
        self._roles: tuple[ElementRole, ...] = ()
        if self._path.suffix.lower() not in SUFFIXES:
            raise DetectorUnavailable(f"{self._path} is no detector: give a file that ends in {' or '.join(SUFFIXES)}.")
        if not self._path.is_file():
            raise DetectorUnavailable(f"There is no detector at {self._path}: put the file there, or set another path.")

    def load(self) -> None:
        """Load the model now; raises DetectorUnavailable that says what is wrong with the file and what to do."""
        with self._lock:
            self._loaded()

    def detect(self, pixels: np.ndarray, texts: Sequence[TextLine]) -> tuple[Element, ...]:
        """The elements of a BGR picture, their texts from the lines in them; a line that is in none comes as `text`.

        Raises DetectorUnavailable where the file cannot be used, ValueError for what is no BGR picture.
        """
        check_bgr(pixels)
        if not pixels.size:
            return ()
        with self._lock:
            model = self._loaded()
            fit = Letterbox.fitting(Size(pixels.shape[1], pixels.shape[0]), model.input_size or Size(_SIDE, _SIDE))
            rows = decoded(model.run(_batch(pixels, fit)), len(self._roles), self._path)
        boxes = kept((r for r in rows if r.score >= self._least), fit)
        return in_order(_elements(boxes, self._roles, texts))

    def _loaded(self) -> ModelFile:
        if self._model is None:
            model = open_model(self._path)
            self._roles = self._roles_of(_class_names(model, self._path))
            self._model = model
        return self._model

    def _roles_of(self, names: Sequence[str]) -> tuple[ElementRole, ...]:
        roles = [self._labels.get(name) or ROLES_BY_WORD.get(_plain(name)) for name in names]
        unknown = [name for name, role in zip(names, roles, strict=True) if role is None]
        if unknown:
            raise DetectorUnavailable(
                f"The detector {self._path} has classes that are no elements known here: {', '.join(unknown)}. "
                f"Say what they are in {_sidecar(self._path).name} beside it, as "
                f'{{"roles": {{"{unknown[0]}": "button"}}}}; '
                f"roles are {', '.join(ElementRole)}."
            )
        return tuple(role for role in roles if role)


def _class_names(model: ModelFile, path: Path) -> list[str]:
    """The names of the classes, in the order of their numbers: from the file beside the model, else from the model."""
    beside = _read_sidecar(path)
    names = beside.get("names") or model.names
    if isinstance(names, str):
        try:
            names = ast.literal_eval(names)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            names = names.split()
    if isinstance(names, Mapping):
        names = [name for _, name in sorted((int(key), name) for key, name in names.items())]
    if not isinstance(names, (list, tuple)) or not names:
        raise DetectorUnavailable(
            f"The detector {path} does not name its classes: put {_sidecar(path).name} beside it, "
            'as {"names": ["button", "field"]}, in the order of their numbers.'
        )
    roles = beside.get("roles") or {}
    return [str(roles.get(str(name), name)) for name in names]


def _sidecar(path: Path) -> Path:
    return path.with_suffix(".json")


def _read_sidecar(path: Path) -> dict[str, Any]:
    """What the file of the same name ending in .json says; {} where there is none."""
    sidecar = _sidecar(path)
    if not sidecar.is_file():
        return {}
    try:
        content = json.loads(sidecar.read_text())
    except (ValueError, OSError) as error:
        raise DetectorUnavailable(f"{sidecar} is no JSON: {error}. Mend or remove it.") from error
    if isinstance(content, list):
        return {"names": content}
    if not isinstance(content, dict):
        raise DetectorUnavailable(f'{sidecar} holds no names: write {{"names": ["button", "field"]}}.')
    known = {"names", "roles"} & content.keys()
    return content if known or not content else {"names": content}


def _role_named(role: str, path: Path) -> ElementRole:
    try:
        return ElementRole(role)
    except ValueError:
        raise DetectorUnavailable(
            f"{role!r} is no role, for a class of the detector {path}; roles are {', '.join(ElementRole)}."
        ) from None


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def _batch(pixels: np.ndarray, fit: Letterbox) -> np.ndarray:
    """The picture as the model takes it: 1 × 3 × height × width, red first, 0 to 1, grey around it."""
    shrunk = cv2.resize(
        pixels, (fit.inner.w, fit.inner.h), interpolation=cv2.INTER_AREA if fit.scale < 1 else cv2.INTER_LINEAR
    )
    padded = np.full((fit.size.height, fit.size.width, 3), _GREY, np.uint8)
    padded[fit.inner.y : fit.inner.bottom, fit.inner.x : fit.inner.right] = shrunk
    return np.ascontiguousarray(padded[None, :, :, ::-1].transpose(0, 3, 1, 2), np.float32) / np.float32(255)


def _elements(
    rated: Iterable[tuple[Box, Rated]], roles: Sequence[ElementRole], texts: Sequence[TextLine]
) -> Iterable[Element]:
    used: set[int] = set()
    for box, row in rated:
        inside = [i for i, line in enumerate(texts) if box.contains(line.box.center)]
        role = roles[row.label]
        if role != ElementRole.GROUP:
            used.update(inside)
        text = " ".join(line.text for line in in_reading_order(texts[i] for i in inside))
        yield Element(box=box, role=role, text=text, confidence=round(row.score, 4))
    for index, line in enumerate(texts):
        if index not in used:
            yield Element(box=line.box, role=ElementRole.TEXT, text=line.text, confidence=line.confidence)
