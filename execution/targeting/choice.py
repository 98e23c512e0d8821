"""One of several places, or the word that nobody can say which: never a guess (S5.3)."""

from __future__ import annotations

from collections.abc import Sequence

from execution.targeting.context import Context
from execution.targeting.looks import surroundings_likeness
from execution.targeting.signs import Signs
from execution.types import Box, Candidate, ResolveStatus, RungResult
from sentences.said import say, then

FOUND, AMBIGUOUS, NOT_FOUND = ResolveStatus.FOUND, ResolveStatus.AMBIGUOUS, ResolveStatus.NOT_FOUND

_STANDS_OUT = 0.2  # of the standing, to the next
_ENOUGH_STANDING = 0.4
_SURE_STANDING = 0.7  # of one that got a twin since
_SAME_STANDING = 0.9  # what stands around both is the same: pictures then differ by the focus, or by a shadow
_HALF = 0.5  # of the standing
_BETTER = 0.12  # of the score
_CONTEXT_LIKE, _CONTEXT_GAP = 0.9, 0.05
_SAME_THING = 0.3  # of the smaller box


def choose(rung: str, proposed: Sequence[Signs], context: Context, *, nothing: str) -> RungResult:
    """The rung's answer out of the places it proposes; `nothing` says that there are none."""
    context.proposed.extend(proposed)
    every = distinct(proposed)
    if not every:
        return RungResult(rung=rung, status=NOT_FOUND, note=nothing)
    able = [s for s in every if not s.against]
    if not able:
        return _refused(rung, every, every[0].against)
    strong = [s for s in able if s.score >= context.threshold and is_supported(s, context)]
    if not strong:
        return _refused(rung, able, _too_little(able[0], context))
    best, why = _of_several(strong, context) if len(strong) > 1 else (strong[0], "")
    if best is None:
        ordered = tuple(candidate(s) for s in strong[:8])
        note = say("targeting.several_places", strong=len(strong), why=why)
        return RungResult(rung=rung, status=AMBIGUOUS, score=strong[0].score, candidates=ordered, note=note)
    if other := _new_twin(best, able, context):
        note = say("targeting.twin_was_added")
        pair = (candidate(best), candidate(other))
        return RungResult(rung=rung, status=AMBIGUOUS, score=best.score, candidates=pair, note=note)
    if context.state.window is None and (other := _fainter_twin(best, every)):
        note = say("targeting.fainter_twin", around=other.around.told)
        pair = (candidate(best), candidate(other))
        return RungResult(rung=rung, status=AMBIGUOUS, score=best.score, candidates=pair, note=note)
    note = then([*best.support, why])
    ordered = (candidate(best), *(candidate(s) for s in every if s is not best))
    return RungResult(rung=rung, status=FOUND, score=best.score, candidates=ordered[:8], note=note)


def _new_twin(best: Signs, able: Sequence[Signs], context: Context) -> Signs | None:
    """Another that reads the same, where there was none like it, and what is around the best does not say that much."""
    is_new = 0 < context.target.alike < len(context.peers)
    if not is_new or best.standing is None or best.standing >= _SURE_STANDING or context.target.row:
        return None
    return next((s for s in able if s is not best and (s.text or 0.0) >= (best.text or 1.0)), None)


def _fainter_twin(best: Signs, every: Sequence[Signs]) -> Signs | None:
    """The same thing among the same things in fainter ink: in a window behind, or greyed out."""
    least = (best.standing or 0.0) - _STANDS_OUT
    others = (s for s in every if s is not best and s.look and s.look.faded and s.standing is not None)
    return next((s for s in others if (s.standing or 0.0) >= least), None)


def distinct(proposed: Sequence[Signs]) -> list[Signs]:
    """The places, best first; of those that are one thing only the best."""
    kept: list[Signs] = []
    for one in sorted(proposed, key=lambda s: (bool(s.against), -s.score, -s.likeness)):
        if not any(same_thing(one.box, other.box) for other in kept):
            kept.append(one)
    return kept


def same_thing(one: Box, other: Box) -> bool:
    """True for boxes that overlap so much that they are of one control."""
    return one.intersection(other).area > _SAME_THING * max(1, min(one.area, other.area))


def candidate(signs: Signs) -> Candidate:
    return Candidate(box=signs.box, score=signs.score, text=signs.read)


def is_supported(signs: Signs, context: Context) -> bool:
    """True where a second sign agrees, if a second one was taught that can be told on this screen (S5.3)."""
    return len(signs.support) >= min(2, _kinds_of_evidence(signs, context))


def _kinds_of_evidence(signs: Signs, context: Context) -> int:
    told = [
        context.has_own_text and context.text_was_read,
        context.template is not None,
        signs.around.asked > 0,
        signs.label is not None,
        signs.shapes is not None,
    ]
    return max(1, sum(told))


def _refused(rung: str, every: Sequence[Signs], note: str) -> RungResult:
    ordered = tuple(candidate(s) for s in every[:8])
    return RungResult(rung=rung, status=NOT_FOUND, score=every[0].score, candidates=ordered, note=note)


def _too_little(signs: Signs, context: Context) -> str:
    told = then(signs.support) or say("targeting.nothing_speaks")
    if signs.score < context.threshold:
        look = say("targeting.look_there", look=signs.look.told) if signs.look else ""
        return then([say("targeting.not_similar", score=signs.score, said=told), look])
    return say("targeting.one_sign_only", said=told)


def _of_several(strong: list[Signs], context: Context) -> tuple[Signs | None, str]:
    """The one that stands where the target stood, by what is around each."""
    if context.target.row:
        return None, say("targeting.row_not_alone")
    ranked = sorted(strong, key=lambda s: -(s.standing or 0.0))
    best, second = ranked[0], ranked[1]
    if best.standing is None:
        by_picture = _by_surroundings_picture(strong, context)
        return by_picture or (None, say("targeting.no_neighbours"))
    if context.target.alike and len(context.peers) > context.target.alike and _is_copy(second):
        return None, say("targeting.copied_with_surroundings")
    apart = best.standing - (second.standing or 0.0)
    if best.standing >= _ENOUGH_STANDING and apart >= _STANDS_OUT and best.score >= second.score - 0.02:
        return best, say("targeting.told_by_neighbours", around=best.around.told)
    by_score = sorted(strong, key=lambda s: -s.score)
    if by_score[0].score - by_score[1].score >= _BETTER and by_score[0] is best:
        return best, say("targeting.others_less_alike")
    same_texts = (second.standing or 0.0) >= _SAME_STANDING
    if not same_texts and (by_picture := _by_surroundings_picture(strong, context)):
        return by_picture
    return None, say("targeting.not_told_apart", around=best.around.told)


def _is_copy(other: Signs) -> bool:
    """True for one whose own row, or most of its surroundings, are those of the target: the whole block was doubled."""
    around = other.around
    return (around.row_asked > 0 and around.row_seen == around.row_asked) or (other.standing or 0.0) >= _HALF


def _by_surroundings_picture(strong: list[Signs], context: Context) -> tuple[Signs, str] | None:
    """The one whose surroundings look as they did when it was taught, if no other's do."""
    if context.around is None or any(s.scale != 1.0 for s in strong):
        return None
    likeness = [(surroundings_likeness(s.box, context) or 0.0, s) for s in strong[:12]]
    likeness.sort(key=lambda pair: -pair[0])
    best, second = likeness[0][0], likeness[1][0]
    if best >= _CONTEXT_LIKE and best - second >= _CONTEXT_GAP:
        return likeness[0][1], say("targeting.told_by_picture", best=best, second=second)
    return None
