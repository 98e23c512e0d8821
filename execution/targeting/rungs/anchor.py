"""The taught picture, looked for where it was taught, then everywhere; unique, or it is not found (S5.3)."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from execution.targeting.context import ANCHOR, Context, taught_box
from execution.targeting.neighbours import told_apart
from execution.targeting.search import Peak, peaks, strongest, usable
from execution.types import Box, Candidate, ResolveStatus, RungResult, ScreenState, Size
from workflows.exceptions import PictureError
from workflows.graph import TargetSpec

# The same picture drawn again correlates above 0.99; the same button with another word on it at 0.95 and below.
_NOTHING, _PERFECT = 0.80, 1.0
_AS_GOOD = 0.03  # of correlation: a second place so near in likeness makes the first one a guess
_FADED = 0.6  # of the taught contrast: a greyed-out control is not what was taught
_AROUND = 80
_SCALES = (0.9, 1.1, 1.25, 0.8, 1.5)
_CONTEXT_LIKE, _CONTEXT_GAP = 0.9, 0.05


def find(target: TargetSpec, state: ScreenState, context: Context, *, scales: tuple[float, ...] = (1.0,)) -> RungResult:
    """Where the target's picture is, at the first of `scales` at which it is anywhere."""
    result = RungResult(rung=ANCHOR, status=ResolveStatus.NOT_FOUND)
    if not target.picture:
        return replace(result, status=ResolveStatus.NOT_NEEDED, note="no picture was taught")
    try:
        template = cv2.cvtColor(context.pictures.load(target.picture), cv2.COLOR_BGR2GRAY)
    except PictureError as error:
        return replace(result, note=f"the taught picture cannot be used: {error}")
    if problem := usable(template):
        return replace(result, note=problem)
    result = replace(result, note="nothing on the screen is like the taught picture")
    for scale in scales:
        scaled = template if scale == 1.0 else cv2.resize(template, None, fx=scale, fy=scale)
        if not usable(scaled) and (found := _everywhere(scaled, context)):
            if calibrated(found[0]) >= context.threshold:
                return _judged(found, scale, context)
            result = _better(result, found[0], scale)
    return result


def find_at_other_scales(target: TargetSpec, state: ScreenState, context: Context) -> RungResult:
    """The same for a screen whose text and pictures are drawn smaller or larger than when it was taught."""
    return find(target, state, context, scales=_SCALES)


def calibrated(peak: Peak) -> float:
    """A peak's likeness as a score, 0 to 1; what has faded is at most half of it."""
    score = min(1.0, max(0.0, (peak.correlation - _NOTHING) / (_PERFECT - _NOTHING)))
    return score if _FADED <= peak.contrast <= 1 / _FADED else score / 2


def _everywhere(template: np.ndarray, context: Context) -> list[Peak]:
    """Every place that is anything like the template: near the taught place at full detail, then on all the screen."""
    height, width = template.shape
    size = context.state.frame.size
    found: list[Peak] = []
    for place in context.taught_places():
        region = Box(place.center.x - width // 2, place.center.y - height // 2, width, height).grown(_AROUND, size)
        if region.w > 0 and region.h > 0:
            found += peaks(context.grey, template, minimum=_NOTHING, region=region)
    found += peaks(context.grey, template, minimum=_NOTHING)
    return sorted(strongest(found), key=lambda p: -calibrated(p))


def _judged(found: list[Peak], scale: float, context: Context) -> RungResult:
    """The best peak, unless another is as good and nothing tells them apart."""
    best = found[0]
    alike = [p for p in found if p.correlation >= best.correlation - _AS_GOOD and calibrated(p) > 0.5]
    index, note = (0, _likeness(best, scale)) if len(alike) == 1 else _told_apart(alike, context)
    if index is None:
        note = f"the picture is at {len(alike)} places; {note}"
        return RungResult(
            rung=ANCHOR,
            status=ResolveStatus.AMBIGUOUS,
            score=calibrated(best),
            candidates=_candidates(alike),
            note=note,
        )
    chosen = [alike[index], *(p for p in found if p is not alike[index])]
    return RungResult(
        rung=ANCHOR, status=ResolveStatus.FOUND, score=calibrated(chosen[0]), candidates=_candidates(chosen), note=note
    )


def _told_apart(alike: list[Peak], context: Context) -> tuple[int | None, str]:
    index, note = told_apart([p.box for p in alike], context)
    if index is not None:
        return index, note
    likeness = _context_likeness(alike, context)
    if likeness:
        order = sorted(range(len(alike)), key=lambda i: -likeness[i])
        best, second = likeness[order[0]], likeness[order[1]]
        if best >= _CONTEXT_LIKE and best - second >= _CONTEXT_GAP:
            return order[0], f"told apart by what is around it ({best:.2f}, the next {second:.2f})"
    return None, note


def _context_likeness(alike: list[Peak], context: Context) -> list[float]:
    """How like the taught surroundings those of each peak are; empty where no surroundings were taught."""
    target = context.target
    if not (target.context and target.context_box and target.box):
        return []
    try:
        picture = cv2.cvtColor(context.pictures.load(target.context), cv2.COLOR_BGR2GRAY)
    except PictureError:
        return []
    inner = taught_box(target, context.state.frame)
    size = Size(*target.screen_size) if all(target.screen_size) else context.state.frame.size
    outer = Box.from_normalised(target.context_box, size)
    scores = []
    for peak in alike:
        place = Box(peak.box.x - (inner.x - outer.x), peak.box.y - (inner.y - outer.y), outer.w, outer.h)
        found = peaks(context.grey, picture, minimum=0.0, region=place.grown(2, context.state.frame.size))
        scores.append(found[0].correlation if found else 0.0)
    return scores


def _better(result: RungResult, peak: Peak, scale: float) -> RungResult:
    if result.score is not None and calibrated(peak) <= result.score:
        return result
    faded = "" if _FADED <= peak.contrast <= 1 / _FADED else ", and its contrast is another (greyed out?)"
    note = f"the most similar place is not similar enough: {_likeness(peak, scale)}{faded}"
    return replace(result, score=calibrated(peak), candidates=_candidates([peak]), note=note)


def _likeness(peak: Peak, scale: float) -> str:
    return f"{peak.correlation:.1%} alike" + ("" if scale == 1.0 else f" at {scale:g} times the size")


def _candidates(found: list[Peak]) -> tuple[Candidate, ...]:
    return tuple(Candidate(box=p.box, score=calibrated(p)) for p in found[:8])
