"""Where a taught target is on the present screen, or why nobody can say (S5.3).

The rungs are asked from the cheapest on. What one finds must not be contradicted by another: a place that looks right
and reads otherwise, or has nothing around it that stood around the target, is not the target.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from execution.language.screen_texts import ScreenWords
from execution.perception.pictures import PictureSource
from execution.targeting.boxes import point_in
from execution.targeting.choice import choose, is_supported, same_thing
from execution.targeting.context import Context
from execution.targeting.correction import resolve_correction
from execution.targeting.examination import signs_of
from execution.targeting.objections import row_problem
from execution.targeting.places import PlaceStore
from execution.targeting.rungs import anchor, cache, text
from execution.targeting.signs import Signs
from execution.targeting.windows import another_program, window_problem
from execution.types import Box, Candidate, Resolution, ResolveStatus, RungResult, ScreenState
from sentences.said import say, then
from workflows.graph import TargetSpec

__all__ = ["Rung", "TargetResolver", "resolve_correction"]

FOUND, AMBIGUOUS, NOT_FOUND = ResolveStatus.FOUND, ResolveStatus.AMBIGUOUS, ResolveStatus.NOT_FOUND

_SURELY_IT = 0.9  # of correlation: the picture is there, whatever its contrast
_LEAST_LEAD = 0.1  # of the standing: less does not support a choice among twins

Rung = Callable[[Context], RungResult]


class TargetResolver:
    """Finds targets.

    `similarity_threshold` is the score, 0 to 1, below which a rung has not found; `places` remembers where targets
    were; `further` are the rungs to ask, in this order, where picture and text do not settle it.
    """

    def __init__(
        self,
        *,
        pictures: PictureSource,
        similarity_threshold: float = 0.75,
        places: PlaceStore | None = None,
        further: Sequence[Rung] = (),
    ) -> None:
        self.pictures = pictures
        self.similarity_threshold = similarity_threshold
        self.places = places
        self.further = tuple(further)

    def resolve(
        self, target: TargetSpec, state: ScreenState, *, variables: Mapping[str, str], workflow_id: str = ""
    ) -> Resolution:
        """The target's place with the evidence for it; `box` and `point` are None unless it was found."""
        started = time.perf_counter()
        resolution = self._resolved(self._context(target, state, variables, workflow_id))
        return replace(resolution, resolve_ms=(time.perf_counter() - started) * 1000)

    def row_problem(self, target: TargetSpec, box: Box, state: ScreenState, *, variables: Mapping[str, str]) -> str:
        """Why a place is not surely in the row that the target must be in; "" if it is, or no row is told."""
        return row_problem(box, self._context(target, state, variables)) if target.row else ""

    def _context(
        self, target: TargetSpec, state: ScreenState, variables: Mapping[str, str], workflow_id: str = ""
    ) -> Context:
        return Context(
            target=target,
            state=state,
            variables=variables,
            pictures=self.pictures,
            threshold=self.similarity_threshold,
            words=ScreenWords(state.texts),
            workflow_id=workflow_id,
            places=self.places,
        )

    def _resolved(self, context: Context) -> Resolution:
        target = context.target
        if not (target.picture or target.text or target.named_by):
            return _refused(NOT_FOUND, (), say("targeting.nothing_taught"))
        if problem := another_program(context):
            return _refused(NOT_FOUND, (), problem)
        evidence = [cache.find(context)]
        if evidence[0].status is FOUND:
            return _answer(context, evidence[0], evidence)
        evidence += [anchor.find(context), text.find(context)]
        found = _agreed(context, evidence)
        if found.status is FOUND:
            return found
        for rung in self.further:
            evidence.append(rung(context))
            if evidence[-1].status is FOUND:
                checked = _cross_checked(context, evidence[-1], evidence)
                if found.status is NOT_FOUND or (checked.status is FOUND and _tells(checked, found, context)):
                    found = checked
                if found.status is FOUND:
                    break
        return replace(found, evidence=tuple(evidence))


def _agreed(context: Context, evidence: Sequence[RungResult]) -> Resolution:
    """One answer out of what picture and text say: where they differ, all their places are weighed together."""
    by_picture, by_text = evidence[-2:]
    found = [r for r in (by_picture, by_text) if r.status is FOUND]
    unsure = [r for r in (by_picture, by_text) if r.status is AMBIGUOUS]
    if len(found) == 2 and same_thing(found[0].candidates[0].box, found[1].candidates[0].box):
        return _answer(context, found[0], evidence)
    if len(found) + len(unsure) == 2:
        return _together(context, found, unsure, evidence)
    if found:
        if problem := _contradicted(found[0], context):
            return _refused(NOT_FOUND, evidence, problem)
        return _answer(context, found[0], evidence)
    if unsure:
        return _refused(AMBIGUOUS, evidence, unsure[0].note)
    notes = [r.note for r in evidence[-2:] if r.status is NOT_FOUND and r.note]
    return _refused(NOT_FOUND, evidence, then(dict.fromkeys(notes)))


def _contradicted(rung: RungResult, context: Context) -> str:
    """Why the very place that a rung has found cannot be used, by another rung's look at it: it is fainter."""
    box = rung.candidates[0].box
    seen = [s for s in context.proposed if same_thing(s.box, box) and s.against and s.look and s.look.faded]
    return next((s.against for s in seen if s.look and s.look.grey >= _SURELY_IT), "")


def _together(
    context: Context, found: list[RungResult], unsure: list[RungResult], evidence: Sequence[RungResult]
) -> Resolution:
    """Picture and text propose different places: one of all, or none."""
    joint = choose(found[0].rung if found else "", context.proposed, context, nothing="")
    if joint.status is FOUND:
        rung = next((r for r in found if same_thing(r.candidates[0].box, joint.candidates[0].box)), None)
        if rung is not None:
            return _answer(context, replace(rung, candidates=joint.candidates, score=joint.score), evidence)
    message = unsure[0].note if unsure else say("targeting.two_places")
    return _refused(AMBIGUOUS, evidence, message)


def _cross_checked(context: Context, rung: RungResult, evidence: Sequence[RungResult]) -> Resolution:
    """What a further rung found, if nothing contradicts it and a second sign agrees (S5.3)."""
    signs = signs_of(rung.candidates[0].box, context)
    if problem := signs.against or _contradicted(rung, context):
        return _refused(NOT_FOUND, evidence, problem)
    if any(r.status is FOUND and same_thing(r.candidates[0].box, signs.box) for r in evidence[:-1]):
        return _refused(NOT_FOUND, evidence, say("targeting.refused_before"))
    if not is_supported(signs, context):
        return _refused(NOT_FOUND, evidence, say("targeting.no_second_sign", note=rung.note))
    return _answer(context, rung, evidence)


def _tells(checked: Resolution, unsure: Resolution, context: Context) -> bool:
    """True if more than a rung's word speaks for its choice among twins: what stands around it does, a little."""
    assert checked.box is not None
    if context.target.alike and len(context.peers) > context.target.alike:
        return False  # a twin was added
    places = [c.box for r in unsure.evidence if r.status is AMBIGUOUS for c in r.candidates]
    others = [signs_of(box, context) for box in places if not same_thing(box, checked.box)]
    mine = [signs_of(box, context) for box in places if same_thing(box, checked.box)]
    if not mine or not others:
        return False
    best = max(s.standing or 0.0 for s in mine)
    return all(best - (s.standing or 0.0) >= _LEAST_LEAD for s in others if not s.against)


def _answer(context: Context, rung: RungResult, evidence: Sequence[RungResult]) -> Resolution:
    best = rung.candidates[0]
    signs = signs_of(best.box, context)
    if problem := window_problem(context, signs):
        return _refused(NOT_FOUND, evidence, problem)
    box = best.box
    cache.remember(context, box)
    return Resolution(
        status=FOUND,
        box=box,
        point=point_in(box, context.target.click),
        rung=rung.rung,
        score=round(rung.score or 0.0, 4),
        runner_up=rung.candidates[1] if len(rung.candidates) > 1 else None,
        evidence=tuple(evidence),
        message=then([rung.note, _remark(signs, context)]),
    )


def _remark(signs: Signs, context: Context) -> str:
    unread = context.has_own_text and signs.text is None
    return say("targeting.unconfirmed") if unread else ""


def _refused(status: ResolveStatus, evidence: Sequence[RungResult], message: str) -> Resolution:
    every = [c for rung in evidence for c in rung.candidates]
    best: Candidate | None = max(every, key=lambda c: c.score, default=None)
    score = round(best.score, 4) if best and status is AMBIGUOUS else 0.0
    return Resolution(status=status, score=score, runner_up=best, evidence=tuple(evidence), message=message)
