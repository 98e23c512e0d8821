"""An element together with what it was found by, while a picture is being looked through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from execution.perception.elements.frames import BorderedBox
from execution.types import Element, ElementRole, ElementState

SOLID = frozenset({ElementRole.BUTTON, ElementRole.FIELD})


@dataclass(frozen=True, slots=True)
class Found:
    """`frame` is what was drawn around it, if anything; `lines` are the indices of the lines that it has taken.

    `whole` is False for a link within a line that goes on.
    """

    element: Element
    frame: BorderedBox | None = None
    lines: tuple[int, ...] = ()
    whole: bool = True

    @property
    def role(self) -> ElementRole:
        return self.element.role

    @property
    def solid(self) -> bool:
        """True for a button or a field: what lies in it is a part of it."""
        return self.element.role in SOLID

    def with_state(self, state: ElementState) -> Found:
        return replace(self, element=replace(self.element, states=self.element.states | {state}))

    def as_role(self, role: ElementRole, confidence: float) -> Found:
        return replace(self, element=replace(self.element, role=role, confidence=confidence))


def lines_in(found: Iterable[Found]) -> set[int]:
    """The indices of all lines that these have taken."""
    return {index for one in found for index in one.lines}
