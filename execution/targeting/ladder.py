"""What each rung of the grounding ladder has to say of the places that were weighed, in the order of S5.3."""

from __future__ import annotations

from collections.abc import Callable

from execution.targeting.candidates import By
from execution.targeting.context import ANCHOR, CACHE, MARKS, TEXT, Context
from execution.targeting.reasons import GOOD
from execution.targeting.signs import Signs
from execution.targeting.weighing import Weighed
from execution.types import Box, Candidate, ResolveStatus, RungResult
from sentences.said import say

FOUND, AMBIGUOUS, NOT_FOUND, NOT_NEEDED = (
    ResolveStatus.FOUND, ResolveStatus.AMBIGUOUS, ResolveStatus.NOT_FOUND, ResolveStatus.NOT_NEEDED,
)  # fmt: skip
_MOST_SHOWN = 8
_TIE = 0.03  # of a sign: places so near are not told apart by it


def rung_of(weighed: Weighed, number: int, context: Context) -> str:
    """The rung of the strongest sign of a place: its being remembered, its text, its picture, or all the rest."""
    if By.REMEMBERED in weighed.candidates[number].by:
        return CACHE
    signs = weighed.signs[number]
    looks = 0.0 if context.is_variable else _by_picture(signs)
    reads = 0.0 if signs.text is None else _by_text(signs)
    if max(looks, reads) < GOOD:
        return MARKS
    return ANCHOR if looks >= reads - _TIE else TEXT


def told(
    weighed: Weighed, context: Context, *, remembered: Box | None, remembers: bool, chosen: int | None
) -> list[RungResult]:
    """One result for each rung that needs no model; `chosen` is the place that was found."""
    return [
        _of_memory(weighed, remembered, remembers, chosen),
        _of_sign(
            ANCHOR, weighed, _by_picture, _of_picture, say("targeting.no_picture") if not context.target.picture else ""
        ),
        _of_sign(
            TEXT,
            weighed,
            _by_text,
            _of_text,
            "" if context.target.text or context.target.named_by else say("targeting.no_text"),
        ),
        _of_sign(
            MARKS, weighed, _by_standing, _of_standing, "" if context.state.elements else say("targeting.no_elements")
        ),
    ]


def _of_memory(weighed: Weighed, remembered: Box | None, remembers: bool, chosen: int | None) -> RungResult:
    if not remembers:
        return RungResult(rung=CACHE, status=NOT_NEEDED, note=say("targeting.nothing_remembered"))
    if remembered is None:
        return RungResult(rung=CACHE, status=NOT_FOUND, note=say("targeting.no_place_remembered"))
    if chosen is not None and By.REMEMBERED in weighed.candidates[chosen].by:
        return RungResult(
            rung=CACHE, status=FOUND, score=weighed.chance(chosen), candidates=(weighed.shown(chosen),),
            note=say("targeting.remembered"),
        )  # fmt: skip
    note = say("targeting.remembered_problem", problem=say("targeting.remembered_too_little"))
    return RungResult(rung=CACHE, status=NOT_FOUND, note=note)


def _of_sign(
    rung: str, weighed: Weighed, by: Callable[[Signs], float], told_of: Callable[[Signs], str], unneeded: str
) -> RungResult:
    """What one sign alone would say; put into words for the place that it says most of."""
    if unneeded:
        return RungResult(rung=rung, status=NOT_NEEDED, note=unneeded)
    scored = sorted(((by(signs), number) for number, signs in enumerate(weighed.signs)), key=lambda s: -s[0])
    good = [one for one in scored if one[0] >= GOOD]
    shown = tuple(
        Candidate(box=weighed.signs[n].box, score=round(score, 4), text=weighed.signs[n].read)
        for score, n in (good or scored[:1])[:_MOST_SHOWN]
        if score > 0
    )
    score = round(scored[0][0], 4) if scored else None
    note = told_of(weighed.signs[scored[0][1]]) if scored else say("targeting.nothing_alike")
    if not good:
        return RungResult(rung=rung, status=NOT_FOUND, score=score, candidates=shown, note=note)
    alone = len(good) == 1 or good[0][0] - good[1][0] > _TIE
    return RungResult(rung=rung, status=FOUND if alone else AMBIGUOUS, score=score, candidates=shown, note=note)


def _by_picture(signs: Signs) -> float:
    return signs.look.score if signs.look else 0.0


def _of_picture(signs: Signs) -> str:
    return signs.look.told if signs.look else say("targeting.nothing_alike")


def _by_text(signs: Signs) -> float:
    if signs.text is None:
        return 1.0 if signs.label else 0.0
    wording = signs.wording
    return max(signs.text if signs.whole else 0.9 * signs.text, wording.score if wording else 0.0)


def _of_text(signs: Signs) -> str:
    if signs.text is None and signs.label:
        return say("sign.label")
    return signs.wording.note if signs.text is not None and signs.wording else say("targeting.not_read")


def _by_standing(signs: Signs) -> float:
    return 0.0 if signs.element is None or signs.standing is None else signs.standing


def _of_standing(signs: Signs) -> str:
    if signs.element is None or signs.standing is None:
        return say("targeting.no_element_fits")
    return signs.around.told if signs.around.asked else say("sign.shapes")
