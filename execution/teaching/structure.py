"""The elements around a target, and which of its like it is."""

from __future__ import annotations

from collections.abc import Sequence

import cv2

from execution.language.fuzzy import SAME, similarity
from execution.language.screen_texts import ScreenWords
from execution.targeting.boxes import reading_order
from execution.targeting.search import peaks, usable
from execution.teaching.labels import CHOICES, naming_label
from execution.teaching.likeness import SAME_PICTURE, is_as_clear
from execution.teaching.parts import text_in
from execution.types import Box, Element, ElementRole, ScreenState
from workflows.graph import ShapeSpec

_LARGER = 1.3  # of the height of its letters: a heading
MOST_SHAPES = 12

_SAME_BOX = 0.5  # of the joint area


def role_of(box: Box, state: ScreenState) -> str:
    """What the element in that box was taken for, "" if there is none."""
    best = max(state.elements, key=lambda e: e.box.iou(box), default=None)
    return str(best.role) if best and best.box.iou(box) > _SAME_BOX else ""


def in_its_window(box: Box, other: Box, state: ScreenState) -> bool:
    """False for what is in another window than the target in `box`, where the window is known."""
    return not state.front.contains(box.center) or state.front.contains(other.center)


def shapes_around(box: Box, state: ScreenState) -> tuple[ShapeSpec, ...]:
    """The nearest elements of its window, but for texts, which are as wide as what they say; nearest first."""
    around = [
        e
        for e in state.elements
        if e.role != ElementRole.TEXT
        and e.box.iou(box) <= _SAME_BOX
        and not box.contains(e.box.center)
        and in_its_window(box, e.box, state)
    ]
    around.sort(key=lambda e: (_apart(box, e.box), e.box))
    return tuple(
        ShapeSpec(
            role=str(e.role),
            dx=e.box.center.x - box.center.x,
            dy=e.box.center.y - box.center.y,
            w=e.box.w,
            h=e.box.h,
        )
        for e in around[:MOST_SHAPES]
    )


def alike(box: Box, *, text: str, role: str, state: ScreenState, named_by: str = "", exact: bool = False) -> list[Box]:
    """The boxes of everything on the screen that the target in `box` could be taken for, itself among them, in reading
    order: of the same text; for fields and choices, of the same label; for pictures, of the same picture. `exact`: the
    text is a run's value, and one that differs in a letter is another one."""
    if role == ElementRole.FIELD or role in CHOICES:
        found = _of_the_same_label(role, state, named_by)
    elif text:
        found = _of_the_same_text(text, box, role, state, exact=exact)
    else:
        found = _of_the_same_picture(box, state)
    others = [b for b in found if not _is_same(b, box) and in_its_window(box, b, state)]
    return reading_order([*others, box])


def number_of(box: Box, among: Sequence[Box]) -> int:
    """Which of them it is, from 1; 0 if it is none of them."""
    return next((n for n, other in enumerate(among, 1) if other == box), 0)


def _of_the_same_label(role: str, state: ScreenState, named_by: str) -> list[Box]:
    of_role = [e for e in state.elements if e.role == role]
    if not named_by:
        return [e.box for e in of_role]
    labels = [(e.box, naming_label(e.box, role, state)) for e in of_role]
    return [box for box, label in labels if label and similarity(label.text, named_by) >= SAME]


def _of_the_same_text(text: str, box: Box, role: str, state: ScreenState, *, exact: bool) -> list[Box]:
    """What was taken for another kind counts as well, in letters as large: a heading is none of them."""
    seen = [s for s in ScreenWords.of(state.texts).sightings(text, strict=exact) if s.score >= SAME]
    own = min((s.box.h for s in seen if box.contains(s.box.center)), default=0)
    found = []
    for sighting in seen:
        element = _holder(sighting.box, state.elements)
        is_kind = element is None or not role or element.role == role or sighting.box.h <= _LARGER * (own or box.h)
        if is_kind and (sighting.whole or _is_all_of(element, text, state)):
            found.append(element.box if element and element.role == role else sighting.box)
    return list(dict.fromkeys(found))


def _is_all_of(element: Element | None, text: str, state: ScreenState) -> bool:
    """True for a control that says that and no more, though its line goes on."""
    return element is not None and similarity(" ".join(t.text for t in text_in(element.box, state)), text) >= SAME


def _of_the_same_picture(box: Box, state: ScreenState) -> list[Box]:
    part = state.front if state.front.contains(box.center) else Box(0, 0, *state.frame.size)
    grey = cv2.cvtColor(state.frame.crop(part), cv2.COLOR_BGR2GRAY)
    template = cv2.cvtColor(state.frame.crop(box), cv2.COLOR_BGR2GRAY)
    if usable(template):
        return []
    found = (p for p in peaks(grey, template, minimum=SAME_PICTURE) if is_as_clear(p.contrast))
    return [Box(p.box.x + part.x, p.box.y + part.y, p.box.w, p.box.h) for p in found]


def _holder(box: Box, elements: Sequence[Element]) -> Element | None:
    """The smallest element that a text lies in."""
    holding = [e for e in elements if e.role != ElementRole.GROUP and e.box.contains(box.center)]
    return min(holding, key=lambda e: e.box.area, default=None)


def _is_same(one: Box, other: Box) -> bool:
    """True if one lies mostly in the other."""
    return one.intersection(other).area > _SAME_BOX * max(1, min(one.area, other.area))


def _apart(one: Box, other: Box) -> float:
    """Pixels between the nearest edges, then a little for the distance of the middles."""
    across = max(0, one.x - other.right, other.x - one.right)
    down = max(0, one.y - other.bottom, other.y - one.bottom)
    middles = abs(one.center.x - other.center.x) + abs(one.center.y - other.center.y)
    return max(across, down) + 0.1 * middles
