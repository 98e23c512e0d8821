"""S6.4: whose place is clicked is whose word it stands on."""

from __future__ import annotations

import pytest

from execution.choices import CorrectionKind
from execution.learning.overlay import Overlay, Taught
from execution.targeting.further import beside
from execution.turn.learned import doubt_of, used_by
from execution.types import Box, Point, Resolution, ResolveStatus
from tests.execution.perception.drawing import Canvas
from workflows.graph import EdgeSpec, GraphSpec

GRAPH = GraphSpec(workflow_id="w", name="w", learning_state="")
EDGE = EdgeSpec(edge_id="e", source="a", destination="b", action_type="click")
NOT_FOUND = Resolution(status=ResolveStatus.NOT_FOUND)
STATE = Canvas(320, 200).state()


def found(box: Box, point: Point, score: float) -> Resolution:
    return Resolution(status=ResolveStatus.FOUND, box=box, point=point, score=score)


@pytest.mark.parametrize(("trusted", "doubted"), [("near", True), ("wide", False)])
def test_a_point_is_trusted_only_if_the_look_that_says_it_is(trusted: str, doubted: bool) -> None:
    wide = found(Box(0, 95, 240, 30), Point(236, 110), 0.97)
    got = beside(NOT_FOUND, {"near": found(Box(100, 100, 40, 20), Point(120, 110), 0.93), "wide": wide})
    assert (got.point, got.looks[0]) == (wide.point, "wide")
    taught = {
        key: Taught(
            key=key, kind=CorrectionKind.TARGET, trusted_in=frozenset({None} if key == trusted else ()), said=key
        )
        for key in ("near", "wide")
    }
    used = used_by(Overlay(GRAPH, taught), EDGE, got, STATE)
    assert [one.key for one in used] == ["wide"], "what was not clicked proves nothing of the other"
    assert bool(doubt_of(used)) is doubted


def test_the_place_of_a_look_that_is_part_of_the_version_needs_nobody() -> None:
    got = Resolution(status=ResolveStatus.FOUND, box=Box(0, 0, 5, 5), looks=("merged", "near"))
    near = Taught(key="near", kind=CorrectionKind.TARGET, said="near")
    assert used_by(Overlay(GRAPH, {"near": near}), EDGE, got, STATE) == ()
