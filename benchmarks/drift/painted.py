"""The trap: a target painted over in place, all else unchanged, so that place and surroundings say that it is there."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from benchmarks.drift.pairs import Made, Pair, Truth
from benchmarks.screens.corpus import Screen
from execution.types import Box, Size

HOWS = ("flat", "around")
_MARGIN = 2  # pixels: what a control's frame or shadow takes besides its box
_RING = 4  # pixels around, whose colour the ground is
_SEEN, _ENOUGH = 24, 24  # difference of a pixel, of 255; pixels that differ
_PNG_LEVEL = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """A target that may be painted over."""

    screen: Screen
    family: str
    number: int
    box: Box
    label: str
    role: str


def painted(pixels: np.ndarray, box: Box, how: str) -> np.ndarray | None:
    """The picture without what is in the box: `flat` ground, or what is left and right of it, drawn through.

    None where nothing was to be seen in the box.
    """
    size = Size(pixels.shape[1], pixels.shape[0])
    area, ring = box.grown(_MARGIN, size), box.grown(_MARGIN + _RING, size)
    made = pixels.copy()
    inside = made[area.y : area.bottom, area.x : area.right]
    if how == "flat":
        inside[:] = _ground(pixels, area, ring)
    else:
        left = pixels[area.y : area.bottom, max(0, area.x - 1)].astype(np.float32)[:, None]
        right = pixels[area.y : area.bottom, min(size.width - 1, area.right)].astype(np.float32)[:, None]
        share = np.linspace(0, 1, area.w, dtype=np.float32)[None, :, None]
        inside[:] = np.rint(left * (1 - share) + right * share)
    differs = cv2.absdiff(made, pixels).max(axis=2) > _SEEN
    return made if int(differs.sum()) >= _ENOUGH else None


def _ground(pixels: np.ndarray, area: Box, ring: Box) -> np.ndarray:
    """The colour that most of the ring has."""
    mask = np.ones((ring.h, ring.w), bool)
    mask[area.y - ring.y : area.bottom - ring.y, area.x - ring.x : area.right - ring.x] = False
    colours, counts = np.unique(pixels[ring.y : ring.bottom, ring.x : ring.right][mask], axis=0, return_counts=True)
    return np.asarray(colours[counts.argmax()])


def make_painted(targets: Sequence[Taught], folder: Path, *, part: str, rng: random.Random, most: int) -> Made:
    """One picture and one pair for each target that can be painted over, up to `most`."""
    screens, pairs = list[Screen](), list[Pair]()
    for target, how in _turns(targets, rng):
        if len(pairs) >= most:
            break
        made = painted(target.screen.pixels(folder), target.box, how)
        if made is None:
            continue
        name = f"{target.screen.name}-painted-{target.number}"
        if not cv2.imwrite(str(folder / f"{name}.png"), made, [cv2.IMWRITE_PNG_COMPRESSION, _PNG_LEVEL]):
            raise OSError(f"{folder / name}.png cannot be written")
        screens.append(
            Screen(
                name=name, picture=f"{name}.png", family=target.family, variant=target.screen.variant,
                window=target.screen.window,
            )
        )  # fmt: skip
        pairs.append(
            Pair(
                name=name, kind="painted", part=part, family=target.family, taught=target.screen.name, seen=name,
                box=target.box, label=target.label, role=target.role, truth=Truth.GONE,
                dress=str(target.screen.variant.get("style", "")),
                window=rng.random() >= 0.15, why=how,
            )
        )  # fmt: skip
    return Made(screens=tuple(screens), pairs=tuple(pairs))


def _turns(targets: Sequence[Taught], rng: random.Random) -> Iterator[tuple[Taught, str]]:
    for number, target in enumerate(targets):
        yield target, HOWS[(number + rng.randrange(2)) % 2]
