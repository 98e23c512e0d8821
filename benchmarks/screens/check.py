"""Is the truth true? `python -m benchmarks.screens.check [web|nodes]` holds it against the ink of the letters.

Each page is drawn with its letters and without them; what differs is ink. All ink must lie in a line of the truth, and
all lines must hold ink. Nothing of how the truth was found goes into this.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from benchmarks.screens import nodes, web
from benchmarks.screens.corpus import Screen
from benchmarks.screens.render import Studio, studio
from execution.types import Box

_REACH = 4  # pixels that letters may stand over their line's box (accents on capitals, italics)
_SPECK = 4  # pixels of ink that nobody would see
_ARROW = 1.5  # of a field's height: its end, where the arrow of a choice is drawn as a letter


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=("web", "nodes"), default="web")
    parser.add_argument("--every", type=int, default=1, help="only each n-th picture")
    options = parser.parse_args(arguments)
    faults = 0
    with tempfile.TemporaryDirectory() as name, studio() as made_in:
        for screen, found in checked(options.part, options.every, Path(name), made_in):
            faults += len(found)
            for fault in found:
                print(f"{screen.name}: {fault}")
    print(f"{faults} faults")
    return int(faults > 0)


def checked(part: str, every: int, folder: Path, made_in: Studio) -> Iterator[tuple[Screen, list[str]]]:
    """Each screen, made anew, with its faults."""
    if part == "web":
        for planned in web.plan()[::every]:
            screen = web.render(planned, folder, made_in)
            yield screen, faults_of(screen, made_in.ink(planned.look))
    else:
        for pose in list(nodes.plan())[::every]:
            screen = nodes.render(pose, folder, made_in)
            yield screen, faults_of(screen, made_in.ink(pose.look))


def faults_of(screen: Screen, ink: np.ndarray) -> list[str]:
    """Lines of the truth that hold no ink, and ink that is in no line."""
    faults = [f"no ink in {line.text!r} {tuple(line.box)}" for line in screen.texts if not _part(ink, line.box).any()]
    rest = ink.copy()
    for line in screen.texts:
        _part(rest, line.box, _REACH)[:] = False
    for element in screen.elements:
        box = element.box
        if element.role in ("checkbox", "radio"):  # some style sheets draw the tick as a letter of a font of theirs
            _part(rest, box, 2 * _REACH)[:] = False
        elif element.role == "field":
            arrow = round(_ARROW * box.h)
            _part(rest, Box(box.right - arrow, box.y, arrow, box.h))[:] = False
    return faults + [f"letters that the truth lacks at {tuple(box)}" for box in _blobs(rest)]


def _part(mask: np.ndarray, box: Box, reach: int = 0) -> np.ndarray:
    top, left = max(box.y - reach, 0), max(box.x - reach, 0)
    return mask[top : box.bottom + reach, left : box.right + reach]


def _blobs(mask: np.ndarray) -> Sequence[Box]:
    """Where ink is left, words together."""
    joined = cv2.dilate(mask.astype(np.uint8), np.ones((5, 15), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(joined)
    boxes = [Box(*(int(v) for v in stats[i][:4])) for i in range(1, count)]
    return [box for box in boxes if np.count_nonzero(_part(mask, box)) > _SPECK]


if __name__ == "__main__":
    raise SystemExit(main())
