"""What is looked for quickly, or kept for all places of one resolution, is what the plain way gives (S5.3)."""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from execution.language.fuzzy import may_hold, words
from execution.targeting import looks
from execution.targeting.context import Context
from execution.targeting.contrast import _exceeded_by_few
from execution.targeting.examination import examined
from execution.targeting.ink import _middle_level
from execution.targeting.judge import Trees
from execution.targeting.looks import surroundings_likeness
from execution.targeting.neighbours import stands_at
from execution.targeting.picture_fit import edge_score, grey_score
from execution.targeting.resolver import TargetResolver
from execution.targeting.search import correlate, edges
from execution.teaching.evidence import teach_target
from execution.types import Box
from tests.execution.perception.drawing import Pictures
from tests.execution.targeting.forms import CANCEL, FIELDS, PRINT, SAVE, Form, context, taught
from workflows.graph import NeighbourSpec

BOXES = st.builds(Box, *(st.integers(-40, 60),) * 2, *(st.integers(-3, 50),) * 2)
FORMS = (Form(), Form(dx=37, dy=-12), Form(dark=True), Form(words={"Street": "Rue"}, gone=("cancel",), icons=(7, 4)))
STORE = Pictures()


@given(BOXES, BOXES)
def test_boxes_meet_where_their_sides_say_so(one: Box, other: Box) -> None:
    x, y = max(one.x, other.x), max(one.y, other.y)
    wide, high = min(one.right, other.right) - x, min(one.bottom, other.bottom) - y
    assert one.intersection(other) == Box(x, y, max(0, wide), max(0, high))
    assert one.area == max(one.w, 0) * max(one.h, 0)
    assert one.holds(other) is one.contains(other.center)


@given(st.text("abBrn1l0 ", max_size=14), st.text("abBrn1l0 ", max_size=30))
def test_a_text_may_hold_what_has_each_of_its_firm_words(asked: str, text: str) -> None:
    needle, key = words(asked), words(text).key
    parts = zip(needle.limits, pairwise(needle.starts), strict=True)
    assert may_hold(key, needle) is all(limit or needle.key[a:b] in key for limit, (a, b) in parts)


def test_texts_made_ready_for_one_screen_are_not_those_of_the_next() -> None:
    used, target = TargetResolver(pictures=STORE), taught(SAVE, STORE, label="Save")
    for form in (Form(), Form(dx=37, words={"save": "Send"}), Form()):
        state = form.state()
        first, again = (used.resolve(target, state, variables={}) for _ in range(2))
        fresh = TargetResolver(pictures=STORE).resolve(target, state, variables={})
        assert (first.status, first.box) == (again.status, again.box) == (fresh.status, fresh.box)


# --- the judge ---
TREES = [
    {"feature": [1, 0, 0, 0, 0], "threshold": [0.4, 0.7, 0.0, 0.0, 0.0], "left": [1, 3, 0, 0, 0],
     "right": [2, 4, 0, 0, 0], "missing_left": [True, False, False, False, False],
     "mean": [0.1, 0.3, -0.7, 0.2, 1.1]},
    {"feature": [2, 0, 0], "threshold": [0.5, 0.0, 0.0], "left": [1, 0, 0], "right": [2, 0, 0],
     "missing_left": [False, False, False], "mean": [0.0, -0.25, 0.5]},
    {"feature": [0], "threshold": [0.0], "left": [0], "right": [0], "missing_left": [False], "mean": [0.05]},
]  # fmt: skip


def walked(tree: dict[str, list[float]], place: np.ndarray) -> float:
    """One tree gone down for one place."""
    at = 0
    while tree["left"][at] > 0:
        value = place[int(tree["feature"][at])]
        goes_left = bool(tree["missing_left"][at]) if np.isnan(value) else value <= tree["threshold"][at]
        at = int(tree["left"][at] if goes_left else tree["right"][at])
    return tree["mean"][at]


MEASURES = st.one_of(st.just(float("nan")), st.floats(0, 1, width=16))


@given(arrays(np.float32, st.tuples(st.integers(0, 5), st.just(3)), elements=MEASURES))
def test_all_trees_at_once_say_what_each_says_of_each_place(table: np.ndarray) -> None:
    trees = Trees({"features": ["a", "b", "c"], "base": 0.2, "trees": TREES}, ("a", "b", "c"))
    leaves = trees.leaves(table)
    expected = [0.2 + sum(walked(tree, place) for tree in TREES) for place in table]
    np.testing.assert_allclose(trees.score(leaves), expected, rtol=0, atol=1e-12)
    # what the kinds of evidence weighed is what lies between the first nodes and the last
    weights = trees.on_the_way(np.array([0, 1, 1]), 2).take(leaves, axis=0).sum(axis=(1, 2))
    first = sum(tree["mean"][0] for tree in TREES)
    np.testing.assert_allclose(weights, trees.score(leaves) - 0.2 - first, rtol=0, atol=1e-12)


# --- by counting, and by numbers of all at once ---
LEVELS = arrays(np.uint8, st.tuples(st.integers(1, 6), st.integers(1, 40)))


@given(LEVELS)
def test_what_is_counted_of_grey_levels_is_what_sorting_them_says(grey: np.ndarray) -> None:
    counted = np.cumsum(np.bincount(grey.ravel(), minlength=256))
    assert _exceeded_by_few(counted, grey.size) == float(np.percentile(grey.astype(int), 97.0))
    assert _middle_level(grey) == int(np.median(grey))


@given(st.builds(Box, *(st.integers(0, 1200),) * 2, *(st.integers(1, 300),) * 2))
def test_what_is_read_in_a_box_is_what_each_line_by_itself_says(box: Box) -> None:
    seen = asked()
    assert seen.texts_in(box) == [line for line in seen.state.texts if box.contains(line.box.center)]


# --- what stands around a place ---
NUMBERS = st.integers(-60, 60)
SPECS = st.builds(NeighbourSpec, text=st.sampled_from(("Street", "Rue {{n}}")), dx=NUMBERS, dy=NUMBERS)
OFF = st.lists(st.tuples(st.integers(-40, 40), st.integers(-12, 12), st.integers(1, 70)), max_size=3)


@cache
def asked() -> Context:
    return context(taught(SAVE, STORE, label="Save"), Form().state(), STORE)


@given(SPECS, OFF, st.sampled_from((0.8, 1.0, 1.5)), st.sampled_from((120, 96, 180, 40, 260)))
def test_a_neighbour_stands_where_any_of_what_reads_so_is_in_its_place(
    spec: NeighbourSpec, off: list[tuple[int, int, int]], scale: float, width: int
) -> None:
    seen, box = asked(), Box(60, 60, width, 32)
    way = box.center.x + round(spec.dx * scale), box.center.y + round(spec.dy * scale)
    places = tuple((way[0] + x, way[1] + y, w) for x, y, w in off)
    seen._neighbours[spec.texts] = places
    assert stands_at(spec, box, seen, scale=scale) is any(_in_place(spec, place, box, seen, scale) for place in places)


def _in_place(spec: NeighbourSpec, place: tuple[int, int, int], box: Box, seen: Context, scale: float) -> bool:
    """The same for one that reads so, in the order of S5.3's sentence: level; and across from the middle or an edge."""
    (x, y, w), centre, taught_w = place, box.center, seen.taught.w
    level = _near(y - centre.y, spec.dy, scale, seen.stretch[1], 8, 0.06)
    across = _near(x - centre.x, spec.dx, scale, seen.stretch[0], 12, 0.08)
    if "{{" in spec.text:
        across = across or abs(x - centre.x - spec.dx * scale) <= w / 2
    if abs(box.w - taught_w * scale) > 0.1 * box.w:
        for edge, way in ((box.x, spec.dx + taught_w / 2), (box.right, spec.dx - taught_w / 2)):
            across = across or _near(x - edge, way, scale, seen.stretch[0], 12, 0.08)
    return level and across


def _near(now: float, way: float, scale: float, stretch: float, slack: int, far: float) -> bool:
    low, high = sorted((way * scale, way * stretch))
    room = max(slack * max(1.0, scale), far * abs(way) * scale)
    return low - room <= now <= high + room


@pytest.fixture
def repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenCV's own magnitude is another one in its last bit wherever the memory lies otherwise."""
    monkeypatch.setattr(cv2, "magnitude", lambda across, down: np.sqrt(across * across + down * down))


@pytest.mark.usefixtures("repeatable")
@pytest.mark.parametrize(("form", "box"), list(product(FORMS, (SAVE, FIELDS["Street"]))))
def test_what_was_kept_of_other_places_changes_no_place(form: Form, box: Box) -> None:
    state, target = form.state(), taught(box, STORE, label="x")
    used = context(target, state, STORE)
    for element in state.elements:
        assert examined(element.box, used) == examined(element.box, context(target, state, STORE))
    assert used.shape_rooms and len(used.examined) == len(state.elements)


@pytest.mark.usefixtures("repeatable")
@pytest.mark.parametrize("form", FORMS)
def test_surroundings_are_as_like_without_the_edges_that_cannot_win(
    form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Form().state()
    target = teach_target(before.frame, SAVE, label="Save", state=before, click=SAVE.center, store=STORE)
    seen = context(target, form.state(), STORE)
    outlined = list[int]()
    monkeypatch.setattr(looks, "edges", lambda grey: outlined.append(1) or edges(grey))
    said = [surroundings_likeness(form._moved(box), seen) for box in (SAVE, CANCEL, PRINT)]
    assert said == [_by_both(form._moved(box), seen) for box in (SAVE, CANCEL, PRINT)]
    assert len(outlined) == (2 if form in FORMS[:2] else 3)  # beside the very same picture nothing is outlined


def _by_both(box: Box, seen: Context) -> float:
    """The grey likeness where grey or edges, both asked, are worth most."""
    assert seen.around is not None and seen.surroundings is not None
    outer, template, size = seen.around[1], seen.surroundings, seen.state.frame.size
    dx, dy = box.center.x - seen.taught.center.x, box.center.y - seen.taught.center.y
    place = Box(outer.x + dx, outer.y + dy, outer.w, outer.h).grown(3, size)
    height, width = template.whole.shape
    if place.h < height or place.w < width:
        return 0.0
    high, wide = template.part.shape
    part = seen.grey[
        place.y + template.top : place.bottom - height + template.top + high,
        place.x + template.left : place.right - width + template.left + wide,
    ]
    grey, outline = correlate(part, template.part), correlate(edges(part), template.edges)
    best = grey if grey_score(float(grey.max())) >= edge_score(float(outline.max())) else outline
    return float(grey.ravel()[best.argmax()])
