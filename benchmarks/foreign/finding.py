"""A target looked for as a run does before it clicks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from benchmarks.foreign.scoring import Area, Outcome, of_point
from benchmarks.judging import has_folds, unseen
from execution.perception.pictures import PictureSource
from execution.targeting.judge import Judge, needed
from execution.targeting.resolver import TargetResolver
from execution.types import ScreenState
from sentences.said import told_by
from workflows.choices import EffectClass
from workflows.graph import TargetSpec

LEVELS = {"P 0.90": EffectClass.OBSERVABLE, "P 0.95": EffectClass.OPAQUE}
_LEAST = EffectClass.OBSERVABLE  # of these: its answers are written


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """One case: its name, the groups that it is counted in, the right places, any of which will do, and what is looked
    for on which screen. `family` are those that share what was taught: a fit keeps them apart."""

    name: str
    groups: tuple[str, ...]
    right: tuple[Area, ...]
    family: str
    target: TargetSpec | ValueError
    state: ScreenState
    pictures: PictureSource
    variables: Mapping[str, str] = field(default_factory=dict)


def answers(part: str, questions: Iterable[Question]) -> Iterator[Outcome]:
    """Each by a judge that does not know its family, where there are such; the product's knows them all."""
    for question in questions:
        yield find(question, judge=unseen(part, question.family) if has_folds() else None)


def find(question: Question, *, judge: Judge | None = None) -> Outcome:
    """What becomes of it at each level; of what could not be taught nothing is found."""
    target = question.target
    if isinstance(target, ValueError):
        answer = {"id": question.name, "point": None, "p": 0.0, "said": told_by(target)}
        verdicts = dict.fromkeys(LEVELS, of_point(None, question.right))
        return Outcome(groups=question.groups, verdicts=verdicts, answer=answer)
    resolver = TargetResolver(pictures=question.pictures, judge=judge)
    found = resolver.resolve(target, question.state, variables=question.variables, effect=_LEAST)
    verdicts = {}
    for level, effect in LEVELS.items():  # what is found is sure enough for more by its score alone
        is_sure = found.score >= needed(resolver.similarity_threshold, effect)
        verdicts[level] = of_point(found.point if is_sure else None, question.right)
    answer = {
        "id": question.name,
        "point": list(found.point) if found.point else None,
        "p": found.score or (found.runner_up.score if found.runner_up else 0.0),
        "said": str(found.message),
    }
    return Outcome(groups=question.groups, verdicts=verdicts, answer=answer, ms=found.resolve_ms)
