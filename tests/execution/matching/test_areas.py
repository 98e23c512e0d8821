"""Areas drawn on a screen's picture: what is read there must be there, nothing may be, or nothing matters (S6.10)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.matching import Matcher
from execution.types import Match, ScreenState, Size
from tests.execution.matching.screens import LABELS, graph, line, record, references, without
from workflows.graph import RegionSpec

SIZE = Size(1600, 1000)


def region(kind: str, x: int, y: int, w: int, h: int) -> RegionSpec:
    return RegionSpec(box=(x / SIZE.width, y / SIZE.height, w / SIZE.width, h / SIZE.height), kind=kind)


def match(state: ScreenState, *regions: RegionSpec) -> Match | None:
    known = references()
    taught = graph(list(known), summary={"regions": regions})
    return Matcher(taught, pictures=None, embedder=None, references=known).recognise(state, variables={}).match


def named(found: Match | None) -> str:
    return found.node_id if found else ""


def told(found: Match | None) -> str:
    assert found is not None
    return next(reason.note for reason in found.reasons if reason.sign == "reference")


@pytest.mark.parametrize("at", [(0, 0), (120, 60)])
def test_what_stands_in_an_area_that_does_not_matter_costs_nothing(at: tuple[int, int]) -> None:
    """Wherever the window stands by now: the area goes with it. It is no sign for the screen either."""
    labels = region("ignore", 30, 190, 200, 320)
    state = record("Summary", at=at).state()
    gone = without(state, *LABELS["Summary"])
    more = (line(f"Other {n}", 50 + at[0], 200 + 50 * n + at[1]) for n in range(6))
    other = replace(gone, texts=(*gone.texts, *more))
    plain = match(state, labels)
    assert named(plain) == "summary"
    assert "missing" in told(match(gone))
    for changed in (gone, other):
        found = match(changed, labels)
        assert named(found) == "summary"
        assert "missing" not in told(found)
        assert found.confidence == pytest.approx(plain.confidence, abs=0.01)


def test_what_is_read_in_an_area_that_must_be_there_is_missed() -> None:
    lost = without(record("Summary").state(), "Insurance")
    assert named(match(lost)) == "summary"
    assert named(match(lost, region("must", 30, 290, 200, 40))) != "summary"
    assert named(match(record("Summary").state(), region("must", 30, 290, 200, 40))) == "summary"


@pytest.mark.parametrize("at", [(0, 0), (120, 60)])
def test_where_nothing_may_be_read_something_rules_the_screen_out(at: tuple[int, int]) -> None:
    empty = region("must_not", 600, 560, 400, 60)
    state = record("Summary", at=at).state()
    assert named(match(state, empty)) == "summary"
    said = replace(state, texts=(*state.texts, line("The record is locked", 640 + at[0], 580 + at[1])))
    assert named(match(said)) == "summary"
    found = Matcher(
        graph(list(references()), summary={"regions": (empty,)}),
        pictures=None, embedder=None, references=references(),
    ).recognise(said, variables={})  # fmt: skip
    assert named(found.match) != "summary"
    refused = next((c for c in found.candidates if c.node_id == "summary"), None)
    assert refused is None or "The record is locked" in refused.reasons[0].note
