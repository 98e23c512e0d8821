"""The target's text among the lines that were read; twins are told apart by their neighbours, or not at all (S5.3)."""

from __future__ import annotations

from execution.navigation.screen_words import Sighting
from execution.navigation.words import SAME
from execution.targeting.context import TEXT, Context, taught_box
from execution.targeting.neighbours import surroundings, told_apart
from execution.types import Box, Candidate, ResolveStatus, RungResult, ScreenState
from workflows.graph import TargetSpec

_OFF_CENTRE = 0.25  # of the box: farther from its middle, the text alone does not tell where to click
_SAME_SIZE = 0.2


def find(target: TargetSpec, state: ScreenState, context: Context) -> RungResult:
    """Where the target's text is read as a line of its own, or inside one that the neighbours vouch for."""
    want = context.wanted
    if not target.text:
        return _result(ResolveStatus.NOT_NEEDED, note="no text was taught")
    if want.problem:
        return _result(ResolveStatus.NOT_FOUND, note=want.problem)
    if not context.text_was_read:
        return _result(ResolveStatus.NOT_FOUND, note="the screen was not read")
    whole = list(context.words.whole_lines(want.text, minimum=SAME, strict=want.exact))
    if whole:
        return _among(_exact_first(whole), context)
    return _inside(list(context.words.inside_lines(want.text, minimum=SAME, strict=want.exact)), context)


def _exact_first(found: list[Sighting]) -> list[Sighting]:
    """Only the lines that read exactly so, where there are any: "Save" beside "Safe" is not a twin."""
    exact = [s for s in found if s.score == 1.0]
    return exact or sorted(found, key=lambda s: -s.score)


def _among(found: list[Sighting], context: Context) -> RungResult:
    index, note = 0, f"read as '{found[0].line.text}'"
    if len(found) > 1:
        chosen, why = told_apart([s.box for s in found], context)
        if chosen is None:
            note = f"'{context.wanted.text}' is read {len(found)} times; {why}"
            return _result(ResolveStatus.AMBIGUOUS, found=found, score=found[0].score, note=note)
        index, note = chosen, why
    ordered = [found[index], *(s for i, s in enumerate(found) if i != index)]
    box = click_box(ordered[0].box, context)
    if box is None:
        note = "where beside the text to click cannot be told from the text alone"
        return _result(ResolveStatus.NOT_FOUND, found=ordered, score=ordered[0].score, note=note)
    first = Candidate(box=box, score=ordered[0].score, text=ordered[0].line.text)
    return RungResult(
        rung=TEXT,
        status=ResolveStatus.FOUND,
        score=first.score,
        candidates=(first, *_candidates(ordered[1:])),
        note=note,
    )


def _inside(found: list[Sighting], context: Context) -> RungResult:
    """A text that is only part of a longer one ("Save" in "Save As...") counts where its neighbours vouch for it."""
    if not found:
        return _result(ResolveStatus.NOT_FOUND, note=f"'{context.wanted.text}' is not read anywhere")
    vouched = [s for s in found if surroundings(s.box, context).share >= 0.5]
    if len(vouched) == 1:
        return _among(vouched, context)
    note = f"'{context.wanted.text}' is only part of a longer text: '{found[0].line.text}'"
    status = ResolveStatus.AMBIGUOUS if len(vouched) > 1 else ResolveStatus.NOT_FOUND
    return _result(status, found=found, score=found[0].score, note=note)


def click_box(line: Box, context: Context) -> Box | None:
    """The control that holds the text, by its taught size; the text itself where it was clicked in its middle."""
    target, taught = context.target, taught_box(context.target, context.state.frame)
    for element in context.state.elements:
        if element.box.contains(line.center) and _same_size(element.box, taught):
            return element.box
    if max(abs(target.click[0] - 0.5), abs(target.click[1] - 0.5)) > _OFF_CENTRE and taught.area > 2 * line.area:
        return None
    return line


def _same_size(one: Box, other: Box) -> bool:
    return abs(one.w - other.w) <= _SAME_SIZE * max(1, other.w) and abs(one.h - other.h) <= _SAME_SIZE * max(1, other.h)


def _result(
    status: ResolveStatus, *, found: list[Sighting] | None = None, score: float | None = None, note: str = ""
) -> RungResult:
    return RungResult(rung=TEXT, status=status, score=score, candidates=_candidates(found or []), note=note)


def _candidates(found: list[Sighting]) -> tuple[Candidate, ...]:
    return tuple(Candidate(box=s.box, score=s.score, text=s.line.text) for s in found[:8])
