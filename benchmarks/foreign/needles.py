"""Installers and desktops with boxes that their testers drew: what one release showed, found in another."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.foreign.finding import Question
from benchmarks.foreign.finding import answers as answered
from benchmarks.foreign.lesson import Demonstration, target_of
from benchmarks.foreign.scoring import Area, Outcome
from benchmarks.foreign.seen import Seen, sampled
from execution.types import Box, Point
from tests.execution.perception.drawing import Pictures

_LIKE = {0.95: "corr 0.95+", 0.8: "corr 0.8+", 0.5: "corr 0.5+", -1.0: "corr < 0.5"}
_AROUND = 3  # pixels around what is painted over


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing taught on one picture and looked for on another; `truth` is None where it is not there.

    `erases`: it is also looked for where it was painted over.
    """

    name: str
    groups: tuple[str, ...]
    taught: str
    box: Box
    click: Point
    today: str
    truth: Box | None
    erases: bool

    @classmethod
    def of(cls, row: Mapping[str, str]) -> Case:
        is_there = row["type"] == "pos"
        plain = "headline" if row["changed"] == row["twin"] == "0" else "changed or twin"
        group = plain if is_there else "negative"
        like = next(name for least, name in _LIKE.items() if float(row["corr"] or 0) >= least)
        return cls(
            name=row["id"],
            groups=(group, f"{group}, {row['kind']}", f"{group}, {like}"),
            taught=f"needles/pictures/{row['taught']}",
            box=_box(row["box"]),
            click=Point(*map(int, row["click"].split())),
            today=f"needles/pictures/{row['today']}",
            truth=_box(row["truth"]) if is_there else None,
            erases=row["erase"] == "1",
        )


def _box(numbers: str) -> Box:
    return Box(*map(int, numbers.split()))


def answers(folder: Path, seen: Seen, sample: int | None) -> Mapping[str, Iterator[Outcome]]:
    cases = _cases(folder, sample)
    return {"by a click": _all(cases, seen, drawn=False), "by a drawn box": _all(cases, seen, drawn=True)}


def _cases(folder: Path, sample: int | None) -> list[Case]:
    with (folder / "needles" / "cases.csv").open(newline="") as file:
        return sampled([Case.of(row) for row in csv.DictReader(file)], sample)


def _all(cases: list[Case], seen: Seen, *, drawn: bool) -> Iterator[Outcome]:
    yield from answered("needles", (one for case in cases for one in asked(case, seen, drawn=drawn)))


def questions(folder: Path, seen: Seen) -> Iterator[Question]:
    """Every case, as it is asked by a click."""
    for case in _cases(folder, None):
        yield from asked(case, seen, drawn=False)


def asked(case: Case, seen: Seen, *, drawn: bool) -> Iterator[Question]:
    """It today, and painted over, where it was taught by a click or by a drawn box."""
    store = Pictures()
    shown = Demonstration(state=seen.state(case.taught), click=case.click, box=case.box if drawn else None)
    today = Question(
        name=case.name,
        groups=case.groups,
        right=(Area(*case.truth),) if case.truth else (),
        family=case.taught,
        target=target_of([shown], store),
        state=seen.state(case.today),
        pictures=store,
    )
    yield today
    if case.erases and case.truth:
        state = seen.state_of(erased(seen.pixels(case.today), case.truth))
        yield replace(today, name=f"e{case.name[1:]}", groups=("erased",), right=(), state=state)


def erased(pixels: np.ndarray, truth: Box) -> np.ndarray:
    """The same with the truth painted over in the colour that is the commonest above and below it."""
    height, width = pixels.shape[:2]
    left, top = max(0, truth.x - _AROUND), max(0, truth.y - _AROUND)
    right, bottom = min(width, truth.right + _AROUND), min(height, truth.bottom + _AROUND)
    edge = pixels[[top, bottom - 1], left:right].swapaxes(0, 1).reshape(-1, 3)
    [(colour, _)] = Counter(map(tuple, edge.tolist())).most_common(1)
    painted = pixels.copy()
    painted[top:bottom, left:right] = colour
    return painted
