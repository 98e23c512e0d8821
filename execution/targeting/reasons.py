"""What speaks for a place and what against it, in words: the signs that weighed most come first (S5.3)."""

from __future__ import annotations

from collections.abc import Iterator

from execution.language.fuzzy import SAME
from execution.targeting.comparison import AROUND, KIND, PICTURE, PLACE, TEXT
from execution.targeting.context import Context
from execution.targeting.signs import Signs
from execution.targeting.weighing import Weighed
from execution.types import ElementRole
from sentences.said import say, then

GOOD = 0.6  # of a sign: it speaks for the place
_SOME = 1 / 3  # of the neighbours
_HALF = 0.5  # of the controls around
_NEAR = 0.9  # of the way to where it was taught
_RATHER = 0.5  # of all chances
EQUAL = 0.05  # of the text and the look: what differs less is told apart by neither
_TWINS = 0.25  # of the best place's chance: a second one so probable is told as one of several


def speaks_for(signs: Signs, context: Context) -> Iterator[tuple[str, str]]:
    """What speaks for a place: (kind of evidence, sentence)."""
    if signs.text is not None and signs.wording is not None and max(signs.text, signs.wording.score) >= GOOD:
        yield TEXT, say("sign.text", read=signs.read) if signs.text >= SAME else signs.wording.note
    if signs.look is not None and signs.look.score >= GOOD and not context.is_variable:
        yield PICTURE, signs.look.told
    if signs.in_sight is not None and signs.in_sight.area:
        yield PICTURE, say("sign.in_sight")
    if signs.around.seen and signs.around.share >= _SOME:
        yield AROUND, signs.around.told
    if signs.label:
        yield AROUND, say("sign.label")
    if (signs.shapes or 0.0) >= _HALF:
        yield AROUND, say("sign.shapes")
    if signs.in_sequence:
        yield AROUND, say("sign.sequence")
    if signs.in_row:
        yield AROUND, say("sign.row")
    if signs.element is not None and signs.element.role == context.target.role:
        yield KIND, say("sign.kind")
    if any(
        abs(signs.box.center.x - p.center.x) + abs(signs.box.center.y - p.center.y) <= 12
        for p in context.taught_places()
    ):
        yield PLACE, say("sign.place")


def speaks_against(signs: Signs, context: Context) -> Iterator[tuple[str, str]]:
    """What speaks against a place, without forbidding it."""
    target = context.target
    if signs.text is not None and signs.wording is not None and max(signs.text, signs.wording.score) < GOOD:
        said = say("targeting.reads_otherwise", read=signs.read) if signs.read else say("targeting.shows_no_text")
        yield TEXT, say("targeting.place_says", said=said, wanted=context.wanted.text)
    if signs.label is False and target.named_by is not None:
        yield AROUND, say("targeting.label_missing", text=target.named_by.text)
    if signs.around.asked and not signs.around.seen:
        yield AROUND, say("targeting.surroundings_gone")
    elif signs.around.asked and signs.around.share < _SOME:
        yield AROUND, signs.around.told
    if signs.look is not None and signs.look.score < GOOD and not context.is_variable:
        yield PICTURE, say("targeting.looks_otherwise", look=signs.look.told)
    elif context.picture_problem and target.picture:
        yield PICTURE, context.picture_problem


def why_found(weighed: Weighed, number: int, context: Context) -> str:
    """What speaks for the place that was found, the weightiest first."""
    unread = context.has_own_text and weighed.signs[number].text is None
    told = _by_weight(speaks_for(weighed.signs[number], context), weighed, number, heaviest=1)
    return then([*told, *([say("targeting.unconfirmed")] if unread else [])])


def why_not(weighed: Weighed, context: Context) -> str:
    """Why no place is sure enough: what is nowhere to be seen, or what the most probable place lacks."""
    if not weighed.candidates or (context.has_own_text and context.wanted.problem):
        return _nothing_there(context)
    signs, want = weighed.signs[weighed.judgement.order[0]], context.wanted
    if context.has_own_text and context.text_was_read:
        found = context.sightings(want.text, exact=want.exact)
        looks_so = signs.look is not None and signs.look.score >= GOOD
        if not any(s.whole for s in found) and not looks_so and not (signs.wording and signs.wording.score >= GOOD):
            return _nothing_there(context)
    return _seen(weighed, context)


def _seen(weighed: Weighed, context: Context) -> str:
    number = weighed.judgement.order[0]
    signs = weighed.signs[number]
    speaking = _by_weight(speaks_for(signs, context), weighed, number, heaviest=1)
    against = _by_weight(speaks_against(signs, context), weighed, number, heaviest=-1)
    said = then(speaking[:2]) or say("targeting.nothing_speaks")
    chance = float(weighed.judgement.chances[number])
    return then([say("targeting.not_similar", score=chance, said=said), *against[:2]])


def why_several(weighed: Weighed, context: Context) -> str:
    """Why nobody can say which of several places it is."""
    order = weighed.judgement.order
    if context.target.row:
        why = say("targeting.row_not_alone")
    elif context.target.alike and len(context.peers) > context.target.alike:
        why = say("targeting.twin_was_added")
    elif weighed.signs[order[0]].standing is None:
        why = say("targeting.no_neighbours")
    else:
        why = say("targeting.not_told_apart", around=weighed.signs[order[0]].around.told)
    return say("targeting.several_places", strong=len(rivals(weighed, context)), why=why)


def rivals(weighed: Weighed, context: Context) -> list[int]:
    """The places of which it is rather one, where there are more: both so probable, or their text and look as good."""
    chances, order = weighed.judgement.chances, weighed.judgement.order
    if not order:
        return []
    likely = [i for i in order if chances[i] >= _TWINS * chances[order[0]]]
    if len(likely) > 1 and float(chances[likely].sum()) >= _RATHER:
        return likely
    if context.target.role == ElementRole.FIELD:  # which all look alike
        return []
    least = max(GOOD, weighed.signs[order[0]].identity - EQUAL)
    equal = [number for number, signs in enumerate(weighed.signs) if signs.identity >= least]
    return equal if len(equal) > 1 else []


def _by_weight(said: Iterator[tuple[str, str]], weighed: Weighed, number: int, *, heaviest: int) -> list[str]:
    """Sentences in the order of what their kind of evidence weighed at that place."""
    weights, kinds = weighed.judgement.weights[number], weighed.judgement.kinds
    return [sentence for _, sentence in sorted(said, key=lambda pair: -heaviest * weights[kinds.index(pair[0])])]


def _nothing_there(context: Context) -> str:
    """What was looked for, and is nowhere."""
    target, want = context.target, context.wanted
    if context.has_own_text and context.text_was_read:
        found = context.sightings(want.text, exact=want.exact)
        if found and not any(s.whole for s in found):
            return say("targeting.part_of_longer_text", wanted=want.text, text=found[0].line.text)
        return say("targeting.text_elsewhere" if found else "targeting.row_not_there", text=want.text)
    if not target.picture:
        return say("targeting.unknowable")
    return context.picture_problem or say("targeting.nothing_alike")
