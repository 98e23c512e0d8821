"""What shows of an element's state beside others near it: what is disabled is fainter than its like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from execution.perception.elements.found import Found
from execution.perception.elements.frames import Frame, along
from execution.perception.elements.inks import chroma, ink_of
from execution.perception.elements.scene import Scene
from execution.types import Box, ElementRole, ElementState

NEAR = 120  # pixels up and down within which others are compared
_FAINT_INK = 0.5  # of the strongest text near: fainter is disabled
_FAINT_LABEL = 0.66
_FAINT_ON_FILL = 135  # levels between a fill and what is written on it; white on any accent has more
_FAINT_BORDER = 0.62  # of the strongest border of its like near
_PATCH = 40  # levels of a fill that is a patch of colour
_LIT = 30  # chroma of the border of a field that has the focus
_GREYED = 5  # levels by which a disabled field is greyer than the others
_WITH_STATES = frozenset({ElementRole.BUTTON, ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO})


@dataclass(frozen=True, slots=True)
class _Look:
    """How an element is drawn: levels of its writing and its border over their grounds, and colours (BGR).

    `edge` is the colour of the border, `lift` the levels of the fill over what lies around.
    """

    found: Found
    ink: float | None
    edge: np.ndarray
    border: float
    fill: np.ndarray
    lift: float

    @property
    def marked(self) -> bool:
        return ElementState.CHECKED in self.found.element.states


def with_states(scene: Scene, found: Sequence[Found]) -> list[Found]:
    """The same elements; those that look disabled, focused or current say so."""
    looks = {i: _look(scene, f) for i, f in enumerate(found) if f.frame is not None and f.role in _WITH_STATES}
    made = []
    for index, one in enumerate(found):
        look = looks.get(index)
        states = _states(scene, look, [o for i, o in looks.items() if i != index]) if look is not None else ()
        for state in states:
            one = one.with_state(state)
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
    edge, apart = _border(scene, frame)
    lift = float(np.abs(frame.fill - np.median(frame.outside, axis=0)).max())
    return _Look(found, ink.contrast if ink else None, edge, apart, frame.fill, lift)


def _border(scene: Scene, frame: Frame) -> tuple[np.ndarray, float]:
    """The colour of the border and how far it is from what lies around: its first pixel may be a soft edge."""
    second = np.median(along(scene.pixels, np.array([frame.box]), inset=1)[0], axis=1)
    apart = [np.median(np.abs(colours - frame.outside).max(axis=1)) for colours in (frame.border, second)]
    colour = (frame.border, second)[int(apart[1] > apart[0])]
    return np.median(colour, axis=0), float(max(apart))


def _states(scene: Scene, look: _Look, others: Sequence[_Look]) -> Iterable[ElementState]:
    box, role = look.found.element.box, look.found.role
    like = [o for o in others if o.found.role == role and _near(o.found.element.box, box)]
    if role == ElementRole.BUTTON:
        if _is_current(look, like):
            yield ElementState.CHECKED
        elif _is_faint_button(scene, look, like):
            yield ElementState.DISABLED
    elif role == ElementRole.FIELD:
        if _is_lit(look, like):
            yield ElementState.FOCUSED
        elif _is_faint_field(scene, look, like):
            yield ElementState.DISABLED
    elif _is_faint_choice(scene, look, like):
        yield ElementState.DISABLED


def _is_current(look: _Look, like: Sequence[_Look]) -> bool:
    """True for the page one is on: the one number on a patch of colour among numbers."""
    numbers = [o for o in like if o.found.element.text.isdigit()]
    if not look.found.element.text.isdigit() or not numbers or look.lift <= _PATCH:
        return False
    return all(o.lift <= _PATCH for o in numbers)


def _is_lit(look: _Look, like: Sequence[_Look]) -> bool:
    """True for the one field near whose border has a colour; red says that its value is wrong."""
    blue, green, red = (float(v) for v in look.edge)
    if chroma(look.edge) < _LIT or red > max(blue, green) + _LIT or not like:
        return False
    return all(chroma(o.edge) < _LIT / 2 for o in like)


def _near(one: Box, other: Box) -> bool:
    return abs(one.center.y - other.center.y) <= NEAR


def _strongest_text(scene: Scene, box: Box) -> float:
    """The contrast of the most legible line near."""
    near = scene.near(box, up=NEAR)
    return float(scene.contrasts[near].max()) if near else 0.0


def _is_faint_button(scene: Scene, look: _Look, like: Sequence[_Look]) -> bool:
    """A button that comes many times with one text is drawn that way: they are not all disabled."""
    if look.ink is None:
        return False
    text = look.found.element.text
    if text and sum(o.found.element.text == text for o in like) >= 2:
        return False
    if look.lift > _PATCH:
        return look.ink < _FAINT_ON_FILL
    return look.ink < _FAINT_INK * _strongest_text(scene, look.found.element.box)


def _is_faint_field(scene: Scene, look: _Look, like: Sequence[_Look]) -> bool:
    """Greyer than the other fields, or fainter in border and in writing."""
    if chroma(look.fill) < 24 and any(_middling(look.fill) > _middling(o.fill) + _GREYED for o in like):
        return ElementState.FOCUSED not in look.found.element.states
    if look.ink is None or not like:
        return False
    faint = look.border < _FAINT_BORDER * max(o.border for o in like)
    return faint and look.ink < _FAINT_INK * _strongest_text(scene, look.found.element.box)


def _middling(colour: np.ndarray) -> float:
    """How near a colour is to the middle grey: -128 to 0."""
    return -abs(float(colour.mean()) - 128)


def _is_faint_choice(scene: Scene, look: _Look, like: Sequence[_Look]) -> bool:
    if look.ink is not None and look.ink < _FAINT_LABEL * _strongest_text(scene, look.found.element.box):
        return True
    same = [o for o in like if o.marked == look.marked]
    if look.marked:
        return chroma(look.fill) < 20 < 60 and any(chroma(o.fill) > 60 for o in like)
    return bool(same) and look.border < _FAINT_BORDER * max(o.border for o in same)
