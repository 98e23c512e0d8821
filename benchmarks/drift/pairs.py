"""A taught target and the changed screen it has to be found on, or not; how pairs lie on disk, and what is right.

`build/bench/drift/PART/` holds the pictures of one part (`web`, `apps`, `painted`) and one JSON file for each kind of
change: the screens it added, and its pairs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from benchmarks.screens.corpus import ROOT, Screen
from execution.types import Box, Point, Window

FOLDER = ROOT / "build" / "bench" / "drift"
PARTS = ("web", "apps")
HALVES = ("development", "held out")
_SALT = 10  # with it each half has two of the four pages made for rows

# What was done to the screen; the order of the table.
KINDS = (
    "moved", "resized", "theme", "icons", "font", "scale", "remote", "language", "renamed", "order", "twins", "rows",
    "option", "data", "neighbours", "ambiguous", "scrolled", "disabled", "covered", "removed", "replaced",
    "removed redrawn", "replaced redrawn", "record absent", "option absent", "painted",
)  # fmt: skip


def half(family: str) -> str:
    """Which half of the applications it is: what is tuned is tuned on the first, and figures are told of both."""
    return HALVES[hashlib.blake2b(f"{family}{_SALT}".encode(), digest_size=2).digest()[0] % 2]


class Truth(StrEnum):
    """HERE: in one of the boxes. GONE: not to be clicked (absent, covered, greyed). AMBIGUOUS: nobody can tell."""

    HERE = "here"
    GONE = "gone"
    AMBIGUOUS = "ambiguous"


class Verdict(StrEnum):
    """RIGHT: the place, or word that it cannot be had. MISSED: not found though it is there. WRONG: a false click."""

    RIGHT = "right"
    MISSED = "missed"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """`taught` and `seen` name screens; `box` is the target's on `taught`, `boxes` where a click is right on `seen`.

    `row`, `text` and `variables` are given to the target and to its resolution; without `window` nobody knows of
    windows. `dress` is the style the page wears, which fitting keeps apart as it does families.
    """

    name: str
    kind: str
    part: str
    family: str
    taught: str
    seen: str
    box: Box
    label: str
    role: str
    truth: Truth
    boxes: tuple[Box, ...] = ()
    row: tuple[str, ...] = ()
    text: str = ""
    dress: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    window: bool = True
    why: str = ""

    @property
    def taught_on(self) -> str:
        """The screen it was taught on, among those of all parts."""
        return f"{self.part}/{self.taught}"

    @property
    def seen_on(self) -> str:
        return f"{self.part}/{self.seen}"

    @property
    def half(self) -> str:
        return half(self.family)


def judge(pair: Pair, point: Point | None) -> Verdict:
    """What an answer is worth; `point` is None where the answer was that there is none, or more than one."""
    if pair.truth is Truth.HERE:
        if point is None:
            return Verdict.MISSED
        return Verdict.RIGHT if any(box.contains(point) for box in pair.boxes) else Verdict.WRONG
    return Verdict.RIGHT if point is None else Verdict.WRONG


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What one kind of change added to a part."""

    screens: tuple[Screen, ...]
    pairs: tuple[Pair, ...]


def save(made: Made, file: Path) -> None:
    """Write one kind's file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = {"screens": [asdict(s) for s in made.screens], "pairs": [asdict(p) for p in made.pairs]}
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(rows, ensure_ascii=False, indent=0))
    fresh.replace(file)


def load(file: Path) -> Made:
    rows = json.loads(file.read_text())
    return Made(
        screens=tuple(screen_of(row) for row in rows["screens"]),
        pairs=tuple(
            Pair(
                **{
                    **row,
                    "box": Box(*row["box"]),
                    "boxes": tuple(Box(*box) for box in row["boxes"]),
                    "row": tuple(row["row"]),
                    "truth": Truth(row["truth"]),
                }
            )
            for row in rows["pairs"]
        ),
    )


def load_all(folder: Path = FOLDER, *, kinds: Sequence[str] = KINDS) -> tuple[dict[str, Screen], list[Pair]]:
    """Every screen by `part/name`, and the pairs of those kinds; SystemExit says how to make them."""
    screens: dict[str, Screen] = {}
    pairs: list[Pair] = []
    for part in PARTS:
        for file in sorted((folder / part).glob("*.json")):
            made = load(file)
            screens |= {f"{part}/{screen.name}": screen for screen in made.screens}
            pairs += [pair for pair in made.pairs if pair.kind in kinds]
    if not pairs:
        raise SystemExit(f"{folder} holds no pairs; make them with: python -m benchmarks.drift")
    return screens, sorted(pairs, key=lambda pair: (KINDS.index(pair.kind), pair.part, pair.name))


def screen_of(row: Mapping[str, Any]) -> Screen:
    window = row["window"]
    if window:
        window = Window(**{**window, "box": Box(*window["box"]) if window["box"] else None})
    return Screen(**{**row, "window": window, "texts": (), "elements": ()})
