"""Running the ONNX models that ship inside the rapidocr wheel: OpenVINO, or onnxruntime where it has no wheel.

The models are opened by path, so nothing is ever looked up or fetched.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from execution.perception.ocr.base import ReaderUnavailable

DETECTOR = "PP-OCRv6_det_small.onnx"
RECOGNISER = "PP-OCRv6_rec_small.onnx"

# OpenVINO keeps a plan for every input size it ever saw, without end unless told: +400 MB after 100 odd sizes.
_PLANS_KEPT = 32


class Model(NamedTuple):
    """A loaded model: `run` takes one batch and gives the output, `characters` is what a recogniser can read."""

    run: Callable[[np.ndarray], np.ndarray]
    characters: tuple[str, ...]


class Models(NamedTuple):
    engine: str
    detector: Model
    recogniser: Model


def load_models() -> Models:
    """Both models on the best engine installed; raises ReaderUnavailable."""
    folder = _models_folder()
    names = [n for n in ("openvino", "onnxruntime") if importlib.util.find_spec(n)]
    if not names:
        raise ReaderUnavailable(
            "The reader rapidocr needs openvino or onnxruntime and neither is installed: pip install openvino."
        )
    load = _openvino_model if names[0] == "openvino" else _onnxruntime_model
    return Models(names[0], load(folder / DETECTOR), load(folder / RECOGNISER))


def _models_folder() -> Path:
    spec = importlib.util.find_spec("rapidocr")
    if spec is None or not spec.submodule_search_locations:
        raise ReaderUnavailable("The reader rapidocr is not installed: pip install rapidocr.")
    folder = Path(spec.submodule_search_locations[0]) / "models"
    missing = [name for name in (DETECTOR, RECOGNISER) if not (folder / name).is_file()]
    if missing:
        raise ReaderUnavailable(
            f"The rapidocr package in {folder.parent} lacks {', '.join(missing)}; "
            "install the version that requirements.txt names."
        )
    return folder


def _openvino_model(path: Path) -> Model:
    # Importing openvino reports to an analytics service unless its telemetry package cannot be imported (S10.6).
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    import openvino

    core = openvino.Core()
    model = core.read_model(path)
    options = {"PERFORMANCE_HINT": "LATENCY", "CPU_RUNTIME_CACHE_CAPACITY": str(_PLANS_KEPT)}
    request = core.compile_model(model, "CPU", options).create_infer_request()

    def run(batch: np.ndarray) -> np.ndarray:
        request.infer([batch])
        return np.array(request.get_output_tensor().data)

    notes: Any = model.get_rt_info()
    framework = notes["framework"] if "framework" in notes else {}  # noqa: SIM401  it has no `get`
    return Model(run, tuple(framework["character"].value.splitlines()) if "character" in framework else ())


def _onnxruntime_model(path: Path) -> Model:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    def run(batch: np.ndarray) -> np.ndarray:
        return np.asarray(session.run(None, {name: batch})[0])

    characters = session.get_modelmeta().custom_metadata_map.get("character", "")
    return Model(run, tuple(characters.splitlines()))
