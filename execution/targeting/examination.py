"""Everything that speaks for one place being the target: what the rungs propose is examined here (S5.3).

A place's score is the weighted mean of the signs that can be told there, 0 to 1, so that scores of different rungs
compare. What contradicts the taught evidence outright is `against`, whatever the score.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rapidfuzz import fuzz

from execution.language.fuzzy import SAME, SEEN, similarity, words
from execution.language.lexicon import mean_different, same_shortcut
from execution.language.rewording import compare
from execution.language.screen_texts import Wanted
from execution.targeting.context import Context
from execution.targeting.kinds import same_kind
from execution.targeting.looks import look_at
from execution.targeting.neighbours import label_in_place, surroundings
from execution.targeting.objections import objection, row_problem
from execution.targeting.peers import is_same_number
from execution.targeting.sequence import in_sequence
from execution.targeting.shapes import element_at, structure_share
from execution.targeting.signs import GOOD, Signs
from execution.types import Box, Element, ElementRole

_TEXT, _LOOK, _AROUND, _LABEL, _SHAPES, _PLACE, _ROW = 3.0, 3.0, 2.0, 2.0, 1.0, 0.5, 1.0
_SAME_TEXT = 0.7  # where the picture fits, one misread letter of a short word is no other word
_SAME_PLACE = 12  # pixels
_SAME_SPOT = 5  # on a screen of which no windows are known
_VERY_PICTURE, _MISREAD = 0.98, 70.0  # of correlation; of 100 in letters
_LONG = 8  # letters: of a shorter word that is read otherwise, nobody can say that it is misread
_PREFIX = re.compile(r"^\W*\S{1,2}\s+(?=\S{3})")  # a small picture beside a word is read as "5." or "Q"
_HOLDERS = frozenset({ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO})


def signs_of(box: Box, context: Context, *, scale: float | None = None) -> Signs:
    """What speaks for `box`; `scale` is how large it is drawn, None: to be found out."""
    key = (box, scale)
    if key not in context.examined:
        context.examined[key] = _examined(box, context, scale)
    return context.examined[key]


def _examined(box: Box, context: Context, scale: float | None) -> Signs:
    element = element_at(box, context, like=context.target.role)
    best: Signs | None = None
    for size in context.scales if scale is None else (scale,):
        one = Signs(
            box=box,
            scale=size,
            around=surroundings(box, context, scale=size),
            label=None if context.target.row else label_in_place(box, context, scale=size),
            shapes=None if context.target.row else structure_share(box, context, scale=size),
        )
        if best is None or (one.standing or 0.0) > (best.standing or 0.0) + 0.05:
            best = one
    assert best is not None
    look = look_at(box, context, scale=best.scale)
    if best.scale != 1.0 and (other := look_at(box, context)) and other.score > (look.score if look else 0.0):
        look = other
    signs = replace(best, element=element, look=look, kind=_kind(element, best.scale, context))
    in_place, in_line = (False, False) if context.target.row else _placed(box, context)
    signs = replace(
        signs, in_place=in_place, in_line=in_line, numbered=is_same_number(box, context.peers, context.target)
    )
    signs = replace(_with_text(signs, context), is_holder=_is_holder(element, context))
    if context.other_language and not context.target.row:
        signs = replace(signs, in_sequence=in_sequence(box, context, scale=best.scale))
    problem = row_problem(box, context) if context.target.row else ""
    signs = replace(signs, in_row=bool(context.target.row) and not problem)
    signs = replace(signs, against=objection(signs, context) or problem)
    return replace(signs, score=_score(signs, context))


def _kind(element: Element | None, scale: float, context: Context) -> bool | None:
    """Whether the element there is what was taught; None where no role was taught, or none is seen."""
    role = context.target.role
    if not role or not context.state.elements:
        return None
    return element is not None and same_kind(role, element.role)


def _is_holder(element: Element | None, context: Context) -> bool:
    """True for a control of the very kind whose looks change with what it holds: a field, a check box."""
    return element is not None and element.role == context.target.role and element.role in _HOLDERS


def _placed(box: Box, context: Context) -> tuple[bool, bool]:
    """Whether it is where it was taught, and whether it is in a line with that, across or down."""
    apart = [(abs(box.center.x - p.center.x), abs(box.center.y - p.center.y)) for p in context.taught_places()]
    room = _SAME_PLACE if context.state.window else _SAME_SPOT
    in_place = any(max(across, down) <= room for across, down in apart)
    return in_place, any(min(across, down) <= room for across, down in apart)


def _with_text(signs: Signs, context: Context) -> Signs:
    if not context.has_own_text or not context.text_was_read:
        return signs
    want = context.wanted
    if want.problem:
        return replace(signs, text=0.0)
    seen = [
        s
        for s in context.sightings(want.text, exact=want.exact)
        if s.score >= SEEN and s.box.intersection(signs.box).area > 0.3 * s.box.area
    ]
    if seen:
        best = max(seen, key=lambda s: (s.whole, s.score))
        value = best.score if best.whole else 0.9 * best.score
        return replace(signs, text=value, read=best.line.text)
    room = signs.box.grown(3, context.state.frame.size)
    read = " ".join(line.text for line in context.words.lines if room.contains(line.box.center))
    wording = compare(want, read)
    if context.other_language and not want.exact and same_shortcut(want.text, read):
        return replace(signs, text=0.9, read=read)
    if _is_misread(signs, read, want):
        return replace(signs, text=SAME, read=read)
    if (
        context.other_language
        and read
        and not want.exact
        and not mean_different(want.text, read)
        and wording.score < GOOD
    ):
        return replace(signs, text=None, read=read, translated=True)
    if not wording.against and wording.score >= GOOD:
        return replace(signs, text=wording.score, read=read)
    if not want.exact and signs.likeness >= 0.75 and similarity(want.text, read) >= _SAME_TEXT:
        return replace(signs, text=SAME, read=read)
    if not want.exact and signs.likeness >= 0.5 and similarity(_bare(want.text), _bare(read)) >= SAME:
        return replace(signs, text=0.9, read=read)
    if not read and not want.exact and len(words(want.text).key) <= 2 and signs.likeness >= GOOD:
        return signs  # readers pass over single letters
    return replace(signs, text=0.0, read=read)


def _is_misread(signs: Signs, read: str, want: Wanted) -> bool:
    """True for the very picture, pixel for pixel, read nearly so: letters lost, or glued to what stands beside it."""
    look = signs.look
    if want.exact or look is None or look.grey < _VERY_PICTURE or not 0.9 <= look.contrast <= 1.1:
        return False
    wanted_key = words(want.text).key
    return len(wanted_key) >= _LONG and fuzz.partial_ratio(wanted_key, words(read).key) >= _MISREAD


def _bare(text: str) -> str:
    """Without what a small picture before the words was read as."""
    return _PREFIX.sub("", text)


def _score(signs: Signs, context: Context) -> float:
    """The weighted mean of what can be told."""
    told = [(signs.text, _TEXT)] if signs.text is not None else []
    must_look = signs.text is None and not signs.translated and not signs.is_holder
    if signs.look and (signs.likeness >= 0.5 or must_look):
        told.append((signs.likeness, _LOOK))
    if signs.around.asked:
        told.append((min(1.0, 1.25 * signs.around.fair_share), _AROUND * signs.around.weight))
    if signs.label or (signs.label is False and not context.other_language):
        told.append((float(signs.label), _LABEL))
    if signs.shapes is not None and (signs.shapes >= 0.4 or signs.text is None):
        told.append((min(1.0, 1.25 * signs.shapes), _SHAPES))
    if signs.in_place:
        told.append((1.0, 2 * _PLACE if context.other_language else _PLACE))
    if signs.in_sequence:
        told.append((1.0, _ROW))
    if signs.in_row:
        told.append((1.0, _ROW))
    if signs.kind is False:
        told.append((0.0, _PLACE))
    return round(sum(v * w for v, w in told) / sum(w for _, w in told), 4) if told else 0.0
