"""What shows of an element's state beside others near it: what is disabled is fainter than its like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from execution.perception.elements.found import Found
from execution.perception.elements.inks import chroma, ink_of
from execution.perception.elements.scene import Scene
from execution.types import Box, ElementRole, ElementState

NEAR = 200  # pixels up and down within which others are compared
_FAINT_INK = 0.5  # of the strongest text near: fainter is disabled
_FAINT_LABEL = 0.66
_FAINT_ON_FILL = 135  # levels between a fill and what is written on it; white on any accent has more
_FAINT_BORDER = 0.62  # of the strongest border of its like near
_GREYED = 5  # levels by which a disabled field is greyer than the others
_WITH_STATES = frozenset({ElementRole.BUTTON, ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO})


@dataclass(frozen=True, slots=True)
class _Look:
    """How an element is drawn: levels of its writing and its border over their grounds, its fill (BGR)."""

    found: Found
    ink: float | None
    border: float
    fill: np.ndarray
    lift: float

    @property
    def marked(self) -> bool:
        return ElementState.CHECKED in self.found.element.states


def with_states(scene: Scene, found: Sequence[Found]) -> list[Found]:
    """The same elements; those that look disabled say so."""
    looks = {i: _look(scene, f) for i, f in enumerate(found) if f.frame is not None and f.role in _WITH_STATES}
    made = []
    for index, one in enumerate(found):
        look = looks.get(index)
        if look is not None and _is_disabled(scene, look, [o for i, o in looks.items() if i != index]):
            one = one.with_state(ElementState.DISABLED)
        made.append(one)
    return made


def _look(scene: Scene, found: Found) -> _Look:
    frame = found.frame
    assert frame is not None
    if found.solid:
        inner = frame.inner
        ink = ink_of(scene.pixels, Box(inner.x + 3, inner.y + 3, inner.w - 6, inner.h - 6))
    else:
        ink = scene.inks[found.lines[0]] if found.lines else None
    apart = np.abs(frame.border - frame.outside).max(axis=1)
    lift = float(np.abs(frame.fill - np.median(frame.outside, axis=0)).max())
    return _Look(found, ink.contrast if ink else None, float(np.median(apart)), frame.fill, lift)


def _is_disabled(scene: Scene, look: _Look, others: Sequence[_Look]) -> bool:
    role = look.found.role
    like = [o for o in others if o.found.role == role and _near(o.found.element.box, look.found.element.box)]
    if role == ElementRole.BUTTON:
        return _is_faint_button(scene, look)
    if role == ElementRole.FIELD:
        return _is_faint_field(scene, look, like)
    return _is_faint_choice(scene, look, like)


def _near(one: Box, other: Box) -> bool:
    return abs(one.center.y - other.center.y) <= NEAR


def _strongest_text(scene: Scene, box: Box) -> float:
    """The contrast of the most legible line near."""
    return max(
        (ink.contrast for line, ink in zip(scene.texts, scene.inks, strict=True) if ink and _near(line.box, box)),
        default=0.0,
    )


def _is_faint_button(scene: Scene, look: _Look) -> bool:
    if look.ink is None:
        return False
    if look.lift > 40:
        return look.ink < _FAINT_ON_FILL
    return look.ink < _FAINT_INK * _strongest_text(scene, look.found.element.box)


def _is_faint_field(scene: Scene, look: _Look, like: Sequence[_Look]) -> bool:
    """Greyer than the other fields, or fainter in border and in writing."""
    if any(look.lift > o.lift + _GREYED for o in like) and look.lift < 60 and chroma(look.fill) < 24:
        return not look.found.element.states
    if look.ink is None or not like:
        return False
    faint = look.border < _FAINT_BORDER * max(o.border for o in like)
    return faint and look.ink < _FAINT_INK * _strongest_text(scene, look.found.element.box)


def _is_faint_choice(scene: Scene, look: _Look, like: Sequence[_Look]) -> bool:
    if look.ink is not None and look.ink < _FAINT_LABEL * _strongest_text(scene, look.found.element.box):
        return True
    same = [o for o in like if o.marked == look.marked]
    if look.marked:
        return chroma(look.fill) < 20 < 60 and any(chroma(o.fill) > 60 for o in like)
    return bool(same) and look.border < _FAINT_BORDER * max(o.border for o in same)
