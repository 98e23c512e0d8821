"""Running the ONNX models that ship inside the rapidocr wheel: OpenVINO, or onnxruntime where it has no wheel.

The models are opened by path, so nothing is ever looked up or fetched.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from execution.perception.ocr.base import ReaderUnavailable

DETECTOR = "PP-OCRv6_det_small.onnx"
RECOGNISER = "PP-OCRv6_rec_small.onnx"

# OpenVINO keeps a plan for every input size it ever saw, without end unless told: +400 MB after 100 odd sizes.
_PLANS_KEPT = 32
# Lines are independent: two at once, a core each, take 0.85 of the time of one after the other on both cores.
_AT_ONCE = 2


class Recogniser(NamedTuple):
    """`run` takes batches (1, 3, 48, width) and gives each one's scores (columns of the picture, characters).

    `characters` are those it was asked to tell apart; the first, "", stands for no character.
    """

    run: Callable[[Sequence[np.ndarray]], list[np.ndarray]]
    characters: tuple[str, ...]


class ReaderModels(NamedTuple):
    """The loaded models: `detect` takes a batch (1, 3, height, width) and gives a map of the same size."""

    engine: str
    detect: Callable[[np.ndarray], np.ndarray]
    recogniser: Recogniser


def load_models(wanted: Callable[[str], bool]) -> ReaderModels:
    """Both models on the best engine installed, for the characters that are `wanted`; raises ReaderUnavailable."""
    folder = _models_folder()
    names = [n for n in ("openvino", "onnxruntime") if importlib.util.find_spec(n)]
    if not names:
        raise ReaderUnavailable(
            "The reader rapidocr needs openvino or onnxruntime and neither is installed: pip install openvino."
        )
    load = _on_openvino if names[0] == "openvino" else _on_onnxruntime
    return load(folder / DETECTOR, folder / RECOGNISER, wanted)


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


def openvino_core() -> Any:
    """OpenVINO's core, silent: its import reports to an analytics service unless its telemetry is missing (S10.6)."""
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    import openvino

    core = openvino.Core()
    core.set_property("CPU", {"CPU_RUNTIME_CACHE_CAPACITY": str(_PLANS_KEPT)})
    if "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        core.set_property("CPU", {"INFERENCE_PRECISION_HINT": "bf16"})  # 1.5 to 1.8 times as fast, read as well
    return core


def _on_openvino(detector: Path, recogniser: Path, wanted: Callable[[str], bool]) -> ReaderModels:
    core = openvino_core()
    import openvino

    request = core.compile_model(detector, "CPU", {"PERFORMANCE_HINT": "LATENCY"}).create_infer_request()

    def detect(batch: np.ndarray) -> np.ndarray:
        request.infer([batch])
        return np.array(request.get_output_tensor().data)

    model = core.read_model(recogniser)
    notes: Any = model.get_rt_info()
    kept, characters = _choice(notes["framework"]["character"].value, wanted)
    _narrow(model, kept)
    options = {"NUM_STREAMS": str(_AT_ONCE), "INFERENCE_NUM_THREADS": str(_AT_ONCE)}
    queue = openvino.AsyncInferQueue(core.compile_model(model, "CPU", options), _AT_ONCE)
    scores: dict[int, np.ndarray] = {}
    queue.set_callback(lambda done, index: scores.__setitem__(index, np.array(done.get_output_tensor().data[0])))

    def run(batches: Sequence[np.ndarray]) -> list[np.ndarray]:
        scores.clear()
        for index, batch in enumerate(batches):
            queue.start_async({0: batch}, index)
        queue.wait_all()
        return [scores.pop(index) for index in range(len(batches))]

    return ReaderModels("openvino", detect, Recogniser(run, characters))


def _narrow(model: Any, kept: np.ndarray) -> None:
    """Cut the last layer down to the kept classes: 18 710 cost a fifth of the time."""
    import openvino

    ops = model.get_ordered_ops()
    for kind, axis in (("MatMul", 1), ("Add", 0)):
        last = [op for op in ops if op.get_type_name() == kind][-1]
        weights = last.input_value(1).get_node().data
        narrowed = openvino.opset13.constant(np.ascontiguousarray(weights.take(kept, axis=axis)))
        last.input(1).replace_source_output(narrowed.output(0))
    model.validate_nodes_and_infer_types()


def _on_onnxruntime(detector: Path, recogniser: Path, wanted: Callable[[str], bool]) -> ReaderModels:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False

    def opened(path: Path) -> tuple[Any, str]:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return session, session.get_inputs()[0].name

    (finder, finds), (reader, reads) = opened(detector), opened(recogniser)
    kept, characters = _choice(reader.get_modelmeta().custom_metadata_map["character"], wanted)

    def detect(batch: np.ndarray) -> np.ndarray:
        return np.asarray(finder.run(None, {finds: batch})[0])

    def run(batches: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [np.asarray(reader.run(None, {reads: batch})[0])[0][:, kept] for batch in batches]

    return ReaderModels("onnxruntime", detect, Recogniser(run, characters))


def _choice(alphabet: str, wanted: Callable[[str], bool]) -> tuple[np.ndarray, tuple[str, ...]]:
    """The classes to keep and their characters: the model's first is "no character", its last the space."""
    every = ["", *alphabet.splitlines(), " "]
    kept = [i for i, character in enumerate(every) if i == 0 or wanted(character)]
    return np.array(kept), tuple(every[i] for i in kept)
