"""Opening a trained model from a file, on OpenVINO or onnxruntime, whichever is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from execution.perception.elements.base import DetectorUnavailable
from execution.perception.ocr.engines import openvino_core
from execution.perception.weights import Damaged, look_over
from execution.types import Size

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
