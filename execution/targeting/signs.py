"""Everything that speaks for or against one place being the target: what the rungs propose is judged here (S5.3).

A place's score is the weighted mean of the signs that can be told there, 0 to 1, so that scores of different rungs
compare. What contradicts the taught evidence outright is `against`, whatever the score.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from execution.navigation.screen_words import Wanted
from execution.navigation.words import SAME, SEEN, similarity, words
from execution.targeting.context import Context
from execution.targeting.grounding.lexicon import mean_different, mean_the_same
from execution.targeting.grounding.wording import compare
from execution.targeting.kin import is_same_number, kin_of
from execution.targeting.looks import Look, ground_change, look_at, surroundings_likeness
from execution.targeting.neighbours import NONE, Surroundings, label_in_place, surroundings
from execution.targeting.rows import Rows, rows_of
from execution.targeting.shapes import element_at, same_kind, structure_share
from execution.targeting.titles import related
from execution.types import Box, Element, ElementRole, ElementState

_TEXT, _LOOK, _AROUND, _LABEL, _SHAPES, _PLACE, _ROW = 3.0, 3.0, 2.0, 2.0, 1.0, 0.5, 1.0
_SAME_TEXT = 0.7  # where the picture fits, one misread letter of a short word is no other word
_ENOUGH = 2  # neighbours that must not all be missing
_SAME_PLACE = 12  # pixels
_SAME_SPOT = 5  # on a screen of which no windows are known
_SAME_HEIGHT, _SAME_WIDTH = 0.35, 0.5
_PAINTED = 0.25  # of a picture's likeness: below it a place without readable text shows something else
_UNREAD = 0.85  # a picture that no reading confirms has to fit better: 97 % alike
_GOOD = 0.6
_VERY_PICTURE, _MISREAD = 0.98, 70.0  # of correlation; of 100 in letters
_LONG = 8  # letters: of a shorter word that is read otherwise, nobody can say that it is misread
_SAME_STRUCTURE = 0.7
_MOST = 0.5  # of the neighbours
_SAME_AROUND = 0.9  # of correlation
_AS_CLEAR = 0.85  # of the taught contrast
_AS_CLEAR_ELSEWHERE = 0.55  # in another theme
_PREFIX = re.compile(r"^\W*\S{1,2}\s+(?=\S{3})")  # a small picture beside a word is read as "5." or "Q"
_HOLDERS = frozenset({ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO})
_OF_NO_RECORD = frozenset(
    {ElementRole.MENU_ITEM, ElementRole.TAB}
)  # what stands beside them on the page is not their row


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """One place and what is seen there; each sign 0 to 1, None where it cannot be told."""

    box: Box
    scale: float = 1.0
    text: float | None = None
    read: str = ""
    look: Look | None = None
    around: Surroundings = NONE
    label: bool | None = None
    shapes: float | None = None
    kind: bool | None = None
    in_place: bool = False
    in_line: bool = False
    numbered: bool | None = None
    in_row: bool = False
    is_holder: bool = False
    translated: bool = False
    element: Element | None = None
    against: str = ""
    score: float = 0.0

    @property
    def likeness(self) -> float:
        return self.look.score if self.look else 0.0

    @property
    def support(self) -> list[str]:
        """The signs that speak for it, in words."""
        found = []
        if (self.text or 0.0) >= _GOOD:
            found.append(f"read as '{self.read}'")
        if self.look and self.likeness >= _GOOD:
            found.append(str(self.look))
        if self.around.seen and self.around.share >= 1 / 3:
            found.append(str(self.around))
        if self.label:
            found.append("its label stands beside it")
        if (self.shapes or 0.0) >= 0.5:
            found.append("the controls around it are the same")
        if self.is_holder:
            found.append("it is of the same kind")
        if self.in_row:
            found.append("it is in the wanted row")
        if self.in_place and self.kind:
            found.append("it is where it was taught")
        elif self.in_line and self.around.nearby >= 2:
            found.append("what stood around it is near")
        return found

    @property
    def standing(self) -> float | None:
        """How much what is around it is what was around the target; this tells twins apart. None: nobody can say."""
        signs = [(self.around.fair_share, 3.0)] if self.around.asked else []
        signs += [(float(self.label), 3.0)] if self.label is not None else []
        signs += [(self.shapes, 1.5)] if self.shapes is not None else []
        signs += [(float(self.numbered), 1.5)] if self.numbered is not None else []
        return sum(v * w for v, w in signs) / sum(w for _, w in signs) if signs else None


def signs_of(box: Box, context: Context, *, scale: float | None = None) -> Signs:
    """What speaks for `box`; `scale` is how large it is drawn, None: to be found out."""
    key = ("signs", box, scale)
    if key not in context.kept:
        context.kept[key] = _examined(box, context, scale)
    signs: Signs = context.kept[key]
    return signs


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
    signs = replace(signs, in_place=in_place, in_line=in_line, numbered=is_same_number(box, context))
    signs = replace(_with_text(signs, context), is_holder=_is_holder(element, context))
    problem = _row_problem(box, context) if context.target.row else ""
    signs = replace(signs, in_row=bool(context.target.row) and not problem)
    signs = replace(signs, against=_against(signs, context) or problem)
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
    if _is_misread(signs, read, want):
        return replace(signs, text=SAME, read=read)
    if (
        context.other_language
        and read
        and not want.exact
        and not mean_different(want.text, read)
        and wording.score < _GOOD
    ):
        return replace(signs, text=None, read=read, translated=True)
    if not wording.against and wording.score >= _GOOD:
        return replace(signs, text=wording.score, read=read)
    if not want.exact and signs.likeness >= 0.75 and similarity(want.text, read) >= _SAME_TEXT:
        return replace(signs, text=SAME, read=read)
    if not want.exact and signs.likeness >= 0.5 and similarity(_bare(want.text), _bare(read)) >= SAME:
        return replace(signs, text=0.9, read=read)
    if not read and not want.exact and len(words(want.text).key) <= 2 and signs.likeness >= _GOOD:
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
    if signs.in_row:
        told.append((1.0, _ROW))
    if signs.kind is False:
        told.append((0.0, _PLACE))
    return round(sum(v * w for v, w in told) / sum(w for _, w in told), 4) if told else 0.0


def _against(signs: Signs, context: Context) -> str:
    """What contradicts it outright; "" if nothing does."""
    target = context.target
    if not context.area.contains(signs.box.center):
        return "it lies outside of the window it was taught in"
    if context.has_own_text and context.wanted.problem:
        return context.wanted.problem
    if signs.text is not None and signs.text < _GOOD:
        said = f"reads '{signs.read}'" if signs.read else "shows no text that could be read"
        return f"the place that looks like the target {said}, not '{context.wanted.text}'"
    if signs.around.required_missing:
        return f"'{signs.around.required_missing}' does not stand beside it"
    if signs.around.replaced and _is_another_record(signs, context):
        was, now = signs.around.replaced[0]
        return f"beside it stood '{was}', now it reads '{now}'"
    if signs.label is False and signs.is_holder and signs.text is None and not context.other_language:
        return f"its label '{target.named_by.text if target.named_by else ''}' does not stand beside it"
    if problem := _greyed_out(signs, context):
        return problem
    if signs.text is None and signs.label is None and signs.look is None:
        return context.template_problem or "there is nothing to know it by"
    if context.has_own_text and signs.text is None and not context.text_was_read and signs.likeness < _UNREAD:
        return "the picture there is too little for a screen that was not read"
    if target.alike > 1 and not target.row and (problem := _of_its_like(signs, context)):
        return problem
    present = signs.around.asked - signs.around.absent
    if not context.state.window and present >= 3 and 2 * signs.around.seen < present and not signs.in_line:
        return "what stood around it stands elsewhere, and nobody knows which window is in front"
    moved = not context.state.window and not signs.in_line and signs.scale == 1.0
    elsewhere = moved and signs.around.asked > 0 and signs.around.share < _MOST
    if elsewhere and signs.look and not signs.look.by_grey:
        return "it looks otherwise among other things, and nobody knows which window is in front"
    short = signs.text is not None and len(words(context.wanted.text).key) <= 1
    if short and signs.likeness < _GOOD and not (signs.kind and signs.around.share >= _MOST):
        return f"'{context.wanted.text}' alone says too little, and what is there looks otherwise"
    if signs.translated and not (_stands_in_structure(signs) and same_window(context)):
        return f"the place that looks like the target reads '{signs.read}', not '{context.wanted.text}'"
    alone = signs.around.asked >= _ENOUGH and signs.around.none_left and not signs.label and not target.row
    if alone and _is_reordered(signs, context):
        return ""
    moved = signs.around.nearby >= _ENOUGH or (signs.shapes or 0.0) < 0.5
    if alone and moved and not (signs.in_place and signs.likeness >= _UNREAD):
        return "nothing that stood around it is there"
    return ""


def _stands_as_taught(signs: Signs) -> bool:
    """True for what is in its very place among the same controls."""
    return signs.in_place and (signs.shapes or 0.0) >= 0.75


def _of_its_like(signs: Signs, context: Context) -> str:
    """A target that had twins is known by its own row, its label, or its number among as many as there were."""
    around = signs.around
    if 2 * around.row_seen > around.row_asked or signs.label or (signs.numbered and signs.in_place):
        return ""
    if context.other_language and _stands_as_taught(signs):
        return ""
    if not around.asked and signs.shapes is None:  # only a picture can tell
        likeness = surroundings_likeness(signs.box, context)
        if likeness is not None and likeness >= _SAME_AROUND:
            return ""
    if not around.row_asked and signs.in_place and max(around.share, signs.shapes or 0.0) >= 0.75:
        return ""
    return "it is one of several alike, and nothing says that it is the one"


def same_window(context: Context) -> bool:
    """True where the window in front is known, and is one of the taught program."""
    window = context.state.window
    return bool(window and context.target.window_title and related(context.target.window_title, window.title))


def _stands_in_structure(signs: Signs) -> bool:
    """True for what stands among the same controls at the same place, in another language."""
    return bool(signs.kind) and (signs.shapes or 0.0) >= _SAME_STRUCTURE and (signs.in_place or signs.in_line)


def _is_reordered(signs: Signs, context: Context) -> bool:
    """True where its group is there in another order: the same window, the same line, its like around it."""
    if not signs.in_line or signs.around.nearby <= _ENOUGH or not signs.text:
        return False
    same = signs.likeness >= _GOOD or (signs.kind and signs.text >= SAME)
    known = same_window(context) or context.state.window is None
    return bool(same) and known and all(0.9 <= side <= 1.1 for side in context.stretch)


def _is_another_record(signs: Signs, context: Context) -> bool:
    """True where the texts of its own row tell records apart: not in a menu, and not in another language."""
    target = context.target
    if target.row or signs.label or target.role in _OF_NO_RECORD:
        return False
    was, now = signs.around.replaced[0]
    return not mean_the_same(was, now) and not (
        context.other_language and (target.alike < 2 or _stands_as_taught(signs))
    )


def _greyed_out(signs: Signs, context: Context) -> str:
    """A control that is fainter than it was cannot be used now, or lies behind something."""
    look, said = signs.look, signs.element is not None and ElementState.DISABLED in signs.element.states
    if context.target.role == ElementRole.FIELD:
        change = ground_change(signs.box, context)
        grey = change is True or (change is None and said and not (look and look.grey >= _VERY_PICTURE))
        return "it is greyed out" if grey else ""
    if look is not None and look.faded:
        return "it is fainter than it was taught: greyed out, or behind a dialog"
    other_theme = look is not None and not look.by_grey and ground_change(signs.box, context) is None
    same = look is not None and look.contrast >= (_AS_CLEAR_ELSEWHERE if other_theme else _AS_CLEAR)
    return "it is greyed out" if said and not same else ""


def rows(context: Context) -> Rows:
    """Where the texts of the wanted row are; looked for once."""
    found: Rows | None = context.kept.get("rows")
    if found is None:
        found = context.kept["rows"] = rows_of(context)
    return found


def _row_problem(box: Box, context: Context) -> str:
    found = rows(context)
    if found.problem:
        return found.problem
    return "" if found.holds(box, kin_of(context)) else f"it is not in the row of '{', '.join(found.texts)}'"
