"""What is right of the answers on the screens of others."""

from __future__ import annotations

import pytest

from benchmarks.foreign.scoring import Area, Outcome, Verdict, of_node, of_point, table
from execution.types import Point

TRUTH = [Area(100.5, 50, 40, 20), Area(300, 50, 40, 20)]


@pytest.mark.parametrize(
    ("point", "verdict"),
    [
        (Point(120, 60), Verdict.RIGHT),
        (Point(320, 60), Verdict.RIGHT),  # any of several will do
        (Point(143, 47), Verdict.RIGHT),  # three pixels outside of what was drawn
        (Point(144, 60), Verdict.WRONG),
        (Point(120, 74), Verdict.WRONG),
        (None, Verdict.REFUSED),
    ],
)
def test_a_click_is_right_in_a_true_place_and_a_few_pixels_around_it(point: Point | None, verdict: Verdict) -> None:
    assert of_point(point, TRUTH) is verdict


def test_where_there_is_no_right_place_to_refuse_is_right() -> None:
    assert of_point(None, []) is Verdict.RIGHT
    assert of_point(Point(1, 1), []) is Verdict.WRONG


def test_a_screen_may_be_one_of_several_nodes_or_none() -> None:
    assert [of_node(node, {"a", "b"}) for node in ("b", "c", None)] == ["right", "wrong", "refused"]
    assert [of_node(node, set()) for node in ("b", None)] == ["wrong", "right"]


def test_the_table_counts_each_group_at_each_level_the_whole_ones_first() -> None:
    def outcome(kind: str, low: Verdict, high: Verdict) -> Outcome:
        return Outcome(groups=("present", f"present, {kind}"), verdicts={"P 0.90": low, "P 0.95": high}, answer={})

    head, *lines = table(
        [
            outcome("a tab", Verdict.RIGHT, Verdict.RIGHT),
            outcome("a link", Verdict.RIGHT, Verdict.REFUSED),
            outcome("a link", Verdict.WRONG, Verdict.REFUSED),
        ],
        "pages",
    ).splitlines()
    assert " ".join(head.split()) == "pages n P 0.90: right wrong refused P 0.95: right wrong refused"
    assert [" ".join(line.split()) for line in lines] == [
        "present 3 2 (66.7 %) 1 0 1 (33.3 %) 0 2",
        "present, a link 2 1 (50.0 %) 1 0 0 (0.0 %) 0 2",
        "present, a tab 1 1 (100.0 %) 0 0 1 (100.0 %) 0 0",
    ]
