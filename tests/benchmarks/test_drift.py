"""The drift bench: its pairs are told truly, its answers judged rightly, and its traps leave no trace of the target."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from benchmarks import targeting
from benchmarks.drift import absent, changes, pairs, variables, wording
from benchmarks.drift.board import Control, View, board
from benchmarks.drift.cases import cases
from benchmarks.drift.painted import painted
from benchmarks.drift.pairs import Made, Pair, Truth, Verdict, judge
from benchmarks.drift.turn import Turn
from benchmarks.kept_answers import KeptAnswers
from benchmarks.screens import styles
from benchmarks.screens.corpus import Screen
from benchmarks.screens.words import Words
from benchmarks.targeting_methods import Answer, Scene
from execution.types import Box, Frame, Point, ScreenState, Size

BOX = Box(10, 10, 40, 20)
PAIR = Pair(
    name="one", kind="moved", part="web", family="orders", taught="a", seen="b", box=Box(10, 10, 40, 20), label="Save",
    role="button", truth=Truth.HERE, boxes=(Box(100, 50, 40, 20), Box(145, 50, 60, 20)),
)  # fmt: skip

needs_styles = pytest.mark.skipif(
    not styles.fetched(),
    reason="the pages' style sheets are not fetched here: tools/setup.sh bench, make bench NAME=targeting",
)


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


def test_pairs_and_screens_come_back_as_they_were_saved(tmp_path: Path) -> None:
    pair = replace(PAIR, row=("{{record}}",), variables={"record": "Zoë"}, window=False, why="étroit")
    made = Made(screens=(Screen(name="a", picture="a.png", family="orders"),), pairs=(pair,))
    pairs.save(made, tmp_path / "web" / "moved.json")
    assert pairs.load(tmp_path / "web" / "moved.json") == made
    screens, loaded = pairs.load_all(tmp_path)
    assert list(screens) == ["web/a"] and loaded == [pair]
    with pytest.raises(SystemExit, match=r"python -m benchmarks.drift"):
        pairs.load_all(tmp_path / "nowhere")


def test_each_half_has_pages_of_every_sort_and_a_family_is_in_one_half_alone() -> None:
    by_half = Counter(pairs.half(case.family) for case in cases())
    assert set(by_half) == set(pairs.HALVES) and min(by_half.values()) >= 18
    of_rows = Counter(pairs.half(family) for family in ("orders", "messages", "users", "visits"))
    assert of_rows == {"development": 2, "held out": 2}


@needs_styles
def test_every_page_has_text_to_scroll_to() -> None:
    for case in cases():
        html = case.page()
        assert html.count("data-filler") == 1 and html.count("<div") == html.count("</div>"), case.name


@pytest.mark.parametrize("how", ["flat", "around"])
def test_what_is_painted_over_leaves_nothing_of_it_and_all_else_alone(how: str) -> None:
    ground = np.full((120, 200, 3), (200, 210, 220), np.uint8)
    pixels, box = ground.copy(), Box(60, 40, 50, 20)
    pixels[40:60, 60:110] = (30, 60, 90)
    pixels[100:110, 150:190] = 0
    made = painted(pixels, box, how)
    assert made is not None and (made[36:64, 56:114] == ground[36:64, 56:114]).all()
    pixels[36:64, 56:114] = ground[36:64, 56:114]
    assert (made == pixels).all()


def test_where_nothing_is_to_be_seen_there_is_nothing_to_paint_over() -> None:
    assert painted(np.full((80, 80, 3), 128, np.uint8), Box(20, 20, 30, 30), "flat") is None


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_another_name_shares_no_word_with_the_old_one_and_a_new_one_differs(lang: str) -> None:
    rng = random.Random(1)
    for name in ("Archive the record", "Supprimer", "Save", "Transférer", "Log out"):
        other = wording.other(name, "button", lang, rng)
        stems = {word[:4].casefold() for word in name.split() if len(word) > 2}
        assert not stems & {word[:4].casefold() for word in other.split()}, (name, other)
        assert wording.renamed(name, "button", lang, rng) != name


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


def _column(first: int, names: str, x: int) -> list[Control]:
    """Controls below each other, each with a name of its own."""
    return [
        replace(_in_row(first + n, ()), name=3 * name, box=Box(x, 60 + 40 * n, 90, 24), worded=True)
        for n, name in enumerate(names)
    ]


def _turn(controls: list[Control], *, count: int) -> Turn:
    view = View(controls=tuple(controls), twins=(), window=BOX, title="", ok=())
    return Turn(case=cases()[0], view=view, rng=random.Random(4), count=count)


def test_options_are_taught_of_each_group_in_turn_and_none_twice() -> None:
    controls = [*_column(0, "abcde", 100), *_column(5, "klmn", 600)]
    for kind, truth in ((variables.option, Truth.HERE), (variables.option_absent, Truth.GONE)):
        change = kind(_turn(controls, count=7))
        assert change is not None
        taught = [wanted.taught for wanted in change.wanted]
        assert len(set(taught)) == len(taught) >= 6
        assert {number < 5 for number in taught[:2]} == {True, False}
        for wanted in change.wanted:
            assert wanted.truth is truth
            assert (controls[wanted.right].name == wanted.choice) is (truth is Truth.HERE)


def test_what_is_removed_may_be_missing_from_a_page_that_looks_otherwise() -> None:
    turn = _turn(_column(0, "abcde", 100), count=2)
    for change in (absent.removed_and_redrawn(turn), absent.replaced_and_redrawn(turn)):
        assert change.case.look != turn.case.look
        assert change.wanted
        assert all(wanted.truth is Truth.GONE for wanted in change.wanted)


def _in_row(number: int, cells: tuple[str, ...]) -> Control:
    return Control(
        number=number, role="button", name="Ouvrir", box=BOX, also=None, reach=1.0, off=False, cells=cells,
        scrolls=True, grouped=False, worded=True, data=False, chosen=False, over=False,
    )  # fmt: skip


class _Counting:
    name = "counting"

    def __init__(self) -> None:
        self.asked = 0

    def answer(self, scene: Scene) -> Answer:
        self.asked += 1
        return Answer(point=Point(self.asked, 2), ms=3.0, box=Box(1, 2, 3, 4), said="étroit")


def test_an_answer_is_kept_for_its_pictures_until_it_is_asked_for_anew(tmp_path: Path) -> None:
    frame = Frame(pixels=np.zeros((4, 4, 3), np.uint8), taken_at=datetime(2026, 1, 1, tzinfo=UTC), digest="a")
    scene = Scene(pair=PAIR, taught=ScreenState(frame=frame), seen=ScreenState(frame=frame))
    method, kept = _Counting(), KeptAnswers(tmp_path / "answers.json")
    first = kept.ask(method, scene, anew=False)
    kept.save()
    again = KeptAnswers(tmp_path / "answers.json")
    assert again.ask(method, scene, anew=False) == first and method.asked == 1
    other = replace(scene, seen=ScreenState(frame=replace(frame, digest="b")))
    assert again.ask(method, other, anew=False) != first and method.asked == 2
    again.ask(method, scene, anew=True)
    assert method.asked == 3


@needs_styles
@pytest.mark.browser
@pytest.mark.slow
def test_the_page_tells_what_became_of_its_controls() -> None:
    """Each change, on one page: what is there can be clicked, what is gone, grey or covered cannot."""
    styles.fetch()
    case = next(case for case in cases() if case.family == "admission" and case.look.scale == 1.0)
    with board() as on:
        before = on.show(case)
        assert {c.role for c in before.controls if c.usable} >= {"button", "field", "checkbox", "radio", "menu_item"}
        turn = Turn(case=case, view=before, rng=random.Random(3), count=3)
        for kind in ("moved", "theme", "language", "renamed", "order", "data", "twins"):
            after = _shown(on.show, kind, turn)
            assert [c.role for c in after.controls] == [c.role for c in before.controls], kind
        removed = absent.removed(turn)
        after = on.show(removed.case, removed.ops)
        assert all(after.controls[w.taught].reach == 0 for w in removed.wanted)
        greyed = absent.disabled(turn)
        assert all(on.show(greyed.case, greyed.ops).controls[w.taught].off for w in greyed.wanted)
        chosen = turn.some()
        cover = {
            "op": "cover", "ids": [chosen[0].number], "title": "x", "lines": ["y"], "spread": [30, 30, 30, 30],
        }  # fmt: skip
        after = on.show(case, [cover])
        assert after.controls[chosen[0].number].reach == 0 and after.window != before.window


def _shown(show, kind: str, turn: Turn) -> View:
    change = changes.KINDS[kind](turn)
    assert change is not None and change.wanted
    after: View = show(change.case, change.ops)
    usable = [after.controls[wanted.right].usable for wanted in change.wanted]
    assert any(usable), kind
    return after
