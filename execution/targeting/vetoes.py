"""What a user would say himself against a place, whatever speaks for it; no more than this (S5.3, S9.6).

Another record, greyed out or covered, another program or window, says something else, several things in one. What lies
outside of the window is not even proposed. What is vetoed goes on counting as a rival: its twin does not win by that.
"""

from __future__ import annotations

import re

from execution.language.fuzzy import SAME, find, similarity, words
from execution.language.lexicon import is_known, mean_different, mean_the_same
from execution.language.screen_texts import wanted
from execution.language.whole_values import stands_in
from execution.targeting.boxes import holds_several
from execution.targeting.context import Context
from execution.targeting.contrast import (
    clearness,
    contrasts_like_its_peers,
    is_as_clear_as_taught,
    is_written_clearly,
    is_written_faintly,
)
from execution.targeting.looks import ground_change
from execution.targeting.neighbours import other_label
from execution.targeting.picture_fit import FADED
from execution.targeting.records import goes_on, names_record
from execution.targeting.signs import Signs
from execution.targeting.windows import window_problem
from execution.types import Answer, ElementRole, ElementState
from sentences.said import say
from workflows.text import names

_READ = 0.6  # of a text: what says less of it says something else
_MISREAD = 0.8  # of its letters: of four, one that differs makes another word
_HELD = 0.8
_LEAST_HELD = 3  # letters of what may be a part of the text
_BESIDE = 3  # heights
_POINTS = re.compile(r"\s*(?:\.{2,}|…)\s*$")
_SIGN = re.compile(r"^[^\w\s]{1,2}\s+(?=[^\W\d_])")  # a plus, an arrow: a picture before words, of a number a part
_VERY_PICTURE = 0.98  # of correlation
_SAME_CONTRAST = 0.85  # of the taught contrast
_SAME_CONTRAST_ELSEWHERE = 0.55  # in another theme
_ALIKE = 0.6  # of the look: the same thing, though drawn otherwise
_STANDS = 0.5  # of what stood around it: what has less may be its twin
_STANDS_AS_TAUGHT = 0.75  # of the controls around
# What stands beside them on the page is not their row.
_OF_NO_RECORD = frozenset({ElementRole.MENU_ITEM, ElementRole.TAB})


def veto(signs: Signs, context: Context) -> str:
    """Why this place must not be clicked, in a sentence; "" if nothing is against it."""
    return (
        _several_in_one(signs, context)
        or _says_something_else(signs, context)
        or _another_record(signs, context)
        or out_of_use(signs, context)
        or window_problem(context, signs)
        or _needed_is_missing(signs, context)
    )


def _needed_is_missing(signs: Signs, context: Context) -> str:
    """A sign without which the person who taught the target wants nothing done; what cannot be told is not there."""
    there = {
        "text": signs.text is not None and signs.text >= SAME,
        "picture": signs.look is not None and signs.look.score >= _ALIKE,
        "named_by": signs.label is True,
        "neighbours": signs.around.asked > 0 and signs.around.share >= _STANDS,
        "shapes": signs.shapes is not None and signs.shapes >= _STANDS,
        "number": context.target.alike < 2 or context.follows_record or signs.numbered is True,
    }
    missing = next((name for name in context.target.needed if not there.get(name, True)), "")
    return say("targeting.needed_is_missing", sign=say(f"needed.{missing}")) if missing else ""


def _several_in_one(signs: Signs, context: Context) -> str:
    if signs.in_sight is not None:  # drawn as it was taught: what else is there lies over it
        return ""
    if context.as_list or _its_words_are_clicked(signs, context) or not holds_several(signs.box, context.state):
        return ""
    return say("targeting.holds_several")


def _its_words_are_clicked(signs: Signs, context: Context) -> bool:
    """True where its own text, read whole, lies in the middle; what else a box of the taught size has is beside it.

    Where the taught picture should be there and is not, nobody has seen whether it can be used.
    """
    if not signs.whole or signs.text is None or signs.text < SAME:
        return False
    if not context.is_variable and (signs.look is None or signs.look.score < _ALIKE):
        return False
    found = context.sightings(context.wanted.text, exact=context.wanted.exact)
    return any(s.whole and s.score >= SAME and s.box.contains(signs.box.center) for s in found)


def _says_something_else(signs: Signs, context: Context) -> str:
    """It reads a word that is known to mean something else; what names the run's data must be there to the letter."""
    want, label = context.wanted, context.target.named_by
    if not context.has_own_text:
        named = label is not None and bool(names(label.text))
        beside = signs.label_wording is not None and signs.label_wording.score == 1.0
        if label is not None and named and not (signs.label or beside):
            return say("targeting.label_missing", text=wanted(label.text, context.variables).text)
        if label is not None and signs.label is False and not beside:
            now = other_label(signs.box, context, scale=signs.scale)
            return say("targeting.replaced_beside", was=label.text, now=now) if now else ""
        return ""
    if signs.text is None and (want.exact or names_record(want.text)):
        if signs.in_sight is not None:
            return say("targeting.covered")
        return say("targeting.row_unread")
    if signs.text is None or not any(char.isalnum() for char in want.text):  # a lone sign is an icon that was read
        return ""
    if context.target.role == ElementRole.LINK and _is_in_a_sentence(signs, context):
        return ""
    to_the_letter = want.exact or names_record(want.text)
    if to_the_letter and not _stands_there(want.text, signs.read):
        if signs.read:
            return say("targeting.not_to_the_letter", read=signs.read, wanted=want.text)
        return say("targeting.place_says", said=say("targeting.shows_no_text"), wanted=want.text)
    if signs.text >= SAME:
        more = signs.read and _says_more(signs, context)
        return say("targeting.part_of_longer_text", wanted=want.text, text=signs.read) if more else ""
    wording = signs.wording.score if signs.wording else 0.0
    if signs.read and (_reads_otherwise(signs, wording, context) or mean_different(want.text, signs.read)):
        return say("targeting.place_reads", read=signs.read, wanted=want.text)
    if max(signs.text, wording) < _READ and _stands_elsewhere(signs, context):
        said = say("targeting.reads_otherwise", read=signs.read) if signs.read else say("targeting.shows_no_text")
        return say("targeting.place_says", said=said, wanted=want.text)
    return ""


def _is_in_a_sentence(signs: Signs, context: Context) -> bool:
    """Whether a link's own words are the text to the letter, and no name or number goes on in the sentence it is in."""
    inside = {id(context.scene.words[i]) for i in context.scene.words_in(signs.box)}
    for line in context.scene.lines:
        own = [id(word) in inside for word in line.words]
        if len(inside) == sum(own) and any(own):
            first, last = own.index(True), len(own) - own[::-1].index(True)
            texts = [word.text for word in line.words]
            link = " ".join(texts[first:last])
            return stands_in(context.wanted.text, link) is Answer.YES and not goes_on(texts, first, last)
    return False


def _stands_there(wanted: str, read: str) -> bool:
    """To the letter; points at the end of both are of the caption ("Open…"), and nothing is cut."""
    ends = [_POINTS.search(text) for text in (wanted, read)]
    if all(ends):
        wanted, read = (_POINTS.sub("", text) for text in (wanted, read))
    return stands_in(wanted, read) is Answer.YES


def _says_more(signs: Signs, context: Context) -> bool:
    """True for what holds the text among words that change what it says ("Don't save"), or that may ("Letter for Anna
    Berger") where what stood around it is not there to say that it is the same."""
    if signs.whole or signs.wording is None or context.target.role == ElementRole.FIELD:
        return False
    if len(words(_SIGN.sub("", signs.read)).key) <= len(words(context.wanted.text).key):
        return False  # a tick or an icon that was read as a letter
    return signs.wording.against or (signs.wording.score < _HELD and (signs.standing or 0.0) < _STANDS)


def _reads_otherwise(signs: Signs, wording: float, context: Context) -> bool:
    """True for other words; a shortcut or the end of a caption may have been left out by the reader."""
    want = context.wanted.text
    if signs.held is not None and signs.held < _HELD:  # the rest is read, and is not here
        return True
    is_picture = signs.look is not None and signs.look.grey >= _VERY_PICTURE  # then it was misread
    likeness = similarity(want, signs.read)
    if wording >= _READ or likeness >= (_READ if is_picture else _MISREAD):
        return False
    return len(words(signs.read).key) < _LEAST_HELD or find(signs.read, want) is None


def _stands_elsewhere(signs: Signs, context: Context) -> bool:
    """True where the whole text is read at another place, and there alone; an icon's text may stand beside it."""
    found = context.sightings(context.wanted.text, exact=context.wanted.exact)
    whole = [s.box for s in found if s.whole and s.score >= SAME and context.area.contains(s.box.center)]
    here = signs.box._replace(w=signs.box.w + _BESIDE * signs.box.h)
    return bool(whole) and not any(box.intersection(here).area for box in whole)


def _another_record(signs: Signs, context: Context) -> str:
    """Its own row, or what names its record, is another's."""
    target, around = context.target, signs.around
    if around.required_missing:
        return say("targeting.required_missing", required_missing=around.required_missing)
    if target.row:
        return row_problem(signs, context)
    if target.number_wanted:  # what stands beside it is of another row than the taught one by intent
        return ""
    if context.is_variable:  # its own value tells it from all others
        return ""
    if not context.text_was_read and target.alike > 1 and any(names_record(n.text) for n in target.neighbours):
        return say("targeting.row_unread")
    if 1 <= len(context.peers) < target.alike and (signs.standing or 0.0) < _STANDS:
        return say("targeting.twin_taught")
    if around.replaced and _row_is_anothers(signs, context):
        was, now = around.replaced[0]
        return say("targeting.replaced_beside", was=was, now=now)
    if around.elsewhere and target.alike > 1:
        return say("targeting.row_moved", elsewhere=around.elsewhere)
    if around.other_record and not context.other_language and target.role not in _OF_NO_RECORD:
        was, now = around.other_record
        return say("targeting.replaced_beside", was=was, now=now) if now else say("targeting.row_not_there", text=was)
    return ""


def row_problem(signs: Signs, context: Context) -> str:
    """Why a place is not in the row that the run is about; "" if it is."""
    found = context.wanted_row
    if found.problem:
        return found.problem
    return "" if signs.in_row else say("targeting.outside_row", texts=list(found.texts))


def _row_is_anothers(signs: Signs, context: Context) -> bool:
    """True where the texts of its own row tell records apart: not in a menu, and not in another language."""
    target = context.target
    if signs.label or target.role in _OF_NO_RECORD:
        return False
    was, now = signs.around.replaced[0]
    if target.alike < 2 and signs.whole and (signs.text or 0.0) >= SAME and _only_buttons(signs):
        return False  # what every program has on its buttons names no record
    as_taught = (signs.shapes or 0.0) >= _STANDS_AS_TAUGHT
    return not mean_the_same(was, now) and not (context.other_language and (target.alike < 2 or as_taught))


def _only_buttons(signs: Signs) -> bool:
    """True where every text of its row that was replaced is one that nearly every program has."""
    return all(is_known(was) for was, _ in signs.around.replaced)


def out_of_use(signs: Signs, context: Context) -> str:
    """Something lies over it; or it is fainter than it was: it cannot be used now, or is behind a dialog."""
    if signs.in_sight is not None:
        return "" if signs.in_sight.area else say("targeting.covered")
    look, said = signs.look, signs.element is not None and ElementState.DISABLED in signs.element.states
    if context.target.role == ElementRole.FIELD:
        change = ground_change(signs.box, context)
        in_use = (look and look.grey >= _VERY_PICTURE) or is_written_clearly(signs.box, context)
        return say("targeting.greyed_out") if change is True or (change is None and said and not in_use) else ""
    if context.is_variable:  # the taught picture shows another value
        clear = not said or contrasts_like_its_peers(signs, context) or is_as_clear_as_taught(signs, context)
        return "" if clear else say("targeting.greyed_out")
    clearly = clearness(look, context) if look is not None else 0.0
    if look is not None and look.is_same and clearly < FADED and not is_written_faintly(signs, context):
        return say("targeting.fainter")
    other_theme = look is not None and not look.by_grey and ground_change(signs.box, context) is None
    same = clearly >= (_SAME_CONTRAST_ELSEWHERE if other_theme else _SAME_CONTRAST)
    if not said or same or is_written_faintly(signs, context):
        return ""
    return "" if other_theme and contrasts_like_its_peers(signs, context) else say("targeting.greyed_out")
