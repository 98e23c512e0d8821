"""CLIP's image half, from weights in a local file; nothing is ever looked up or fetched here (DESIGN 5.9)."""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

from execution.perception.embedding.base import DeviceUnavailable, check_pixels, unit
from execution.perception.weights import Damaged, WeightsUnavailable, checksum, look_over
from execution.types import Embedding

_REMEDY = "Get it again with 'manage.py fetchmodels open_clip', or set RPA_EMBEDDER=builtin."
_NAMED = 3  # of the tensors that do not fit


class _Tower(NamedTuple):
    network: Any
    size: tuple[int, int]  # height, width
    mean: np.ndarray
    deviation: np.ndarray


class OpenClipEmbedder:
    """The image tower of an open_clip model in float32, on one device at a time; one caller at a time.

    The whole screen is squashed into the model's square: the library's own way, a crop from the middle, would leave out
    four tenths of a wide screen.
    """

    def __init__(self, *, model: str, weights: Path) -> None:
        """Load the model onto the processor (seconds); raises WeightsUnavailable."""
        self._lock = threading.Lock()
        self._tower, self._size, self._mean, self._deviation = _load(model, weights)
        self.model_id = f"open_clip/{model}/{checksum(weights, 'sha256')[:12]}"
        self.device = "cpu"

    def embed(self, pixels: np.ndarray) -> Embedding:
        """The unit vector of a BGR picture of any size; raises ValueError for what is no such picture."""
        check_pixels(pixels)
        import torch

        batch = torch.from_numpy(self._batch(pixels))
        with self._lock, torch.inference_mode():
            features = self._tower(batch.to(self.device))
        features = features[0] if isinstance(features, tuple) else features  # CoCa gives its tokens too
        return Embedding(model=self.model_id, vector=unit(features[0].float().cpu().numpy()))

    def warm_up(self) -> None:
        """Run it once, so that the first screen does not pay for what is set up lazily."""
        self.embed(np.zeros((8, 8, 3), np.uint8))

    def move(self, device: str) -> None:
        """Put the model on `cpu` or `cuda:N`; raises DeviceUnavailable, and then it is where it was and works."""
        if problem := _why_not(device):
            raise DeviceUnavailable(f"CLIP cannot go to {device!r}: {problem}.")
        with self._lock:
            try:
                self._tower.to(device)
            except RuntimeError as error:  # CUDA's own errors, too little memory among them
                self._tower.to(self.device)  # tensors move one by one, so some are there already
                raise DeviceUnavailable(f"CLIP cannot go to {device!r} and stays on {self.device}: {error}") from error
            self.device = device

    def _batch(self, pixels: np.ndarray) -> np.ndarray:
        """The picture as the tower takes it: 1 × 3 × height × width, RGB, normalised."""
        height, width = self._size
        shrinks = pixels.shape[0] >= height and pixels.shape[1] >= width
        small = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
        rgb = small[:, :, ::-1].astype(np.float32) / 255
        return np.ascontiguousarray(((rgb - self._mean) / self._deviation).transpose(2, 0, 1)[None])


def _load(model: str, weights: Path) -> _Tower:
    try:
        look_over(weights)
    except FileNotFoundError as error:
        raise WeightsUnavailable(f"The weights of CLIP are not at {weights}. {_REMEDY}") from error
    except Damaged as error:
        raise WeightsUnavailable(f"The weights of CLIP, {weights}: the file {error}. {_REMEDY}") from error
    known = _published(model, weights)
    whole = _without_weights(model, quick_gelu=known.get("quick_gelu", False))
    _fill(whole, model, weights)
    network = whole.visual.eval().requires_grad_(False)  # the text half is let go
    size = network.image_size
    colours = {**network.preprocess_cfg, **known}
    return _Tower(
        network,
        (size, size) if isinstance(size, int) else (size[0], size[1]),
        np.asarray(colours["mean"], np.float32),
        np.asarray(colours["std"], np.float32),
    )


def _published(model: str, weights: Path) -> dict[str, Any]:
    """What open_clip knows of weights that are named as 'fetchmodels' names them: MODEL.TAG.suffix."""
    open_clip = _library()
    tag = weights.stem.removeprefix(f"{model}.")
    known = open_clip.get_pretrained_cfg(model, tag) or {}
    return {key: known[key] for key in ("mean", "std", "quick_gelu") if known.get(key) is not None}


def _library() -> Any:
    os.environ["HF_HUB_OFFLINE"] = "1"  # before the import: what would ask a hub fails at once instead
    try:
        import open_clip
    except ImportError as error:
        raise WeightsUnavailable(f"open_clip is not installed ({error}): pip install open_clip_torch.") from error
    return open_clip


def _without_weights(name: str, *, quick_gelu: bool) -> Any:
    """The model of that name, in float32 on the processor."""
    open_clip = _library()
    if name not in open_clip.list_models():
        raise WeightsUnavailable(f"open_clip has no model {name!r}; set RPA_CLIP_MODEL to one of its own names.")
    if "hf_model_name" in open_clip.get_model_config(name)["text_cfg"]:
        raise WeightsUnavailable(f"The model {name} takes its text half from a hub; set RPA_CLIP_MODEL to another.")
    root = logging.getLogger()
    root.addFilter(_says_nothing_of_missing_weights)
    try:
        return open_clip.create_model(name, pretrained_text=False, precision="fp32", force_quick_gelu=quick_gelu)
    finally:
        root.removeFilter(_says_nothing_of_missing_weights)


def _says_nothing_of_missing_weights(record: logging.LogRecord) -> bool:
    """open_clip warns that a model without weights is a random one; the weights come next."""
    return "initialized randomly" not in record.getMessage()


def _fill(model: Any, name: str, weights: Path) -> None:
    """Load the file into the model; raises WeightsUnavailable where it is not whole or of another model."""
    try:
        missed = _library().load_checkpoint(model, str(weights), strict=False, weights_only=True)
    except Exception as error:
        different = re.findall(r"size mismatch for (\S+):", str(error))
        if different:
            raise WeightsUnavailable(_unfit(name, weights, f"other sizes of {_some(different)}")) from error
        reason = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        raise WeightsUnavailable(f"The weights of CLIP, {weights}, cannot be read ({reason}). {_REMEDY}") from error
    lacking = [key for key in missed.missing_keys if key.startswith("visual.")]
    strange = [key for key in missed.unexpected_keys if key.startswith("visual.")]
    if lacking or strange:
        said = [f"no {_some(lacking)}"] * bool(lacking) + [f"{_some(strange)} too many"] * bool(strange)
        raise WeightsUnavailable(_unfit(name, weights, "; ".join(said)))


def _unfit(name: str, weights: Path, said: str) -> str:
    return (
        f"The weights of CLIP, {weights}, are not of the model {name}: {said}. Set RPA_CLIP_MODEL to the model that "
        "they are of, or RPA_EMBEDDER=builtin."
    )


def _some(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    return ", ".join(keys[:_NAMED]) + more


def _why_not(device: str) -> str:
    """Why a model cannot be put there; empty if it can be tried."""
    import torch

    if device == "cpu":
        return ""
    number = re.fullmatch(r"cuda:(\d+)", device)
    if not number:
        return "devices are named cpu or cuda:N"
    if not torch.cuda.is_available():
        return "PyTorch finds no GPU here"
    count = torch.cuda.device_count()
    return "" if int(number[1]) < count else f"there are {count} GPUs, counted from 0"
