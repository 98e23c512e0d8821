"""Areas drawn on a screen's picture: what is read there must be there, nothing may be, or nothing matters (S6.10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from execution.matching import Matcher, Reading, Reference
from execution.matching.areas import lists_on, shows_no_line, with_areas
from execution.matching.comparison import OVER
from execution.types import Box, Element, ElementRole, Embedding, Match, ScreenState, Size
from tests.execution.matching.screens import LABELS, graph, line, record, references, without
from workflows.graph import RegionSpec

SIZE = Size(1600, 1000)


def region(kind: str, x: int, y: int, w: int, h: int) -> RegionSpec:
    return RegionSpec(box=(x / SIZE.width, y / SIZE.height, w / SIZE.width, h / SIZE.height), kind=kind)


def match(state: ScreenState, *regions: RegionSpec) -> Match | None:
    known = references()
    taught = graph(list(known), summary={"regions": regions})
    return Matcher(taught, pictures=None, embedder=None, references=known).recognise(state, variables={}).match


def listed(rows: Sequence[str]) -> ScreenState:
    """A page with a list between a head and a foot that follows its last line."""
    top = [line("Letters to sign", 50, 60), line("Patient", 50, 150), line("Search", 400, 110)]
    lines = [line(name, 50, 200 + 40 * n) for n, name in enumerate(rows)]
    end = 200 + 40 * len(rows) + 30
    foot = [line("Close the day", 50, end), line("Print all", 300, end)]
    return replace(record("Summary").state(), texts=(*top, *lines, *foot), elements=())


def reference(state: ScreenState) -> Reference:
    reading = Reading(
        picture="p", maker=state.text_method, size=state.frame.size, texts=state.texts, elements=state.elements
    )
    return Reference(picture="p", reading=reading)


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


@pytest.mark.parametrize("rows", [0, 1, 2, 7])
def test_a_list_may_have_any_lines_and_whatever_stands_below_it_moves_with_its_end(rows: int) -> None:
    """S6.13: what stands below the last one is still a sign of the screen, wherever the list ends today."""
    taught, now = (listed([f"{name}{n}" for n in range(count)]) for name, count in (("Miller ", 4), ("Costa ", rows)))
    drawn = region("list", 30, 190, 900, 40 * 4 - 10)
    known = {"letters": reference(taught)}

    def confidence(*regions: RegionSpec) -> float:
        graph_ = graph(list(known), letters={"regions": regions})
        found = Matcher(graph_, pictures=None, embedder=None, references=known).recognise(now, variables={})
        return found.candidates[0].confidence if found.candidates else 0.0

    assert confidence(drawn) > 0.9
    assert confidence(drawn) > confidence()
    missing = without(now, "Close the day", "Print all")
    graph_ = graph(list(known), letters={"regions": (drawn,)})
    less = Matcher(graph_, pictures=None, embedder=None, references=known).recognise(missing, variables={})
    assert less.candidates[0].confidence < confidence(drawn)


@pytest.mark.parametrize("sign", ["Q", "Patient", "Miller 2"])
def test_a_list_does_not_end_where_it_says_what_is_said_below_it_as_well(sign: str) -> None:
    rows = [f"Miller {n}" for n in range(4)]
    shown = listed(rows)
    beside, below = line(sign, 800, 205), line(sign, 800, 500)
    state = replace(shown, texts=(*shown.texts, beside, below))
    drawn = region("list", 30, 190, 900, 40 * 4 - 10)
    with_list = with_areas(reference(state), (), (drawn.box,))
    assert [area.bottom for area in lists_on(state, with_list)] == [390]


def test_the_frame_around_a_list_lies_over_nothing_though_the_list_is_not_seen_whole() -> None:
    rows = [f"Miller {n}" for n in range(4)]
    frame = Element(box=Box(30, 190, 900, 170), role=ElementRole.GROUP)
    taught, now = (replace(listed(names), elements=(frame,)) for names in (rows, [*rows, "Close the day"]))
    known = {"letters": reference(taught)}
    drawn = region("list", 30, 190, 900, 40 * 4 - 10)
    graph_ = graph(list(known), letters={"regions": (drawn,)})
    cut = replace(now, texts=(*now.texts, line("Close the day", 800, 195)))  # says early what stands below
    found = Matcher(graph_, pictures=None, embedder=None, references=known).recognise(cut, variables={})
    assert OVER not in {reason.sign for reason in found.candidates[0].reasons}


def test_a_look_of_the_whole_screen_tells_nothing_where_a_list_is_drawn() -> None:
    """S6.13: another day it has other lines, and looks otherwise."""
    state = record("Summary").state()
    assert state.embedding is not None
    unlike = replace(state, embedding=Embedding(model=state.embedding.model, vector=-state.embedding.vector))
    drawn = region("list", 30, 190, 900, 150)

    def confidence(seen: ScreenState, *regions: RegionSpec) -> float:
        known = {"summary": references()["summary"]}
        taught = graph(list(known), summary={"regions": regions})
        matcher = Matcher(taught, pictures=None, embedder=None, references=known)
        return matcher.recognise(seen, variables={}).candidates[0].confidence

    assert confidence(unlike) < confidence(state)
    assert confidence(unlike, drawn) == confidence(state, drawn)


def test_another_page_is_not_the_list_for_what_stands_where_its_lines_stood() -> None:
    known = {"letters": reference(listed([f"Miller {n}" for n in range(4)]))}
    taught = graph(list(known), letters={"regions": (region("list", 30, 190, 900, 150),)})
    other = replace(listed(["Patient: Costa", "Ward: 3"]), texts=())
    texts = [line("Order of today", 50, 60), line("Back", 50, 110), line("Patient: Costa", 50, 200)]
    seen = replace(other, texts=tuple(texts))
    found = Matcher(taught, pictures=None, embedder=None, references=known).recognise(seen, variables={})
    assert found.match is None


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


@pytest.mark.parametrize(("rows", "empty"), [((), True), (("Anna Berger",), False)])
def test_a_list_shows_no_line_where_nothing_is_between_its_head_and_what_follows_it(
    rows: tuple[str, ...], empty: bool
) -> None:
    """S6.13: nor a button without a word; where no list is drawn nobody can say."""
    area = region("list", 30, 190, 700, 140).box
    taught, now = reference(listed(("Louis Martin", "Chloe Dubois", "Peter Novak"))), listed(rows)
    assert shows_no_line(now, replace(taught, lists=(area,))) is empty
    assert not shows_no_line(now, taught)
    assert not shows_no_line(replace(now, text_method=""), replace(taught, lists=(area,)))
    lone = Element(box=Box(420, 196, 40, 24), role=ElementRole.BUTTON)
    assert not shows_no_line(replace(now, elements=(lone,)), replace(taught, lists=(area,)))
