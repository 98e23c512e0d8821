"""The drift bench: its pairs are told truly, its answers judged rightly, and its traps leave no trace of the target."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from benchmarks import targeting
from benchmarks.drift import absent, pairs
from benchmarks.drift.board import Control, View
from benchmarks.drift.cases import cases
from benchmarks.drift.pairs import Pair, Truth, Verdict, judge
from benchmarks.drift.turn import Turn
from benchmarks.screens.words import Words
from benchmarks.targeting_methods import Answer
from execution.types import Box, Point, Size

BOX = Box(10, 10, 40, 20)
PAIR = Pair(
    name="one", kind="moved", part="web", family="orders", taught="a", seen="b", box=Box(10, 10, 40, 20), label="Save",
    role="button", truth=Truth.HERE, boxes=(Box(100, 50, 40, 20), Box(145, 50, 60, 20)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("truth", "point", "verdict"),
    [
        (Truth.HERE, Point(110, 60), Verdict.RIGHT),
        (Truth.HERE, Point(150, 60), Verdict.RIGHT),
        (Truth.HERE, Point(20, 20), Verdict.WRONG),
        (Truth.HERE, None, Verdict.MISSED),
        (Truth.GONE, None, Verdict.RIGHT),
        (Truth.GONE, Point(20, 20), Verdict.WRONG),
        (Truth.AMBIGUOUS, None, Verdict.RIGHT),
        (Truth.AMBIGUOUS, Point(110, 60), Verdict.WRONG),
    ],
)
def test_a_click_is_right_only_where_the_target_is(truth: Truth, point: Point | None, verdict: Verdict) -> None:
    assert judge(replace(PAIR, truth=truth), point) is verdict


def test_the_figures_are_of_each_part_and_of_what_each_goal_is_about() -> None:
    gone = replace(PAIR, name="two", kind="removed", family="visits", truth=Truth.GONE, boxes=())
    here = replace(PAIR, name="three", kind="theme", family="messages")
    answers = {"one": Point(110, 60), "two": Point(1, 1), "three": None}
    outcomes = [
        targeting.Outcome(
            pair=pair,
            method="ours",
            answer=Answer(point=answers[pair.name], ms=50),
            size=Size(1920, 1080),
            likeness=0.4,
        )
        for pair in (PAIR, gone, here)
    ]
    rows = {row["figure"]: row["value"] for row in targeting.figures(outcomes, ["ours"])}
    assert rows["pairs"] == 3 and rows["found right, target still there"] == 50
    assert rows["found right, moved, resized or scaled"] == 100 and rows["found right, redrawn"] == 0
    assert rows["wrong place clicked, of all pairs"] == 33.333
    assert rows["target gone, covered or ambiguous: said so"] == 0
    assert sum(rows.get(f"pairs, {part}", 0) for part in pairs.PARTS) == 3
    assert [one.pair.name for one in targeting.failures(outcomes)] == ["two", "three"]
    assert len(targeting.table(outcomes, ["ours"])) == 4


def test_a_row_that_is_put_in_has_nothing_that_names_a_record_there() -> None:
    """Else a record that is absent by its truth would be on the screen."""
    names = Words("fr", random.Random(2))
    lines = [(names.person(), f"M{names.ident()}", "Orléans") for _ in range(60)]
    controls = tuple(_in_row(number, cells) for number, cells in enumerate(lines))
    view = View(controls=controls, twins=(), window=BOX, title="", ok=())
    case = next(case for case in cases() if case.look.lang == "fr")
    turn = Turn(case=case, view=view, rng=random.Random(4), count=2)
    for _ in range(40):
        change = absent.record_absent(turn)
        assert change is not None
        fresh = change.ops[0]["fresh"][0]
        assert not {text for cells in lines for text in cells} & set(fresh)
        assert all(wanted.row in lines[wanted.taught] and wanted.truth is Truth.GONE for wanted in change.wanted)


def _in_row(number: int, cells: tuple[str, ...]) -> Control:
    return Control(
        number=number, role="button", name="Ouvrir", box=BOX, also=None, reach=1.0, off=False, cells=cells,
        scrolls=True, grouped=False, worded=True, data=False, chosen=False, over=False,
    )  # fmt: skip
