"""Looking closely at one place: every sign that can be told there (S5.3)."""

from __future__ import annotations

from execution.language.fuzzy import SEEN
from execution.language.rewording import Wording, compare
from execution.language.screen_texts import JOINED, WRAPPED, wanted
from execution.language.shortcuts import without_shortcut
from execution.perception.ocr.base import in_reading_order
from execution.targeting.context import Context
from execution.targeting.kinds import TICKED
from execution.targeting.looks import look_at
from execution.targeting.neighbours import label_in_place, surroundings
from execution.targeting.peers import is_same_number
from execution.targeting.sequence import in_sequence
from execution.targeting.shapes import element_at, structure_share
from execution.targeting.signs import Signs
from execution.types import Box, Element, ElementRole

_BETTER = 0.05  # of the standing: so much speaks for another scale
_ALL_OF_TEXT = 0.8
_MOST_OF_TEXT = 0.3  # of a sighting that must lie in the box
_BESIDE = 2.0  # heights of a check box to the text at its right


def examined(box: Box, context: Context) -> Signs:
    """All signs of one place; looked at once."""
    if box not in context.examined:
        context.examined[box] = _examined(box, context)
    return context.examined[box]


def _examined(box: Box, context: Context) -> Signs:
    target = context.target
    numbered = None if context.follows_record else is_same_number(box, context.peers, target)
    best: Signs | None = None
    for scale in context.scales:
        one = Signs(
            box=box,
            scale=scale,
            around=surroundings(box, context, scale=scale),
            label=None if target.row else label_in_place(box, context, scale=scale),
            shapes=None if target.row else structure_share(box, context, scale=scale),
            numbered=numbered,
        )
        if best is None or (one.standing or 0.0) > (best.standing or 0.0) + _BETTER:
            best = one
    assert best is not None
    look = look_at(box, context, scale=best.scale)
    if best.scale != 1.0 and (other := look_at(box, context)) and other.score > (look.score if look else 0.0):
        look = other
    element = element_at(box, context, like=target.role)
    text, whole, held, read = _own_text(box, element, context)
    return Signs(
        box=box,
        scale=best.scale,
        element=element,
        text=text,
        whole=whole,
        held=held,
        read=read,
        wording=compare(context.wanted, read) if text is not None else None,
        label_wording=_label_wording(read, context),
        look=look,
        around=best.around,
        label=best.label,
        shapes=best.shapes,
        numbered=best.numbered,
        in_sequence=None if context.follows_record else in_sequence(box, context, scale=best.scale),
        in_row=_in_row(box, context),
    )


def _own_text(box: Box, element: Element | None, context: Context) -> tuple[float | None, bool, float | None, str]:
    """How well the taught text is read there, whether its line is nothing else, its share inside, and what is read."""
    if not context.has_own_text or not context.text_was_read:
        return None, False, None, text_of(box, element, context) if context.text_was_read else ""
    want = context.wanted
    found = [
        s
        for s in (context.sightings(want.text, exact=want.exact) if not want.problem else ())
        if s.score >= SEEN
        and (s.box.intersection(box).area > _MOST_OF_TEXT * s.box.area or _labels(s.box, box, context))
    ]
    if not found:
        return 0.0, False, None, text_of(box, element, context)
    best = max(found, key=lambda s: (s.whole, s.score))
    held = 1.0 if _labels(best.box, box, context) else best.box.intersection(box).area / max(1, best.box.area)
    is_piece = best.how in (JOINED, WRAPPED) and held < _ALL_OF_TEXT  # of what was read together
    if is_piece:
        return best.score * held, False, held, text_of(box, element, context) or best.line.text
    read = best.line.text if best.whole else text_of(box, element, context) or best.line.text
    return best.score, best.whole, held, read


def _label_wording(read: str, context: Context) -> Wording | None:
    """What stands beside a box to tick, compared with the label that names it; None for what is known otherwise."""
    label = context.target.named_by
    if label is None or context.has_own_text or context.target.role not in TICKED or not context.text_was_read:
        return None
    said = [compare(wanted(text, context.variables), read) for text in label.texts]
    return max(said, key=lambda wording: (wording.score, not wording.against))


def text_of(box: Box, element: Element | None, context: Context) -> str:
    """What is written on a place, or right of it where it is a box to tick."""
    inside = " ".join(line.text for line in in_reading_order(context.texts_in(box.grown(3, context.state.frame.size))))
    want = context.wanted.text
    if element is not None and element.role == ElementRole.MENU_ITEM and want == without_shortcut(want):
        inside = without_shortcut(inside) or inside
    if inside or element is None or element.role not in TICKED:
        return inside or (element.text if element is not None else "")
    beside = [line for line in context.words.lines if _is_beside(line.box, box)]
    return min(beside, key=lambda line: line.box.x).text if beside else ""


def _labels(text: Box, box: Box, context: Context) -> bool:
    """True for what stands beside a box to tick: that is what it says."""
    return context.target.role in TICKED and _is_beside(text, box)


def _is_beside(text: Box, box: Box) -> bool:
    return 0 <= text.x - box.right <= _BESIDE * box.h and abs(text.center.y - box.center.y) <= box.h / 2


def _in_row(box: Box, context: Context) -> bool | None:
    if not context.target.row:
        return None
    row = context.wanted_row
    return not row.problem and row.holds(box, context.peers)
