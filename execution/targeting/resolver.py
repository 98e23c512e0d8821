"""Where a taught target is on the present screen, or why nobody can say (S5.3).

All cheap signs propose places; every place is measured, absolutely and beside the others; one fitted judge gives each
its chance, and "none of these" the rest. It acts where the chance suffices for what a wrong click would cost, and
nothing that a user would say himself is against it. Who looks at the whole screen is asked where that is not so.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from execution.language.screen_texts import ScreenWords
from execution.perception.pictures import PictureSource
from execution.targeting import ladder, memory
from execution.targeting.boxes import same_box
from execution.targeting.candidates import Candidate, as_taught
from execution.targeting.context import Context
from execution.targeting.correction import resolve_correction
from execution.targeting.covering import lies_under
from execution.targeting.described import is_described
from execution.targeting.examination import examined
from execution.targeting.further import beside
from execution.targeting.judge import Judge, fitted_judge, needed
from execution.targeting.opinions import Adviser
from execution.targeting.places import PlaceStore
from execution.targeting.reasons import rivals, why_found, why_not, why_several
from execution.targeting.recognised import unrecognised
from execution.targeting.twins import twin_problem
from execution.targeting.vetoes import out_of_use, row_problem, veto
from execution.targeting.weighing import Weighed, weigh
from execution.targeting.windows import another_program
from execution.types import Box, ElementRole, Point, Resolution, ResolveStatus, RungResult, ScreenState
from sentences.said import say, then
from workflows.choices import EffectClass
from workflows.graph import TargetSpec

__all__ = ["TargetResolver", "resolve_correction"]

_LIKELY = 0.5  # of a place's chance: what is against it is told of that one
_CLEAR = 4  # pixels from the edge of what lies over it: so far a window's frame can be taken hold of

FOUND, AMBIGUOUS, NOT_FOUND = ResolveStatus.FOUND, ResolveStatus.AMBIGUOUS, ResolveStatus.NOT_FOUND


class TargetResolver:
    """Finds targets.

    `similarity_threshold` is the chance, 0 to 1, that an act which only reads needs, others need more (`judge.needed`);
    `places` remembers where targets were; `advisers` are asked in this order while no place is sure enough; another
    `judge` than the product's is for measuring it.
    """

    def __init__(
        self,
        *,
        pictures: PictureSource,
        similarity_threshold: float = 0.75,
        places: PlaceStore | None = None,
        advisers: Sequence[Adviser] = (),
        judge: Judge | None = None,
    ) -> None:
        self.pictures = pictures
        self.similarity_threshold = similarity_threshold
        self.places = places
        self.advisers = tuple(advisers)
        self._judge = judge or fitted_judge()

    def resolve(
        self,
        target: TargetSpec,
        state: ScreenState,
        *,
        variables: Mapping[str, str],
        workflow_id: str = "",
        effect: EffectClass = EffectClass.OPAQUE,
        as_list: bool = False,
        goes_on: bool = False,
        for_each: bool = False,
    ) -> Resolution:
        """The target's place with the evidence for it; `box` and `point` are None unless it was found.

        `as_list`: it may be a whole list, or a group, of which a part is to be chosen. `goes_on`: a line of its list
        was done before it, and whoever asks holds the list against what it was then. `for_each`: it is done for each
        line of a list, so that the names around it are another one's each time. A further look of the target is never
        taken where the taught one is found; that they differ is told.
        """
        started = time.perf_counter()
        least = needed(self.similarity_threshold, effect)

        def place(look: TargetSpec, advisers: Sequence[Adviser]) -> Resolution:
            context = self._context(look, state, variables, workflow_id)
            context.as_list, context.goes_on, context.for_each = as_list, goes_on, for_each
            return self._resolved(context, least, advisers)

        is_labelled = target.role == ElementRole.FIELD and target.named_by is not None and bool(target.picture)
        asked_last = bool(target.also) or is_labelled
        resolution = place(target, () if asked_last else self.advisers)
        if is_labelled and resolution.status is NOT_FOUND:
            resolution = _whatever_it_holds(place(replace(target, picture=""), ()), state) or resolution
        if target.also:
            resolution = beside(resolution, {look.target_id: place(look, ()) for look in target.also})
        if asked_last and resolution.status is not FOUND and self.advisers:
            asked = place(target, self.advisers)
            resolution = asked if asked.status is FOUND else resolution
        return replace(resolution, resolve_ms=(time.perf_counter() - started) * 1000)

    def row_problem(self, target: TargetSpec, box: Box, state: ScreenState, *, variables: Mapping[str, str]) -> str:
        """Why a place is not surely in the row that the target must be in; "" if it is, or no row is told."""
        if not target.row:
            return ""
        context = self._context(target, state, variables)
        return row_problem(examined(box, context), context)

    def _context(
        self, target: TargetSpec, state: ScreenState, variables: Mapping[str, str], workflow_id: str = ""
    ) -> Context:
        return Context(
            target=target,
            state=state,
            variables=variables,
            pictures=self.pictures,
            words=ScreenWords.of(state.texts),
            workflow_id=workflow_id,
            places=self.places,
        )

    def _resolved(self, context: Context, least: float, advisers: Sequence[Adviser]) -> Resolution:
        if problem := _unanswerable(context):
            return _of_its_list(Resolution(status=NOT_FOUND, message=problem), context)
        remembered = memory.recall(context)
        weighed, opinions = weigh(context, remembered, judge=self._judge), list[RungResult]()
        chosen = _sure(weighed, context, least)
        for adviser in _asked(advisers, context):
            if chosen is not None:
                break
            opinion = adviser(context, weighed)
            opinions.append(opinion.result)
            if opinion.log_factors is not None:
                log_odds = weighed.judgement.log_odds + opinion.log_factors
                judged = replace(weighed.judgement, log_odds=log_odds, chances=self._judge.chances(log_odds))
                weighed = replace(weighed, judgement=judged)
                chosen = _sure(weighed, context, least)
        remembers = memory.key_of(context) is not None
        evidence = (
            *ladder.told(weighed, context, remembered=remembered, remembers=remembers, chosen=chosen),
            *opinions,
        )
        if chosen is None:
            if remembered is not None:
                memory.forget(context)
            return _of_its_list(_refused(weighed, context, evidence, least), context)
        memory.remember(context, weighed.signs[chosen].box)
        by_opinion = opinions and opinions[-1].status is FOUND
        answer = _answer(weighed, chosen, context, evidence, opinions[-1] if by_opinion else None)
        return _of_its_list(answer, context)


def _whatever_it_holds(resolution: Resolution, state: ScreenState) -> Resolution | None:
    """A field that was found by its label: its picture is another one with the focus, and with what is filled in.

    None unless a field is seen there: what lies over one may leave its label in sight.
    """
    if resolution.status is not FOUND or resolution.box is None:
        return None
    there = any(e.role is ElementRole.FIELD and same_box(e.box, resolution.box) for e in state.elements)
    return resolution if there else None


def _of_its_list(resolution: Resolution, context: Context) -> Resolution:
    """With the list, where one of it is wanted."""
    if not context.target.number_wanted:
        return resolution
    wanted = context.wanted_number
    return replace(resolution, lines=wanted.lines, at_end=wanted.at_end)


def _unanswerable(context: Context) -> str:
    """Why nothing on this screen can be the target."""
    target = context.target
    if not (target.picture or target.text or target.named_by or target.row or target.number_wanted):
        return say("targeting.nothing_taught")
    if context.is_bare:
        return say("targeting.only_its_place")
    if problem := another_program(context):
        return problem
    if context.has_own_text and context.wanted.problem:
        return context.wanted.problem
    return context.wanted_number.problem or (context.wanted_row.problem if target.row else "")


def _asked(advisers: Sequence[Adviser], context: Context) -> Sequence[Adviser]:
    """They know how a thing looks: not which of its list a run wants, nor what a description leaves out."""
    return () if context.target.number_wanted or is_described(context) else advisers


def _sure(weighed: Weighed, context: Context, least: float) -> int | None:
    """The place that is sure enough, if nothing forbids it."""
    if not weighed.candidates:
        return None
    best = weighed.judgement.order[0]
    if weighed.judgement.chances[best] < least or _forbidden(weighed, best, context):
        return None
    return None if twin_problem(weighed, best, context) else best


def _forbidden(weighed: Weighed, best: int, context: Context) -> str:
    """What is against the best place, whatever speaks for it; "" if nothing is."""
    if lies_under(weighed.signs, best, context):
        return say("targeting.lies_under")
    against = veto(weighed.signs[best], context) or unrecognised(weighed, best)
    if against or (box := as_taught(weighed.candidates[best].thing, context)) is None:
        return against
    return out_of_use(examined(box, context), context)


def _answer(
    weighed: Weighed, chosen: int, context: Context, evidence: Sequence[RungResult], opinion: RungResult | None
) -> Resolution:
    order = weighed.judgement.order
    box = weighed.signs[chosen].box
    return Resolution(
        status=FOUND,
        box=box,
        point=_point(weighed.candidates[chosen]),
        rung=opinion.rung if opinion else ladder.rung_of(weighed, chosen, context),
        score=weighed.chance(chosen),
        runner_up=weighed.shown(order[1]) if len(order) > 1 else None,
        evidence=tuple(evidence),
        message=then([opinion.note if opinion else "", why_found(weighed, chosen, context)]),
    )


def _point(found: Candidate) -> Point:
    """Where to click: where it was clicked when it was taught, or else in the middle of what is in sight of it."""
    if found.in_sight is None:
        return found.point
    around = Box(found.point.x - _CLEAR, found.point.y - _CLEAR, 2 * _CLEAR, 2 * _CLEAR)
    return found.point if found.in_sight.intersection(around) == around else found.in_sight.center


def _refused(weighed: Weighed, context: Context, evidence: Sequence[RungResult], least: float) -> Resolution:
    order = weighed.judgement.order
    best = weighed.shown(order[0]) if order else None
    chance = float(weighed.judgement.chances[order[0]]) if order else 0.0
    forbidden = _forbidden(weighed, order[0], context) if order else ""
    twin = twin_problem(weighed, order[0], context) if chance >= least and not forbidden else ""
    if not forbidden and (twin or rivals(weighed, context)):
        status, message = AMBIGUOUS, why_several(weighed, context)
    else:
        status, message = NOT_FOUND, (forbidden if chance >= _LIKELY else "") or why_not(weighed, context)
    score = best.score if best and status is AMBIGUOUS else 0.0
    return Resolution(status=status, score=score, runner_up=best, evidence=tuple(evidence), message=message)
