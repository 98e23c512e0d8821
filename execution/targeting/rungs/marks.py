"""The elements that carry marks, compared with the target by text, picture, kind and structure; no model (S5.3)."""

from __future__ import annotations

from collections.abc import Sequence

from execution.language.fuzzy import SAME
from execution.targeting.context import MARKS, Context
from execution.targeting.grounding.candidates import candidates
from execution.targeting.grounding.judging import Judge, Judged, told_signs
from execution.targeting.grounding.likeness import TaughtPicture
from execution.types import Candidate, Element, ElementRole, ResolveStatus, RungResult
from sentences.said import say
from workflows.exceptions import PictureError

MARGIN = 0.08  # of the score, with the place and without: a second element so near makes the first a guess
_MOST_SHOWN = 8
_AS_TAUGHT = 0.6  # of what stood around a target that had twins


class MarksRung:
    """`som_text_match`: the one element whose signs, weighed to one score, are clearly better than any other's."""

    name = MARKS

    def find(self, context: Context) -> RungResult:
        """The element that is the target; ambiguous where a second is nearly as good."""
        elements = candidates(context)
        if not elements:
            note = say("targeting.no_elements") if not context.state.elements else say("targeting.no_element_in_window")
            return RungResult(rung=MARKS, status=ResolveStatus.NOT_FOUND, note=note)
        if context.wanted.problem:
            return RungResult(rung=MARKS, status=ResolveStatus.NOT_FOUND, note=context.wanted.problem)
        signs = Judge(context, taught_picture(context))
        judged = [signs.judge(element) for element in [*elements, *_loose_texts(context, elements)]]
        return decide(judged, context)


def decide(judged: Sequence[Judged], context: Context, *, rung: str = MARKS) -> RungResult:
    """The best of what was judged, unless it is too weak, no control, or has a rival."""
    ranked = sorted((j for j in judged if j.score > 0), key=lambda j: -j.score)
    shown = tuple(Candidate(box=j.element.box, score=j.score, text=j.text) for j in ranked[:_MOST_SHOWN])
    if not ranked:
        return RungResult(rung=rung, status=ResolveStatus.NOT_FOUND, note=_why_none(judged))
    best = ranked[0]
    status, note = ResolveStatus.FOUND, _described(best)
    if best.score < context.threshold:
        status, note = (
            ResolveStatus.NOT_FOUND,
            say("targeting.element_not_similar", note=note),
        )
    elif (rival := next((j for j in ranked[1:] if lead(best, j) < MARGIN), None)) is not None:
        status, note = (
            ResolveStatus.AMBIGUOUS,
            say("targeting.element_as_good", note=note, rival=_described(rival)),
        )
    elif context.target.alike > 1 and not context.target.row and not stands_as_taught(best):
        status, note = ResolveStatus.AMBIGUOUS, say("targeting.maybe_its_twin", note=note)
    elif best.element.role is ElementRole.TEXT:
        status, note = (
            ResolveStatus.NOT_FOUND,
            say("targeting.no_control_at_text", note=note),
        )
    return RungResult(rung=rung, status=status, score=best.score, candidates=shown, note=note)


def stands_as_taught(judged: Judged) -> bool:
    """Whether what stands around it tells it from its twin, which may be all that is left of the two."""
    signs = judged.signs
    if "neighbours" in signs:  # the rows of a list have the same controls around them
        return max(signs["neighbours"], signs.get("named", 0.0)) >= _AS_TAUGHT
    return max(signs.get("shapes", 0.0), signs.get("named", 0.0)) >= _AS_TAUGHT


def lead(one: Judged, other: Judged) -> float:
    """By how much the first is better than the other, its place counted or not."""
    return min(one.score - other.score, one.without_place - other.without_place)


def taught_picture(context: Context) -> TaughtPicture | None:
    """The target's picture, None where there is none that could be compared."""
    if not context.target.picture:
        return None
    try:
        picture = TaughtPicture(context.pictures.load(context.target.picture))
    except PictureError:
        return None  # the picture's own rung says so
    return None if picture.problem else picture


def _loose_texts(context: Context, elements: Sequence[Element]) -> list[Element]:
    """Lines that are the target's text and lie in no element: they are rivals, though none is a control."""
    if not context.target.text or not context.text_was_read:
        return []
    want, area = context.wanted, context.area
    return [
        Element(box=seen.box, role=ElementRole.TEXT, text=seen.line.text)
        for seen in context.words.whole_lines(want.text, minimum=SAME, strict=want.exact)
        if area.contains(seen.box.center) and not any(e.box.contains(seen.box.center) for e in elements)
    ]


def _described(judged: Judged) -> str:
    box = judged.element.box
    role = say(f"role.{judged.element.role}")
    return say("targeting.element", role=role, x=box.x, y=box.y, note=judged.note, signs=told_signs(judged.signs))


def _why_none(judged: Sequence[Judged]) -> str:
    """What speaks against the one that has most for it."""
    best = max(judged, key=lambda j: j.weight)
    return say("targeting.none_of_elements", judged=len(judged), value=best.against or best.note)
