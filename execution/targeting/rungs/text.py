"""The target's text, or the label that names it, among the lines that were read (S5.3)."""

from __future__ import annotations

from execution.language.fuzzy import SAME
from execution.language.screen_texts import Sighting
from execution.targeting.choice import choose
from execution.targeting.context import TEXT, Context
from execution.targeting.examination import signs_of
from execution.targeting.kinds import same_kind
from execution.targeting.neighbours import stands_at, surroundings
from execution.types import Box, Element, ResolveStatus, RungResult
from sentences.said import say

_OFF_CENTRE = 0.25  # of the box: farther from its middle, the text alone does not tell where to click
_MOST = 12  # places looked at closely; of more, those with the most neighbours
_AS_HIGH, _AS_WIDE = 0.4, 1.0
_VOUCHED = 0.5
_HELD = 0.8  # of the text: a control that holds less of it is a part of what was read as one


def find(context: Context) -> RungResult:
    """Where the target's text is read as a text of its own, or within one that the neighbours vouch for."""
    if not context.target.text and context.target.named_by is None:
        return RungResult(rung=TEXT, status=ResolveStatus.NOT_NEEDED, note=say("targeting.no_text"))
    if context.has_own_text and context.wanted.problem:
        return RungResult(rung=TEXT, status=ResolveStatus.NOT_FOUND, note=context.wanted.problem)
    if not context.text_was_read:
        return RungResult(rung=TEXT, status=ResolveStatus.NOT_FOUND, note=say("targeting.row_unread"))
    if not context.has_own_text:
        return _by_label(context)
    want = context.wanted
    found = [s for s in context.sightings(want.text, exact=want.exact) if s.score >= SAME]
    within = [s for s in found if context.area.contains(s.box.center)]
    if not within and context.other_language:
        return _translated(context)
    if not within:
        return RungResult(
            rung=TEXT,
            status=ResolveStatus.NOT_FOUND,
            note=say("targeting.text_elsewhere" if found else "targeting.row_not_there", text=want.text),
        )
    whole = [s for s in within if s.whole]
    return _among(_exact_first(whole), context) if whole else _inside(within, context)


def _exact_first(found: list[Sighting]) -> list[Sighting]:
    """Only those that read exactly so, where there are any: "Save" beside "Safe" is not a twin."""
    exact = [s for s in found if s.score == 1.0]
    return exact or sorted(found, key=lambda s: -s.score)


def _among(found: list[Sighting], context: Context) -> RungResult:
    boxes, lost = [], False
    for sighting in _likeliest(found, context):
        box = click_box(sighting.box, context)
        lost = lost or box is None
        if box is not None:
            boxes.append(box)
    nothing = say("targeting.beside_not_told") if lost else ""
    return choose(TEXT, [signs_of(box, context) for box in boxes], context, nothing=nothing)


def _likeliest(found: list[Sighting], context: Context) -> list[Sighting]:
    """Of very many the few with the most neighbours in place, or in the wanted row: the rest is not looked at."""
    if len(found) <= _MOST:
        return found
    if context.target.row:
        kept = [s for s in found if signs_of(s.box, context).in_row]
        return kept[:_MOST] or found[:1]
    scale = context.scales[0]
    return sorted(found, key=lambda s: -surroundings(s.box, context, scale=scale).seen)[:_MOST]


def _inside(found: list[Sighting], context: Context) -> RungResult:
    """A text that is only part of a longer one ("Save" in "Save As...") counts where its neighbours vouch for it."""
    vouched = []
    for sighting in found[:_MOST]:
        box = click_box(sighting.box, context, part=True) or sighting.box
        signs = signs_of(box, context)
        if signs.label or (signs.around.seen and signs.around.share >= _VOUCHED):
            vouched.append(signs)
    note = say("targeting.part_of_longer_text", wanted=context.wanted.text, text=found[0].line.text)
    return choose(TEXT, vouched, context, nothing=note)


def click_box(line: Box, context: Context, *, part: bool = False) -> Box | None:
    """The control that holds the text, by its taught size; the text itself where it was clicked in its middle."""
    target, taught = context.target, context.taught
    for scale in context.scales:
        holding = [
            e
            for e in context.controls
            if e.box.intersection(line).area >= _HELD * line.area
            and _same_size(e.box, taught, scale, target.role == e.role)
        ]
        if holding:
            return min(holding, key=lambda e: abs(e.box.h - taught.h * scale) + abs(e.box.w - taught.w * scale)).box
    off = max(abs(target.click[0] - 0.5), abs(target.click[1] - 0.5)) > _OFF_CENTRE
    if off and taught.area > 2 * line.area:
        return None
    return line


def _same_size(one: Box, taught: Box, scale: float, same_role: bool) -> bool:
    if not taught.area:
        return False
    wide = _AS_WIDE if same_role else 0.3
    return abs(one.h / (taught.h * scale) - 1) <= _AS_HIGH and abs(one.w / (taught.w * scale) - 1) <= wide


def _translated(context: Context) -> RungResult:
    """On a screen in another language: what stands among the same controls, and means the same or what nobody knows."""
    nothing = say("targeting.text_and_surroundings_missing", wanted=context.wanted.text)
    fitting = [e for e in context.controls if same_kind(context.target.role, e.role) and _as_high(e, context)]
    signs = [signs_of(e.box, context) for e in fitting if e.text]
    return choose(TEXT, [s for s in signs if s.text or s.translated], context, nothing=nothing)


def _as_high(element: Element, context: Context) -> bool:
    return any(abs(element.box.h / max(1.0, context.taught.h * s) - 1) <= 0.25 for s in context.scales)


def _by_label(context: Context) -> RungResult:
    """What a label names is the control of the taught kind at its place from the label."""
    label, role = context.target.named_by, context.target.role
    if label is None:
        return RungResult(rung=TEXT, status=ResolveStatus.NOT_NEEDED, note=say("targeting.no_text"))
    nothing = say("targeting.nothing_named", text=label.text)
    if not len(context.neighbour_boxes(label)):
        nothing = say("targeting.label_not_read", text=label.text)
        return RungResult(rung=TEXT, status=ResolveStatus.NOT_FOUND, note=nothing)
    found = [e for e in context.controls if same_kind(role, e.role) and _labelled(e, context)]
    signs = [signs_of(e.box, context) for e in found]
    return choose(TEXT, signs, context, nothing=nothing)


def _labelled(element: Element, context: Context) -> bool:
    label = context.target.named_by
    if label is None:
        return False
    sizes = [s for s in context.scales if _same_size(element.box, context.taught, s, same_role=True)]
    return any(stands_at(label, element.box, context, scale=s) for s in sizes)
