"""Every drawing of every name, rendered once: its brightness and its cover, so that it can be painted in any colour."""

from __future__ import annotations

import zlib
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from tools.eye.names import name_of
from tools.eye.sources import HELD_OUT_NAMES, files

DRAWN = 72  # pixels of a rendered drawing's side
_LEAST_FAMILIES = 3  # that draw a name
_MOST_OF_FAMILY = 4  # drawings of one name by one family: filled, outlined …


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawings:
    """`pixels` uint8 (n, DRAWN, DRAWN, 2): brightness and cover; `names` and `families` (n,) of each."""

    pixels: np.ndarray
    names: np.ndarray
    families: np.ndarray


def load(folder: Path) -> Drawings:
    """The drawings under `folder`, rendered the first time; FileNotFoundError where there are none."""
    kept = folder / "drawings.npz"
    if not kept.is_file():
        np.savez(kept, **_render_all(folder))
    with np.load(kept) as arrays:
        return Drawings(pixels=arrays["pixels"], names=arrays["names"], families=arrays["families"])


def is_held_out(name: str) -> bool:
    """Whether a name is left for judging, whoever draws it."""
    return zlib.crc32(name.encode()) % 1000 < 1000 * HELD_OUT_NAMES


def _render_all(folder: Path) -> dict[str, np.ndarray]:
    by_name: dict[str, dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for family, paths in files(folder).items():
        for path in paths:
            by_name[name_of(path.stem)][family].append(path)
    chosen = [
        (name, family, path)
        for name, families in sorted(by_name.items())
        if name and len(families) >= _LEAST_FAMILIES
        for family, paths in sorted(families.items())
        for path in _spread(paths)
    ]
    if not chosen:
        raise FileNotFoundError(f"{folder} holds no icon sets; tools/eye/README.md says how to get them")
    with ProcessPoolExecutor() as pool:
        rendered = list(pool.map(_rendered, [path for _, _, path in chosen], chunksize=64))
    whole = [
        (name, family, pixels) for (name, family, _), pixels in zip(chosen, rendered, strict=True) if pixels is not None
    ]
    return {
        "pixels": np.stack([pixels for _, _, pixels in whole]),
        "names": np.array([name for name, _, _ in whole]),
        "families": np.array([family for _, family, _ in whole]),
    }


def _spread(paths: list[Path]) -> list[Path]:
    """A few of them, as different in name and folder as there are."""
    step = max(1, len(paths) // _MOST_OF_FAMILY)
    return paths[::step][:_MOST_OF_FAMILY]


def _rendered(path: Path) -> np.ndarray | None:
    import resvg_py

    if path.suffix == ".svg":
        try:
            png = bytes(resvg_py.svg_to_bytes(svg_path=str(path), width=DRAWN))
        except (ValueError, OSError):  # what the renderer cannot draw is left out
            return None
        picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)
    else:
        picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None or picture.ndim != 3 or picture.shape[2] != 4 or min(picture.shape[:2]) < 16:
        return None
    high, wide = picture.shape[:2]
    scale = DRAWN / max(high, wide)
    small = cv2.resize(
        picture, (max(1, round(wide * scale)), max(1, round(high * scale))), interpolation=cv2.INTER_AREA
    )
    canvas = np.zeros((DRAWN, DRAWN, 4), np.uint8)
    top, left = (DRAWN - small.shape[0]) // 2, (DRAWN - small.shape[1]) // 2
    canvas[top : top + small.shape[0], left : left + small.shape[1]] = small
    if canvas[..., 3].max() < 100 or (canvas[..., 3] > 40).mean() < 0.01:
        return None
    return np.dstack([cv2.cvtColor(canvas[..., :3], cv2.COLOR_BGR2GRAY), canvas[..., 3]])
