"""CLIP's image half, from weights in a local file; nothing is ever looked up or fetched here (D6)."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from gpu.clip import cuda
from gpu.exceptions import ClipUnavailable
from gpu.weights import WeightsFile, checksum
from sentences.said import say, then

_NAMED = 3  # of the tensors that do not fit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tower:
    """The image tower in float32 on the processor, and how a picture is made ready for it."""

    network: Any
    size: tuple[int, int]  # height, width
    mean: np.ndarray
    deviation: np.ndarray
    model_id: str  # names the model and its weights: vectors compare if and only if it is the same

    def batch(self, pixels: np.ndarray) -> np.ndarray:
        """A BGR uint8 picture of any size as the tower takes it: 1 × 3 × height × width, RGB, normalised."""
        height, width = self.size
        shrinks = pixels.shape[0] >= height and pixels.shape[1] >= width
        small = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
        rgb = small[:, :, ::-1].astype(np.float32) / 255
        return np.ascontiguousarray(((rgb - self.mean) / self.deviation).transpose(2, 0, 1)[None])


def features(network: Any, batch: np.ndarray, device: str) -> np.ndarray:
    """What the network on that device sees in a batch of one: a float32 vector of unit length."""
    import torch

    with torch.inference_mode():
        seen = network(torch.from_numpy(batch).to(device))
        seen = seen[0] if isinstance(seen, tuple) else seen  # CoCa gives its tokens too
        vector = np.asarray(seen[0].float().cpu().numpy())
    length = float(np.linalg.norm(vector))
    return (vector / length if length > 1e-6 else np.zeros_like(vector)).astype(np.float32)


def load_tower(model: str, weights: Path) -> Tower:
    """The tower of that model with those weights (seconds); raises ClipUnavailable with what to do."""
    WeightsFile(weights).check()
    known = _published(model, weights)
    whole = _without_weights(model, quick_gelu=known.get("quick_gelu", False))
    _fill(whole, model, weights)
    network = whole.visual.eval().requires_grad_(False)  # the text half is let go
    size = network.image_size
    colours = {**network.preprocess_cfg, **known}
    return Tower(
        network=network,
        size=(size, size) if isinstance(size, int) else (size[0], size[1]),
        mean=np.asarray(colours["mean"], np.float32),
        deviation=np.asarray(colours["std"], np.float32),
        model_id=f"open_clip/{model}/{checksum(weights, 'sha256')[:12]}",
    )


def _published(model: str, weights: Path) -> dict[str, Any]:
    """What open_clip knows of weights that are named as 'fetchmodels' names them: MODEL.TAG.suffix."""
    open_clip = _library()
    tag = weights.stem.removeprefix(f"{model}.")
    known = open_clip.get_pretrained_cfg(model, tag) or {}
    return {key: known[key] for key in ("mean", "std", "quick_gelu") if known.get(key) is not None}


def _library() -> Any:
    cuda.torch()
    os.environ["HF_HUB_OFFLINE"] = "1"  # before the import: what would ask a hub fails at once instead
    try:
        import open_clip
    except ImportError as error:
        raise ClipUnavailable(say("clip.no_open_clip", error=error)) from error
    return open_clip


def _without_weights(name: str, *, quick_gelu: bool) -> Any:
    open_clip = _library()
    if name not in open_clip.list_models():
        raise ClipUnavailable(say("clip.no_such_model", name=repr(name)))
    if "hf_model_name" in open_clip.get_model_config(name)["text_cfg"]:
        raise ClipUnavailable(say("clip.from_a_hub", name=name))
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
    """Load the file into the model; raises ClipUnavailable where it is not whole or of another model."""
    try:
        missed = _library().load_checkpoint(model, str(weights), strict=False, weights_only=True)
    except Exception as error:  # of a library that reads a file of anybody's: its errors have no common base
        different = re.findall(r"size mismatch for (\S+):", str(error))
        if different:
            raise ClipUnavailable(_unfit(name, weights, say("clip.other_sizes", of=_some(different)))) from error
        reason = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        raise ClipUnavailable(say("clip.weights_unread", path=weights, error=reason)) from error
    lacking = [key for key in missed.missing_keys if key.startswith("visual.")]
    strange = [key for key in missed.unexpected_keys if key.startswith("visual.")]
    if lacking or strange:
        said = [say("clip.lacking", of=_some(lacking)) if lacking else ""]
        said.append(say("clip.too_many", of=_some(strange)) if strange else "")
        raise ClipUnavailable(_unfit(name, weights, then(said)))


def _unfit(name: str, weights: Path, said: str) -> str:
    return say("clip.of_another_model", path=weights, name=name, why=said)


def _some(keys: Sequence[str]) -> str:
    names = ", ".join(keys[:_NAMED])
    return say("clip.and_more", names=names, n=len(keys) - _NAMED) if len(keys) > _NAMED else names
