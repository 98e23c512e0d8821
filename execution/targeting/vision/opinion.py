"""A vision-language model on the marked picture: its word counts as far as other signs agree (S5.3, S10.5).

The model chooses among the marks of the allowed window and nothing else. Its choice must agree with a second sign, one
that tells a control from another put in its place; a control that now reads otherwise is left to a person.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from execution.perception.marks import SomEngine
from execution.targeting.boxes import same_box
from execution.targeting.comparison import NAMES
from execution.targeting.context import VLM, Context
from execution.targeting.opinions import Opinion
from execution.targeting.reasons import speaks_for
from execution.targeting.signs import Signs
from execution.targeting.vetoes import veto
from execution.targeting.vision.answers import ModelAnswer, read_answer
from execution.targeting.vision.asking import answer_schema, one_line, question
from execution.targeting.vision.candidates import candidates
from execution.targeting.vision.marked import marked_area
from execution.targeting.vision.model import VisionModel, VisionUnavailable
from execution.targeting.weighing import Weighed
from execution.types import Candidate, Element, ResolveStatus, RungResult, ScreenState
from sentences.said import Said, say, then
from workflows.graph import NormBox

_SURE = 0.5  # the model itself says that it guesses below this
_SECOND_SIGN = 0.35  # of text, picture or label
# Of the learned eye. Of 165 redrawn icons of the corpus that no picture agrees with one in six is as like, of what else
# stands on their screens one place in a hundred; at the 0.74 of tools/eye one in twenty-five.
_SEEN_AGAIN = 0.9
_AS_TAUGHT = 0.6  # of what stood around a target that had twins
# What the model's word multiplies the odds of its choice by when it is quite sure, and divides those of the others by.
# Not fitted: there was no model to fit it with. Alone it lifts a place of one chance in fifty to one in four.
_WORD = math.log(16)
_OTHERS = math.log(4)


class VisionAdviser:
    """`som_vlm`. What `hides` tells (fractions of the frame) is painted over before the model sees anything (S10.4)."""

    name = VLM

    def __init__(
        self,
        model: VisionModel,
        *,
        hides: Callable[[ScreenState], Sequence[NormBox]] = lambda state: (),
        engine: SomEngine | None = None,
    ) -> None:
        self._model, self._hides = model, hides
        self._engine = engine or SomEngine()

    def __call__(self, context: Context, weighed: Weighed) -> Opinion:
        """What the model chose among the marked elements, as far as it may count."""
        masks = self._hides(context.state)
        elements = candidates(context, masks=masks)
        if not elements:
            return _refused(say("targeting.nothing_to_mark"))
        shown = marked_area(context.state.frame, context.area, elements, masks=masks, engine=self._engine)
        if not shown.elements:
            return _refused(say("targeting.no_room_for_marks"))
        count = len(shown.elements)
        try:
            asked = question(context, count=count, masks=masks)
            said = self._model.ask(shown.picture, asked, answer_schema(count))
        except VisionUnavailable as error:
            why = error.reason if isinstance(error.reason, Said) else one_line(error.reason, 200)
            return _refused(say("targeting.model_unavailable", reason=why))
        return _of_answer(read_answer(said), shown.elements, weighed, context)


def _of_answer(answer: ModelAnswer, marked: Sequence[Element], weighed: Weighed, context: Context) -> Opinion:
    if answer.several:
        return _several(answer, marked)
    if answer.problem:
        return _refused(answer.problem)
    if answer.mark is None:
        return _refused(say("targeting.model_sees_none", answer=_because(answer)))
    if not 1 <= answer.mark <= len(marked):
        return _refused(say("targeting.model_mark_unknown", mark=answer.mark, marked=len(marked)))
    told = say("targeting.model_chose", mark=answer.mark, answer=_because(answer))
    element = marked[answer.mark - 1]
    number = next((i for i in weighed.judgement.order if same_box(weighed.signs[i].box, element.box)), None)
    if number is None:
        return _refused(say("targeting.model_doubted", told=told, doubt=say("targeting.model_alone")))
    return _agreed(answer, told, number, weighed, context)


def _agreed(answer: ModelAnswer, told: str, number: int, weighed: Weighed, context: Context) -> Opinion:
    """The model's choice against the other signs."""
    signs = weighed.signs[number]
    chosen = Candidate(box=signs.box, score=float(weighed.judgement.chances[number]), text=signs.read)
    if answer.sure < _SURE:
        return _refused(say("targeting.model_unsure", told=told, sure=answer.sure), chosen)
    if against := veto(signs, context):
        return _refused(say("targeting.model_contradicted", told=told, against=against), chosen)
    eye = float(weighed.features[number, NAMES.index("eye")])
    if doubt := _doubt(signs, eye, context):
        note = say("targeting.model_doubted", told=told, doubt=doubt)
        doubted = RungResult(
            rung=VLM, status=ResolveStatus.AMBIGUOUS, score=answer.sure, candidates=(chosen,), note=note
        )
        return Opinion(result=doubted)
    factors = np.full(len(weighed.signs), -_OTHERS * answer.sure)
    factors[number] = _WORD * answer.sure
    note = then([told, *(sentence for _, sentence in speaks_for(signs, context))])
    found = RungResult(rung=VLM, status=ResolveStatus.FOUND, score=answer.sure, candidates=(chosen,), note=note)
    return Opinion(result=found, log_factors=factors)


def _doubt(signs: Signs, eye: float, context: Context) -> str:
    """Why a person must decide between the model and the other signs; "" where they agree.

    `eye` is how like the taught picture the learned eye finds it, NaN where it was not asked.
    """
    if signs.wording is not None and signs.wording.against and signs.read:
        return say("targeting.person_must_say", note=signs.wording.note)
    identity = [signs.wording.score if signs.wording else 0.0, signs.look.score if signs.look else 0.0]
    if max(*identity, float(bool(signs.label))) < _SECOND_SIGN and not eye >= _SEEN_AGAIN:
        return say("targeting.model_alone")
    had_twins = context.target.alike > 1 and not context.target.row
    return say("targeting.twin_taught") if had_twins and (signs.standing or 0.0) < _AS_TAUGHT else ""


def _several(answer: ModelAnswer, marked: Sequence[Element]) -> Opinion:
    named = [marked[number - 1] for number in answer.several if 1 <= number <= len(marked)]
    shown = tuple(Candidate(box=e.box, score=0.0, text=e.text) for e in named[:8])
    if not shown:
        return _refused(say("targeting.model_unknown_marks"))
    if len(named) == len(answer.several) == 1:
        return _refused(say("targeting.model_no_number"))
    note = say("targeting.model_several", numbers=list(answer.several[:8]), answer=_because(answer))
    return Opinion(result=RungResult(rung=VLM, status=ResolveStatus.AMBIGUOUS, candidates=shown, note=note))


def _because(answer: ModelAnswer) -> str:
    return say("targeting.model_because", reason=answer.reason) if answer.reason else ""


def _refused(note: str, *found: Candidate) -> Opinion:
    score = found[0].score if found else None
    return Opinion(
        result=RungResult(rung=VLM, status=ResolveStatus.NOT_FOUND, score=score, candidates=found, note=note)
    )
