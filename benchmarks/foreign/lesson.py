"""A step as the teach page keeps it of what a teacher shows, and of what the teacher answers where the page asks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import django

from execution.teaching.demonstrations import combined
from execution.types import Box, Point, ScreenState
from tests.execution.perception.drawing import Pictures
from workflows.graph import TargetSpec

django.setup()  # what lessons make are rows

from execution.lesson.screens import Known  # noqa: E402
from execution.lesson.understanding import Answer, Understood, taught, understand  # noqa: E402

_IN_BRACES = re.compile(r"\{(\w+)\}")
_AFTER = " :："  # what follows a label and is none of it


class Told(StrEnum):
    """What a teacher says of a step that tells it from its like."""

    CONSTANT = "constant"
    VARIABLE = "by a variable"
    ROW = "by a label or row"
    NUMBER = "by a number"
    NOTHING = "nothing said"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a teacher would say: what it reads, what stands beside it, which of its like it is; what is data in braces.

    `beside` is what that text says, `beside_reads` the same with its data in braces.
    """

    reads: str = ""
    beside: str = ""
    beside_reads: str = ""
    number: str = ""

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(_IN_BRACES.findall(f"{self.reads} {self.beside_reads} {self.number}"))

    @property
    def told(self) -> Told:
        if self.beside:
            return Told.ROW
        if self.reads:
            return Told.VARIABLE if self.variables else Told.CONSTANT
        return Told.NUMBER if self.number else Told.NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """One time that a step was shown; `box` is drawn around it, `values` are those of the variables then."""

    state: ScreenState
    click: Point
    box: Box | None = None
    hints: Hints = Hints()
    values: Mapping[str, str] = field(default_factory=dict)

    def target(self, store: Pictures) -> TargetSpec:
        """What is kept of it; ValueError where it is no target."""
        said = {name: value for name, value in self.values.items() if name in self.hints.variables}
        known = Known(values=said)
        found = understand(self.state, self.click, known=known, box=self.box)
        answer, variable = answer_of(found, self.hints)
        return taught(found, self.state, store=store, known=known, answer=answer, variable=variable)


def answer_of(found: Understood, hints: Hints) -> tuple[Answer | None, str]:
    """What the teacher answers, and the variable that counts; None where the hints are no answer to what is asked."""
    rows = (_in_row(answer, hints) for answer in found.answers if hints.beside)
    if row := next((answer for answer in rows if answer), None):
        return row, ""
    if hints.number and (number := next((answer for answer in found.answers if answer.number), None)):
        return number, "".join(_IN_BRACES.findall(hints.number))
    return None, ""


def _in_row(answer: Answer, hints: Hints) -> Answer | None:
    """The answer if it is by the text beside, with the variable in its place where it is data."""
    beside, said = hints.beside.rstrip(_AFTER), _IN_BRACES.sub(r"{{\1}}", hints.beside_reads).rstrip(_AFTER)
    row = tuple(said if text.rstrip(_AFTER) == beside else text for text in answer.row)
    return replace(answer, row=row) if said in row else None


def target_of(demonstrations: Sequence[Demonstration], store: Pictures) -> TargetSpec | ValueError:
    """What was shown first, with all that agrees with it; what does not is a further look, as a coach's correction is.

    The problem where nothing that was shown can be kept.
    """
    looks, problem = list[_Look](), ValueError("It was not shown.")
    for one in demonstrations:
        try:
            target = one.target(store)
        except ValueError as error:
            problem = error
            continue
        if not any(look.takes(target, one.values, store) for look in looks):
            looks.append(_Look([target], [one.values], target))
    if not looks:
        return problem
    also = (replace(look.told, target_id=f"look_{number}") for number, look in enumerate(looks[1:]))
    return replace(looks[0].told, also=tuple(also))


@dataclass(slots=True)
class _Look:
    """Demonstrations that agree, and what they have in common."""

    shown: list[TargetSpec]
    values: list[Mapping[str, str]]
    told: TargetSpec

    def takes(self, target: TargetSpec, values: Mapping[str, str], store: Pictures) -> bool:
        """Whether it is shown here as well; then it counts."""
        shown, known = [*self.shown, target], [*self.values, values]
        try:
            self.told = combined(shown, values=known, pictures=store)
        except ValueError:
            return False
        self.shown, self.values = shown, known
        return True
