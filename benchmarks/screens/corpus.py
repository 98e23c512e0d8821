"""The corpus on disk: pictures, and beside them what is really on them, as the DOM or the toolkit said it.

One folder a kind (`web`, `apps`, `nodes`, `sequences`), each with an `index.json` that lists its screens.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from execution.types import Box, Window

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "bench" / "screens"
INDEX = "index.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueText:
    """One visible line of text and its box in pixels of the picture."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueElement:
    """A thing that can be acted on: `role` and `states` in the words of ElementRole and ElementState."""

    role: str
    box: Box
    text: str = ""
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """One picture with its truth.

    `family` names the screen as a person would: all pictures of one family are the same node of a workflow.
    `variant` says how it was made (style, theme, scale, language, size, data, place, ...), all as text.
    `step` is its place in a sequence. `complete` is False where the truth does not hold all that is on the picture.
    """

    name: str
    picture: str
    family: str
    variant: Mapping[str, str] = field(default_factory=dict)
    window: Window | None = None
    texts: tuple[TrueText, ...] = ()
    elements: tuple[TrueElement, ...] = ()
    step: int = 0
    complete: bool = True

    def pixels(self, folder: Path) -> np.ndarray:
        """The picture, BGR."""
        pixels = cv2.imread(str(folder / self.picture), cv2.IMREAD_COLOR)
        if pixels is None:
            raise FileNotFoundError(f"{folder / self.picture} is missing; make the corpus again.")
        return np.asarray(pixels)


def save(screens: Iterable[Screen], folder: Path) -> None:
    """Write the index of `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [asdict(screen) for screen in screens]
    (folder / INDEX).write_text(json.dumps(rows, ensure_ascii=False, indent=0))


def load(folder: Path) -> list[Screen]:
    """The screens of one folder; raises SystemExit that says how to make them."""
    if not (folder / INDEX).is_file():
        raise SystemExit(f"{folder} holds no screens; make them with: python -m benchmarks.screens")
    return [_screen(row) for row in json.loads((folder / INDEX).read_text())]


def _screen(row: Mapping[str, Any]) -> Screen:
    window = row["window"]
    return Screen(
        **{
            **row,
            "window": Window(**{**window, "box": Box(*window["box"]) if window["box"] else None}) if window else None,
            "texts": tuple(TrueText(text=t["text"], box=Box(*t["box"])) for t in row["texts"]),
            "elements": tuple(
                TrueElement(**{**e, "box": Box(*e["box"]), "states": tuple(e["states"])}) for e in row["elements"]
            ),
        }
    )
