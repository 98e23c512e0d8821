"""A vision-language model on the marked picture: its word counts as far as other signs agree (S5.3, S10.5).

The model chooses among the marks of the allowed window and nothing else. Its choice must agree with a second sign, one
that tells a control from another put in its place; a control that now reads otherwise is left to a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from execution.perception.marks import SomEngine
from execution.targeting.context import VLM, Context
from execution.targeting.grounding.answers import ModelAnswer, read_answer
from execution.targeting.grounding.asking import answer_schema, one_line, question
from execution.targeting.grounding.candidates import candidates
from execution.targeting.grounding.judging import Judge, Judged, told_signs
from execution.targeting.grounding.marked import marked_area
from execution.targeting.rungs.marks import MARGIN, lead, stands_as_taught, taught_picture
from execution.targeting.vision import VisionModel, VisionUnavailable
from execution.types import Candidate, Element, ResolveStatus, RungResult, ScreenState
from sentences.said import Said, say, then
from workflows.catalogue import ACTIONS, effect_class_of
from workflows.choices import EffectClass
from workflows.graph import GraphSpec, NormBox

_SURE = 0.5  # the model itself says that it guesses below this
# Of text, picture or label. What the action does to the taught target says nothing of what another control in its place
# would do: a class that may be repeated lowers what is asked, and takes the model's word between twins, no more.
_SECOND_SIGN, _WEAK_SIGN = 0.35, 0.25
_WEIGHT = 0.6  # of what is missing in the other signs' score the model's word may make up for, at most
_REPEATABLE = frozenset({EffectClass.READ, EffectClass.IDEMPOTENT})
_CAUTION = (EffectClass.READ, EffectClass.IDEMPOTENT, EffectClass.OBSERVABLE, EffectClass.OPAQUE)


class VisionRung:
    """`som_vlm`. What `hides` tells (fractions of the frame) is painted over before the model sees anything (S10.4).

    `effect_classes` tells what the action on a target does, by target id; a target that is not in it counts as opaque.
    """

    name = VLM

    def __init__(
        self,
        model: VisionModel,
        *,
        hides: Callable[[ScreenState], Sequence[NormBox]] = lambda state: (),
        effect_classes: Mapping[str, str] | None = None,
        engine: SomEngine | None = None,
    ) -> None:
        self._model, self._hides = model, hides
        self._effect_classes = effect_classes or {}
        self._engine = engine or SomEngine()

    def find(self, context: Context) -> RungResult:
        """The marked element that the model and the other signs agree on."""
        if context.wanted.problem:
            return _refused(context.wanted.problem)
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
        return self._weighed(read_answer(said), shown.elements, elements, context)

    def _weighed(
        self, answer: ModelAnswer, marked: Sequence[Element], elements: Sequence[Element], context: Context
    ) -> RungResult:
        if answer.several:
            return _several(answer, marked)
        if answer.problem:
            return _refused(answer.problem)
        if answer.mark is None:
            return _refused(say("targeting.model_sees_none", answer=_because(answer)))
        if not 1 <= answer.mark <= len(marked):
            return _refused(say("targeting.model_mark_unknown", mark=answer.mark, marked=len(marked)))
        signs = Judge(context, taught_picture(context), renamed=True)
        chosen = signs.judge(marked[answer.mark - 1])
        others = [signs.judge(e) for e in elements if e is not chosen.element]
        return self._agreed(answer, chosen, others, context)

    def _agreed(
        self, answer: ModelAnswer, chosen: Judged, others: Sequence[Judged], context: Context
    ) -> RungResult:  # fmt: skip
        """The model's choice against the other signs."""
        score = 1 - (1 - chosen.weight) * (1 - _WEIGHT * answer.sure)
        candidate = Candidate(box=chosen.element.box, score=score, text=chosen.text)
        told = say("targeting.model_chose", mark=answer.mark, answer=_because(answer))
        if answer.sure < _SURE:
            return _refused(say("targeting.model_unsure", told=told, sure=answer.sure), candidate)
        if chosen.against and not chosen.renamed:
            return _refused(say("targeting.model_contradicted", told=told, against=chosen.against), candidate)
        if doubt := self._doubt(chosen, others, context):
            return RungResult(
                rung=VLM,
                status=ResolveStatus.AMBIGUOUS,
                score=score,
                candidates=(candidate,),
                note=say("targeting.model_doubted", told=told, doubt=doubt),
            )
        if score < context.threshold:
            return _refused(say("targeting.model_too_little", told=told), candidate)
        return RungResult(
            rung=VLM,
            status=ResolveStatus.FOUND,
            score=score,
            candidates=(candidate,),
            note=then([told, told_signs(chosen.signs)]),
        )

    def _doubt(self, chosen: Judged, others: Sequence[Judged], context: Context) -> str:
        """Why a person must decide between the model and the other signs; "" where they agree."""
        repeatable = self._effect_classes.get(context.target.target_id) in _REPEATABLE
        rival = max(others, key=lambda j: j.score, default=None)
        ahead = lead(chosen, rival) if rival else 1.0
        if ahead <= -MARGIN and rival:
            return say("targeting.other_signs_elsewhere", x=rival.element.box.x, y=rival.element.box.y)
        if chosen.renamed and chosen.text:
            return say("targeting.person_must_say", note=chosen.note)
        if chosen.renamed or chosen.identity < (_WEAK_SIGN if repeatable else _SECOND_SIGN):
            return say("targeting.model_alone")
        if context.target.alike > 1 and not context.target.row and not stands_as_taught(chosen):
            return say("targeting.twin_taught")
        twin = rival is not None and rival.score > 0 and ahead < MARGIN
        return say("targeting.alike_in_all") if twin and not repeatable else ""


def effect_classes(graph: GraphSpec) -> dict[str, str]:
    """What the actions on each target do, the most dangerous of them, by target id."""
    found: dict[str, str] = {}
    for edge in graph.edges:
        if edge.target is None:
            continue
        known = edge.action_type in ACTIONS  # a program's own action does nobody knows what
        effect = (
            effect_class_of(edge.action_type, edge.params, edge.effect_class, expects=bool(edge.expect))
            if known
            else EffectClass.OPAQUE
        )
        before = EffectClass(found.get(edge.target.target_id, effect))
        found[edge.target.target_id] = max(effect, before, key=_CAUTION.index).value
    return found


def _several(answer: ModelAnswer, marked: Sequence[Element]) -> RungResult:
    named = [marked[number - 1] for number in answer.several if 1 <= number <= len(marked)]
    shown = tuple(Candidate(box=e.box, score=0.0, text=e.text) for e in named[:8])
    if not shown:
        return _refused(say("targeting.model_unknown_marks"))
    if len(named) == len(answer.several) == 1:
        return _refused(say("targeting.model_no_number"))
    note = say("targeting.model_several", numbers=list(answer.several[:8]), answer=_because(answer))
    return RungResult(rung=VLM, status=ResolveStatus.AMBIGUOUS, candidates=shown, note=note)


def _because(answer: ModelAnswer) -> str:
    return say("targeting.model_because", reason=answer.reason) if answer.reason else ""


def _refused(note: str, *found: Candidate) -> RungResult:
    score = found[0].score if found else None
    return RungResult(rung=VLM, status=ResolveStatus.NOT_FOUND, score=score, candidates=found, note=note)
