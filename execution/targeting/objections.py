"""What contradicts a place being the target outright, whatever else speaks for it, in a sentence (S5.3)."""

from __future__ import annotations

from execution.language.fuzzy import SAME, words
from execution.language.lexicon import mean_the_same
from execution.language.whole_values import stands_in
from execution.targeting.boxes import holds_several
from execution.targeting.context import Context
from execution.targeting.contrast import contrasts_like_its_peers
from execution.targeting.looks import ground_change, surroundings_likeness
from execution.targeting.records import names_record
from execution.targeting.signs import GOOD, Signs
from execution.targeting.windows import same_window
from execution.types import Answer, Box, ElementRole, ElementState
from sentences.said import say

_ENOUGH = 2  # neighbours that must not all be missing
_UNREAD = 0.85  # a picture that no reading confirms has to fit better: 97 % alike
_VERY_PICTURE = 0.98  # of correlation
_SAME_STRUCTURE = 0.7
_SAME_SHAPES = 0.85  # where texts are too few to tell
_MOST = 0.5  # of the neighbours
_SAME_AROUND = 0.9  # of correlation
_SAME_CONTRAST = 0.85  # of the taught contrast
_SAME_CONTRAST_ELSEWHERE = 0.55  # in another theme
# What stands beside them on the page is not their row.
_OF_NO_RECORD = frozenset({ElementRole.MENU_ITEM, ElementRole.TAB})


def objection(signs: Signs, context: Context) -> str:
    """What contradicts it outright; "" if nothing does."""
    return (
        _of_place_and_text(signs, context)
        or _of_record(signs, context)
        or _of_looks(signs, context)
        or _of_a_moved_place(signs, context)
        or _of_language(signs, context)
        or _of_lost_surroundings(signs, context)
    )


def _of_place_and_text(signs: Signs, context: Context) -> str:
    """Where it lies, and what it says."""
    if not context.area.contains(signs.box.center):
        return say("targeting.outside_window")
    if holds_several(signs.box, context.state):
        return say("targeting.holds_several")
    if context.has_own_text and context.wanted.problem:
        return context.wanted.problem
    if signs.text is not None and signs.text < GOOD:
        said = say("targeting.reads_otherwise", read=signs.read) if signs.read else say("targeting.shows_no_text")
        return say("targeting.place_says", said=said, wanted=context.wanted.text)
    if signs.text is not None and _is_named_otherwise(signs, context):
        return say("targeting.not_to_the_letter", read=signs.read, wanted=context.wanted.text)
    return ""


def _of_record(signs: Signs, context: Context) -> str:
    """Its own row, or what names its record, is another's; a field without its label is anybody's."""
    target = context.target
    if signs.around.required_missing:
        return say("targeting.required_missing", required_missing=signs.around.required_missing)
    if signs.around.replaced and _is_another_record(signs, context):
        was, now = signs.around.replaced[0]
        return say("targeting.replaced_beside", was=was, now=now)
    if signs.around.elsewhere and target.alike > 1 and not target.row:
        return say("targeting.row_moved", elsewhere=signs.around.elsewhere)
    if signs.around.other_record and not target.row and not context.other_language:
        was, now = signs.around.other_record
        return say("targeting.replaced_beside", was=was, now=now)
    if signs.label is False and signs.is_holder and signs.text is None and not context.other_language:
        return say("targeting.label_missing", text=target.named_by.text if target.named_by else "")
    return ""


def _of_looks(signs: Signs, context: Context) -> str:
    """It cannot be used now, or too little is seen of it to tell it from its like."""
    if problem := _greyed_out(signs, context):
        return problem
    if signs.text is None and signs.label is None and signs.look is None:
        return context.template_problem or say("targeting.unknowable")
    if context.has_own_text and signs.text is None and not context.text_was_read and signs.likeness < _UNREAD:
        return say("targeting.picture_too_little")
    if context.target.alike > 1 and not context.target.row and (problem := _of_its_like(signs, context)):
        return problem
    return ""


def _of_a_moved_place(signs: Signs, context: Context) -> str:
    """Without a window that is known, it stands elsewhere among other things."""
    present = signs.around.asked - signs.around.absent
    drawn_larger = signs.scale != 1.0 and (signs.shapes or 0.0) >= _SAME_SHAPES
    few = present >= 3 and 2 * signs.around.seen < present
    if not context.state.window and few and not signs.in_line and not drawn_larger:
        return say("targeting.surroundings_elsewhere")
    moved = not context.state.window and not signs.in_line and signs.scale == 1.0
    elsewhere = moved and signs.around.asked > 0 and signs.around.share < _MOST
    if elsewhere and signs.look and not signs.look.by_grey:
        return say("targeting.looks_otherwise_elsewhere")
    return ""


def _of_language(signs: Signs, context: Context) -> str:
    """Its text says too little, or stands in another language where nothing else tells it."""
    short = signs.text is not None and len(words(context.wanted.text).key) <= 1
    if short and signs.likeness < GOOD and not (signs.kind and signs.around.share >= _MOST):
        return say("targeting.text_too_little", wanted=context.wanted.text)
    if signs.translated and not (_stands_in_structure(signs) and same_window(context)):
        return say("targeting.place_reads", read=signs.read, wanted=context.wanted.text)
    if signs.in_sequence is False and signs.translated and not _stands_as_taught(signs):
        return say("targeting.beside_means_else", read=signs.read, wanted=context.wanted.text)
    return ""


def _of_lost_surroundings(signs: Signs, context: Context) -> str:
    """Nothing of what stood around it is in its place."""
    alone = signs.around.asked >= _ENOUGH and signs.around.none_left and not signs.label and not context.target.row
    if alone and (_is_reordered(signs, context) or _is_in_its_line(signs, context)):
        return ""
    moved = signs.around.nearby >= _ENOUGH or (signs.shapes or 0.0) < 0.5
    by_key = context.other_language and (signs.text or 0.0) >= GOOD and (signs.shapes or 0.0) >= _SAME_SHAPES
    if alone and moved and not by_key and not (signs.in_place and signs.likeness >= _UNREAD):
        return say("targeting.surroundings_gone")
    return ""


def _is_named_otherwise(signs: Signs, context: Context) -> bool:
    """True where the target is a record by its own text, and the text there is not that one to the letter."""
    text = context.wanted.text
    return names_record(text) and stands_in(text, signs.read) is not Answer.YES


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
    return say("targeting.one_of_several")


def _stands_in_structure(signs: Signs) -> bool:
    """True for what stands among the same controls at the same place, in another language."""
    return bool(signs.kind) and (signs.shapes or 0.0) >= _SAME_STRUCTURE and (signs.in_place or signs.in_line)


def _is_in_its_line(signs: Signs, context: Context) -> bool:
    """True for what means the same at the same number of its line, in another language of the same program."""
    return bool(signs.in_sequence and (signs.text or 0.0) >= GOOD) and same_window(context)


def _is_reordered(signs: Signs, context: Context) -> bool:
    """True where its group is there in another order: the same window, the same line, its like around it."""
    if not signs.in_line or signs.around.nearby <= _ENOUGH or not signs.text:
        return False
    same = signs.likeness >= GOOD or (signs.kind and signs.text >= SAME)
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
        return say("targeting.greyed_out") if grey else ""
    if look is not None and look.faded:
        return say("targeting.fainter")
    other_theme = look is not None and not look.by_grey and ground_change(signs.box, context) is None
    same = look is not None and look.contrast >= (_SAME_CONTRAST_ELSEWHERE if other_theme else _SAME_CONTRAST)
    if not said or same:
        return ""
    return "" if other_theme and contrasts_like_its_peers(signs, context) else say("targeting.greyed_out")


def row_problem(box: Box, context: Context) -> str:
    found = context.wanted_row
    if found.problem:
        return found.problem
    return "" if found.holds(box, context.peers) else say("targeting.outside_row", texts=list(found.texts))
