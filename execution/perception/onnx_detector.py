"""Elements by a trained detector of the YOLO kind, from a file (S2.9): ONNX, or OpenVINO's own format.

Nothing is looked up or fetched: the file, and the names of its classes in it or beside it, are all there is.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

from execution.perception.elements.base import DetectorUnavailable, in_order
from execution.perception.ocr.base import in_reading_order
from execution.perception.ocr.engines import openvino_core
from execution.perception.pixels import check_bgr
from execution.perception.weights import Damaged, look_over
from execution.types import Box, Element, ElementRole, Size, TextLine

# Opening a trained model from a file, on OpenVINO or onnxruntime, whichever is installed.

_PICTURE = 4  # dimensions of the input: batch, channels, height, width


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A loaded model: `run` takes a batch (1 × 3 × height × width, float32) and gives its one output.

    `input_size` is None where the file leaves it open; `names` is what the file says of its classes, as it says it.
    """

    run: Callable[[np.ndarray], np.ndarray]
    input_size: Size | None
    names: str


def open_model(path: Path) -> ModelFile:
    """Load the model; raises DetectorUnavailable that names the file, what is wrong and what to do."""
    try:
        look_over(path)
    except OSError as error:
        raise DetectorUnavailable(f"The detector {path} cannot be read: {error.strerror}.") from error
    except Damaged as error:
        if path.suffix.lower() != ".xml":
            raise DetectorUnavailable(f"The detector {path} {error}. Copy it there again.") from error
    if importlib.util.find_spec("openvino"):
        return _with_openvino(path)
    if importlib.util.find_spec("onnxruntime") and path.suffix.lower() == ".onnx":
        return _with_onnxruntime(path)
    raise DetectorUnavailable(f"The detector {path} needs openvino, which is not installed: pip install openvino.")


def _with_openvino(path: Path) -> ModelFile:
    core = openvino_core()
    try:
        model = core.read_model(path)
        _check(path, [list(i.partial_shape) for i in model.inputs], len(model.outputs))
        shape = model.inputs[0].partial_shape
        size = (
            Size(*(int(shape[i].get_length()) for i in (3, 2))) if shape[2].is_static and shape[3].is_static else None
        )
        request = core.compile_model(model, "CPU", {"PERFORMANCE_HINT": "LATENCY"}).create_infer_request()
    except RuntimeError as error:
        raise _unreadable(path, error) from error

    def run(batch: np.ndarray) -> np.ndarray:
        request.infer([batch])
        return np.array(request.get_output_tensor().data)

    return ModelFile(run, size, _openvino_names(model))


def _openvino_names(model: Any) -> str:
    """What was written into the file when it was exported, or converted."""
    for path in (("framework", "names"), ("model_info", "labels")):
        if model.has_rt_info(list(path)):
            return str(model.get_rt_info(list(path)).value)
    return ""


def _with_onnxruntime(path: Path) -> ModelFile:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have nothing but this in common
        raise _unreadable(path, error) from error
    inputs = session.get_inputs()
    _check(path, [list(i.shape) for i in inputs], len(session.get_outputs()))
    name, (_, _, height, width) = inputs[0].name, inputs[0].shape
    size = Size(width, height) if isinstance(height, int) and isinstance(width, int) else None

    def run(batch: np.ndarray) -> np.ndarray:
        return np.asarray(session.run(None, {name: batch})[0])

    return ModelFile(run, size, session.get_modelmeta().custom_metadata_map.get("names", ""))


def _check(path: Path, inputs: list[list[Any]], outputs: int) -> None:
    """Raises DetectorUnavailable unless the model takes one picture and gives one table."""
    if len(inputs) == 1 and len(inputs[0]) == _PICTURE and str(inputs[0][1]) in ("3", "-1", "?") and outputs == 1:
        return
    shapes = "; ".join(" × ".join(str(n) for n in shape) for shape in inputs)
    raise DetectorUnavailable(
        f"{path} is no detector: it takes {shapes or 'nothing'} and gives {outputs} outputs, where a detector takes "
        "1 × 3 × height × width and gives one. Export a detection model."
    )


def _unreadable(path: Path, error: Exception) -> DetectorUnavailable:
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return DetectorUnavailable(
        f"The detector {path} cannot be loaded: it is cut off or no such model. Copy it again. ({first})"
    )


# What comes out of detectors of the YOLO kind, made into boxes: the three usual outputs, and which boxes to keep.

_OVERLAP = 0.5  # intersection over union from which two boxes of one class are one thing
_END_TO_END = 6  # columns of an output that has been sorted out: box, score, class
_MOST_END_TO_END = 1000  # rows of such an output: it has 300, all others thousands
_MOST = 3000  # boxes that are compared with each other


class Rated(NamedTuple):
    """A box of the model's input (left, top, right, bottom; pixels), its score and the number of its class."""

    corners: tuple[float, float, float, float]
    score: float
    label: int


@dataclass(frozen=True, slots=True)
class Letterbox:
    """How a picture lies in the model's input: `inner` is where, `scale` input pixels per picture pixel."""

    picture: Size
    size: Size
    inner: Box
    scale: float

    @classmethod
    def fitting(cls, picture: Size, size: Size) -> Letterbox:
        """As large as it fits, in the middle."""
        scale = min(size.width / picture.width, size.height / picture.height)
        width = max(1, min(size.width, round(picture.width * scale)))
        height = max(1, min(size.height, round(picture.height * scale)))
        inner = Box((size.width - width) // 2, (size.height - height) // 2, width, height)
        return cls(picture, size, inner, scale)

    def outside(self, corners: tuple[float, float, float, float]) -> Box:
        """A box of the input in pixels of the picture, cut to it."""
        across, down = self.picture.width / self.inner.w, self.picture.height / self.inner.h
        left, right = ((v - self.inner.x) * across for v in (corners[0], corners[2]))
        top, bottom = ((v - self.inner.y) * down for v in (corners[1], corners[3]))
        box = Box(round(left), round(top), round(right) - round(left), round(bottom) - round(top))
        return box.intersection(Box(0, 0, *self.picture))


def decoded(output: np.ndarray, classes: int, path: Path) -> list[Rated]:
    """The rows of an output of the shape 1 × (4 + classes) × n, 1 × n × (5 + classes) or 1 × n × 6, best first.

    The first two have centre, width and height, the second an objectness before its classes; the third has corners,
    score and class, and nothing twice. Raises DetectorUnavailable for any other shape.
    """
    if output.ndim != 3 or output.shape[0] != 1:
        raise _another_shape(output, classes, path)
    rows, columns = output.shape[1:]
    table = np.asarray(output[0], np.float32)
    if rows == 4 + classes:
        centred, scores = table[:4].T, table[4:].T
    elif columns == 5 + classes and not (columns == _END_TO_END and rows <= _MOST_END_TO_END):
        centred, scores = table[:, :4], table[:, 5:] * table[:, 4:5]
    elif columns == _END_TO_END and rows <= _MOST_END_TO_END:
        return _rated(table[:, :4], table[:, 4], table[:, 5], classes)
    else:
        raise _another_shape(output, classes, path)
    labels = scores.argmax(axis=1)
    half = centred[:, 2:] / 2
    corners = np.concatenate((centred[:, :2] - half, centred[:, :2] + half), axis=1)
    return _rated(corners, scores[np.arange(len(scores)), labels], labels, classes)


def _another_shape(output: np.ndarray, classes: int, path: Path) -> DetectorUnavailable:
    shape = " × ".join(str(n) for n in output.shape)
    return DetectorUnavailable(
        f"{path} is no detector of {classes} classes: its output has the shape {shape}, where a detector has "
        f"1 × {4 + classes} × n, 1 × n × {5 + classes} or 1 × n × 6. "
        "Export a detection model, with the names of its classes."
    )


def _rated(corners: np.ndarray, scores: np.ndarray, labels: np.ndarray, classes: int) -> list[Rated]:
    sound = np.isfinite(corners).all(axis=1) & np.isfinite(scores) & np.isfinite(labels)
    sound &= (labels >= 0) & (labels < classes) & (scores > 0)
    places = np.flatnonzero(sound)
    places = places[np.argsort(-scores[places], kind="stable")][:_MOST]
    return [
        Rated((float(a), float(b), float(c), float(d)), min(1.0, float(scores[i])), int(labels[i]))
        for i, (a, b, c, d) in zip(places.tolist(), corners[places].tolist(), strict=True)
    ]


def kept(rated: Iterable[Rated], fit: Letterbox) -> list[tuple[Box, Rated]]:
    """The boxes in pixels of the picture, without those that a better one of the same class overlaps by half."""
    chosen: list[tuple[Box, Rated]] = []
    by_label: dict[int, list[Box]] = {}
    for row in sorted(rated, key=lambda r: -r.score):
        box = fit.outside(row.corners)
        others = by_label.setdefault(row.label, [])
        if box.area and not any(box.iou(other) > _OVERLAP for other in others):
            others.append(box)
            chosen.append((box, row))
    return chosen


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
