"""The place a coach points at, as a resolution (S1.10)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from execution.language.fuzzy import SAME
from execution.language.screen_texts import ScreenWords
from execution.targeting.boxes import holds_several, target_box
from execution.targeting.context import TEXT
from execution.types import Box, Candidate, Point, Resolution, ResolveStatus, RungResult, ScreenState, Size
from sentences.said import say

COACH = "coach"
_MIDDLE = 3  # pixels: so far rounding moves a point


def resolve_correction(correction: Mapping[str, Any], state: ScreenState) -> Resolution:
    """The place named by {"box": [x, y, w, h]}, {"point": [x, y]} (fractions of the screen) or {"text": "..."}.

    A point may come with its box. A box that holds several things that could be meant (rows of a list, a panel) is no
    place by its middle: with a point elsewhere in it, what is at the point is meant. Raises ValueError with a sentence
    for such a box alone, and for what is none of these or off the screen.
    """
    size = state.frame.size
    if correction.get("box") is not None:
        box = _box(correction["box"], size)
        point = _point(correction["point"], size) if correction.get("point") is not None else box.center
        if not box.contains(point):
            raise ValueError(say("correction.outside_box"))
        if holds_several(box, state):
            if math.dist(point, box.center) <= _MIDDLE:  # a page sends the middle of what was drawn
                raise ValueError(say("correction.several"))
            box = target_box(state, point)
        return _found(box, point)
    if correction.get("point") is not None:
        point = _point(correction["point"], size)
        return _found(target_box(state, point), point)
    if isinstance(correction.get("text"), str) and correction["text"].strip():
        return _by_text(correction["text"].strip(), state)
    raise ValueError(say("correction.nothing_shown"))


def _by_text(text: str, state: ScreenState) -> Resolution:
    words = ScreenWords.of(state.texts)
    found = list(words.whole_lines(text, minimum=SAME)) or list(words.inside_lines(text, minimum=SAME))
    exact = [s for s in found if s.score == 1.0] or found
    candidates = tuple(Candidate(box=s.box, score=s.score, text=s.line.text) for s in exact)
    if len(exact) == 1:
        return _found(exact[0].box, exact[0].box.center, text=exact[0].line.text)
    status = ResolveStatus.AMBIGUOUS if exact else ResolveStatus.NOT_FOUND
    message = (
        say("targeting.corrected_text_often", text=text, exact=len(exact))
        if exact
        else say("targeting.corrected_text_missing", text=text)
    )
    evidence = RungResult(rung=TEXT, status=status, candidates=candidates, note=message)
    return Resolution(status=status, evidence=(evidence,), message=message)


def _found(box: Box, point: Point, *, text: str = "") -> Resolution:
    note = say("targeting.text_shown_by_coach", text=text) if text else say("targeting.shown_by_coach")
    evidence = RungResult(
        rung=COACH, status=ResolveStatus.FOUND, score=1.0, candidates=(Candidate(box=box, score=1.0),), note=note
    )
    return Resolution(
        status=ResolveStatus.FOUND, box=box, point=point, rung=COACH, score=1.0, evidence=(evidence,), message=note
    )


def _numbers(value: Any, count: int, what: str) -> list[float]:
    good = isinstance(value, list | tuple) and len(value) == count
    if not good or any(isinstance(v, bool) or not isinstance(v, int | float) or not math.isfinite(v) for v in value):
        raise ValueError(f"The corrected {what} must be {count} numbers.")
    return [float(v) for v in value]


def _point(value: Any, size: Size) -> Point:
    x, y = _numbers(value, 2, "point")
    if not (0 <= x <= 1 and 0 <= y <= 1):
        raise ValueError("The corrected point must lie on the screen: two numbers from 0 to 1.")
    return Point(min(size.width - 1, int(x * size.width)), min(size.height - 1, int(y * size.height)))


def _box(value: Any, size: Size) -> Box:
    x, y, w, h = _numbers(value, 4, "box")
    if not (0 <= x < 1 and 0 <= y < 1 and w > 0 and h > 0 and x + w <= 1.001 and y + h <= 1.001):
        raise ValueError("The corrected box must lie on the screen: left, top, width and height from 0 to 1.")
    box = Box.from_normalised((x, y, min(w, 1 - x), min(h, 1 - y)), size)
    if not box.area:
        raise ValueError("The corrected box is smaller than a pixel.")
    return box
