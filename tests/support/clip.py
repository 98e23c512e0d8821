"""A tiny CLIP with random weights, made by open_clip itself and loaded by the product's own code."""

from __future__ import annotations

import gc
import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

NAME, OTHER = "surehand-tiny", "surehand-tinier"


class Made(NamedTuple):
    """A model as open_clip makes it, and its weights in both kinds of file."""

    model: Any
    safetensors: Path
    pickled: Path


def tiny(width: int, layers: int) -> dict[str, Any]:
    return {
        "embed_dim": 16,
        "vision_cfg": {"image_size": 64, "layers": layers, "width": width, "head_width": 16, "patch_size": 16},
        "text_cfg": {"context_length": 8, "vocab_size": 64, "width": 16, "heads": 2, "layers": 1},
    }


@cache
def made_clip() -> Made:
    """The model NAME, known to open_clip, with weights in a folder; and OTHER, which is known and has none."""
    import open_clip
    import torch
    from safetensors.torch import save_file

    gc.freeze()  # half a million objects came with these two: a move collects, and need not walk through them
    torch.set_num_threads(1)  # for so small a model, threads that wait for each other are all the time it takes
    folder = Path(tempfile.mkdtemp(prefix="clip-", dir=os.environ["RPA_DATA_DIR"]))
    for name, config in ((NAME, tiny(32, 2)), (OTHER, tiny(48, 1))):
        (folder / f"{name}.json").write_text(json.dumps(config))
    open_clip.add_model_config(folder)
    torch.manual_seed(4)
    model = open_clip.create_model(NAME).eval()
    state = {key: value.contiguous() for key, value in model.state_dict().items()}
    save_file(state, folder / "tiny.safetensors")
    torch.save({"state_dict": state, "epoch": 3}, folder / "tiny.pt")
    return Made(model, folder / "tiny.safetensors", folder / "tiny.pt")


def picture(seed: int = 1, height: int = 60, width: int = 80) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)


def broken(made: Made, kind: str, folder: Path) -> Path:
    """A file that is none, by what is wrong with it."""
    import torch

    path = folder / ("w.safetensors" if kind.startswith("safe") else "w.pt")
    source = made.safetensors if kind.startswith("safe") else made.pickled
    whole = source.read_bytes()
    if kind.endswith("cut off"):
        path.write_bytes(whole[: len(whole) // 2])
    elif kind.endswith("head"):
        path.write_bytes(whole[:300])
    elif kind == "empty":
        path.touch()
    elif kind == "web page":
        path.write_text("<!DOCTYPE html><title>Sign in</title>")
    elif kind == "rubbish":
        path.write_bytes(bytes(range(256)) * 40)
    elif kind == "code":
        torch.save({"state_dict": {}, "when": Path("/tmp")}, path)
    elif kind == "nothing in it":
        torch.save({}, path)
    elif kind == "no tensors":
        torch.save([1, 2, 3], path)
    return path
