"""Where a taught target is on the present screen, or why nobody can say (S5.3).

Picture and text are both asked, and must not contradict each other: a place that looks right and reads otherwise, or
has nothing around it that stood around the target, is not the target.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from execution.navigation.screen_words import ScreenWords
from execution.navigation.words import SEEN, find, similarity
from execution.perception.pictures import PictureSource
from execution.targeting.boxes import point_in
from execution.targeting.context import ANCHOR, TEXT, Context
from execution.targeting.correction import resolve_correction
from execution.targeting.neighbours import seen_at_another_size, surroundings
from execution.targeting.rungs import anchor, text
from execution.types import Box, Candidate, Resolution, ResolveStatus, RungResult, ScreenState
from workflows.graph import TargetSpec

__all__ = ["TargetResolver", "resolve_correction"]

FOUND, AMBIGUOUS, NOT_FOUND = ResolveStatus.FOUND, ResolveStatus.AMBIGUOUS, ResolveStatus.NOT_FOUND

_SAME_TEXT = 0.7  # where the picture fits, one misread letter of a short word is no other word
_ENOUGH_TO_TELL = {ANCHOR: 2, TEXT: 1}  # neighbours; a word alone says less than a picture
_SAME_PLACE = 12  # pixels
_UNREAD_SCORE = 0.85  # a picture that no reading confirms has to fit better: 97 % alike


class TargetResolver:
    """Finds targets; `similarity_threshold` is the score, 0 to 1, below which a rung has not found."""

    def __init__(self, *, pictures: PictureSource, similarity_threshold: float = 0.75) -> None:
        self.pictures = pictures
        self.similarity_threshold = similarity_threshold

    def resolve(self, target: TargetSpec, state: ScreenState, *, variables: Mapping[str, str]) -> Resolution:
        """The target's place with the evidence for it; `box` and `point` are None unless it was found."""
        started = time.perf_counter()
        context = Context(
            target=target,
            state=state,
            variables=variables,
            pictures=self.pictures,
            threshold=self.similarity_threshold,
            words=ScreenWords(state.texts),
        )
        resolution = _decided(context, _climb(context))
        return replace(resolution, resolve_ms=(time.perf_counter() - started) * 1000)


def _climb(context: Context) -> dict[str, RungResult]:
    """Ask the rungs; other sizes of the picture are tried only where nothing else was found."""
    target, state = context.target, context.state
    by_picture = anchor.find(target, state, context)
    by_text = text.find(target, state, context)
    if by_picture.status is NOT_FOUND and by_text.status is not FOUND:
        scaled = anchor.find_at_other_scales(target, state, context)
        by_picture = scaled if scaled.status is not NOT_FOUND else by_picture
    return {ANCHOR: by_picture, TEXT: by_text}


def _decided(context: Context, rungs: dict[str, RungResult]) -> Resolution:
    """One answer out of what the rungs say."""
    by_picture, by_text = rungs[ANCHOR], rungs[TEXT]
    evidence = (by_picture, by_text)
    if by_picture.status is FOUND:
        return _by_picture(context, by_picture, by_text, evidence)
    if by_text.status is FOUND:
        if by_picture.status is AMBIGUOUS and not _near_one(by_text.candidates[0].box, by_picture):
            return _refused(AMBIGUOUS, evidence, "the text is read at a place that does not look like the target")
        return _checked(context, by_text, evidence)
    if AMBIGUOUS in (by_picture.status, by_text.status):
        unsure = by_picture if by_picture.status is AMBIGUOUS else by_text
        return _refused(AMBIGUOUS, evidence, unsure.note)
    if not context.target.picture and not context.target.text:
        return _refused(NOT_FOUND, evidence, "neither a picture nor a text was taught")
    return _refused(NOT_FOUND, evidence, "; ".join(r.note for r in evidence if r.status is NOT_FOUND))


def _by_picture(
    context: Context, by_picture: RungResult, by_text: RungResult, evidence: tuple[RungResult, ...]
) -> Resolution:
    """The picture's place, unless the text contradicts it."""
    place = by_picture.candidates[0].box
    if not context.target.text:
        return _checked(context, by_picture, evidence)
    if not context.text_was_read:
        if (by_picture.score or 0.0) < _UNREAD_SCORE:
            return _refused(NOT_FOUND, evidence, f"{by_picture.note}: too little for a screen that was not read")
        return _checked(context, by_picture, evidence, remark="not confirmed by its text: the screen was not read")
    if context.wanted.problem:
        return _refused(NOT_FOUND, evidence, context.wanted.problem)
    read = _text_at(place, context)
    if read is None:
        return _checked(context, by_picture, evidence)
    if by_text.status is FOUND:
        message = f"the picture is at one place and the text '{context.wanted.text}' at another"
        return _refused(AMBIGUOUS, evidence, message)
    said = f"reads '{read}'" if read else "shows no text that could be read"
    message = f"the place that looks like the target {said}, not '{context.wanted.text}'"
    return _refused(NOT_FOUND, evidence, message)


def _text_at(place: Box, context: Context) -> str | None:
    """None if the wanted text is read at that place; otherwise what is read there."""
    want = context.wanted
    room = place.grown(3, context.state.frame.size)
    inside = [line for line in context.words.lines if room.contains(line.box.center)]
    read = " ".join(line.text for line in inside)
    if want.exact:
        if similarity(want.text, read, strict=True) or find(want.text, read, strict=True):
            return None
    elif similarity(want.text, read) >= _SAME_TEXT:
        return None
    for sighting in context.words.inside_lines(want.text, minimum=SEEN, strict=want.exact):
        if sighting.box.intersection(place).area > 0.3 * sighting.box.area:
            return None
    return read


def _checked(context: Context, rung: RungResult, evidence: tuple[RungResult, ...], *, remark: str = "") -> Resolution:
    """Found, if what stood around the target does not say that this is another one of its kind."""
    best = rung.candidates[0]
    around = surroundings(best.box, context)
    if around.required_missing:
        return _refused(NOT_FOUND, evidence, f"'{around.required_missing}' does not stand beside it")
    if around.replaced:
        was, now = around.replaced[0]
        return _refused(NOT_FOUND, evidence, f"beside it stood '{was}', now it reads '{now}'")
    alone = around.asked >= _ENOUGH_TO_TELL[rung.rung] and not around.seen
    if alone and not _is_where_taught(best.box, rung, context) and not seen_at_another_size(best.box, context):
        return _refused(NOT_FOUND, evidence, f"{rung.note}, but nothing that stood around it is there")
    message = "; ".join(part for part in (rung.note, remark, str(around) if around.asked else "") if part)
    return Resolution(
        status=FOUND,
        box=best.box,
        point=point_in(best.box, context.target.click),
        rung=rung.rung,
        score=round(rung.score or 0.0, 4),
        runner_up=rung.candidates[1] if len(rung.candidates) > 1 else None,
        evidence=_explained(evidence, rung),
        message=message,
    )


def _is_where_taught(box: Box, rung: RungResult, context: Context) -> bool:
    """True if the very picture is in its very place: then what is around it may have changed."""
    return rung.rung == ANCHOR and any(
        abs(box.center.x - place.center.x) <= _SAME_PLACE and abs(box.center.y - place.center.y) <= _SAME_PLACE
        for place in context.taught_places()
    )


def _explained(evidence: tuple[RungResult, ...], used: RungResult) -> tuple[RungResult, ...]:
    return tuple(used if r.rung == used.rung else r for r in evidence)


def _refused(status: ResolveStatus, evidence: tuple[RungResult, ...], message: str) -> Resolution:
    best = _best(evidence)
    score = round(best.score, 4) if best and status is AMBIGUOUS else 0.0
    return Resolution(status=status, score=score, runner_up=best, evidence=evidence, message=message)


def _best(evidence: tuple[RungResult, ...]) -> Candidate | None:
    every = [c for rung in evidence for c in rung.candidates]
    return max(every, key=lambda c: c.score, default=None)


def _near_one(box: Box, rung: RungResult) -> bool:
    return any(box.intersection(c.box).area > 0.3 * min(box.area, c.box.area) for c in rung.candidates)
