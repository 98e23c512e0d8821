"""For the eyes: `python -m benchmarks.screens.look FOLDER NAME...` draws the truth over pictures of a folder."""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

from benchmarks.screens.corpus import FOLDER, Screen, load

_COLOURS = {
    "button": (0, 140, 255), "field": (255, 60, 0), "checkbox": (200, 0, 200), "radio": (200, 0, 120),
    "tab": (0, 180, 0),    "menu_item": (160, 160, 0), "link": (255, 160, 0), "icon": (0, 0, 160),
}  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", choices=sorted(p.name for p in FOLDER.iterdir()))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--to", type=Path, default=FOLDER.parent / "look")
    options = parser.parse_args(arguments)
    options.to.mkdir(parents=True, exist_ok=True)
    for screen in load(FOLDER / options.folder):
        if not options.names or screen.name in options.names:
            file = options.to / f"{options.folder}-{screen.name}.png"
            cv2.imwrite(str(file), drawn(screen, FOLDER / options.folder))
            print(file)


def drawn(screen: Screen, folder: Path) -> np.ndarray:
    """Text lines in thin red, elements in their role's colour; states as their first letters."""
    picture = screen.pixels(folder).copy()
    for text in screen.texts:
        cv2.rectangle(picture, text.box[:2], (text.box.right, text.box.bottom), (0, 0, 255), 1)
    for element in screen.elements:
        box, colour = element.box, _COLOURS[element.role]
        cv2.rectangle(picture, (box.x - 2, box.y - 2), (box.right + 2, box.bottom + 2), colour, 2)
        note = element.role[:2] + "".join(state[0].upper() for state in element.states)
        cv2.putText(picture, note, (box.x, box.y - 3), cv2.FONT_HERSHEY_SIMPLEX, 0.4, colour, 1, cv2.LINE_AA)
    return picture


if __name__ == "__main__":
    main()
