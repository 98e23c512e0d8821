"""Under what a correction was learned and used, and whether a screen is like that (S6.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from execution.types import ScreenState

DARK, LIGHT = "dark", "light"
_EVERY = 8  # of the pixels in each direction: enough to tell a ground
_MIDDLE = 128  # of the grey levels


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The screen's theme and its size in pixels."""

    theme: str
    size: tuple[int, int]

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "size": list(self.size)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Conditions:
        width, height = data.get("size") or (0, 0)
        return cls(theme=str(data.get("theme") or ""), size=(int(width), int(height)))


NO_SCREEN = Conditions.from_json({})  # where nobody kept them: no screen is like that


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """That `runs` in a row proved a correction right under some conditions (None: whatever the screen is like), and
    whether it acts by itself there."""

    conditions: Conditions | None
    runs: int = 0
    trusted: bool = False

    def to_json(self) -> dict[str, Any]:
        under = self.conditions.to_json() if self.conditions else {}
        return {**under, "runs": self.runs, "trusted": self.trusted}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Proof:
        under = Conditions.from_json(data) if "theme" in data else None
        return cls(conditions=under, runs=int(data.get("runs") or 0), trusted=bool(data.get("trusted")))


def conditions_of(state: ScreenState) -> Conditions:
    """Those of a screen; of the window in front where it is known, as a desktop's background has no theme."""
    window = state.window.box if state.window else None
    pixels = state.frame.crop(window) if window is not None and window.area else state.frame.pixels
    ground = float(np.median(pixels[::_EVERY, ::_EVERY])) if pixels.size else 255.0
    return Conditions(
        theme=LIGHT if ground >= _MIDDLE else DARK, size=(state.frame.size.width, state.frame.size.height)
    )
