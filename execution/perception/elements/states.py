"""What shows of an element's state beside others near it: what is disabled is fainter than its like.

The focus is told right or not at all: only the text cursor shows it on one picture, and only where one field has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from execution.perception.elements.cursor import has_cursor
from execution.perception.elements.found import Found
from execution.perception.elements.frames import along
from execution.perception.elements.inks import chroma, ink_of
from execution.perception.elements.scene import Scene
from execution.types import Box, ElementRole, ElementState

NEAR = 120  # pixels up and down within which others are compared
_FAINT_INK = 0.5  # of the strongest text near: fainter is disabled
_FAINT_LABEL = 0.66
_FAINT_ON_FILL = 0.53  # of what black or white would have on the same fill; white on any accent has more
_FEWEST_ALIKE, _FAINT_ALIKE, _FAINTEST_INK = 2, 0.8, 0.3  # buttons near that are written as faintly, all by the theme
_FAINT_BORDER = 0.62  # of the strongest border of its like near
_PATCH = 40  # levels of a fill that is a patch of colour
_LIT = 30  # chroma of a border that has a colour
_DEEPEST_BORDER = 3  # pixels
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
    def lit(self) -> bool:
        """True for a border of a colour, or one with a ring around it: no disabled field has that."""
        ring = self.found.frame is not None and self.found.frame.ring is not None
        return ring or chroma(self.edge) >= _LIT

    @property
    def marked(self) -> bool:
        return ElementState.CHECKED in self.found.element.states


def with_states(scene: Scene, found: Sequence[Found]) -> list[Found]:
    """The same elements; those that look disabled, focused or current say so."""
    made = list(found)
    places = [i for i, f in enumerate(found) if f.frame is not None and f.role in _WITH_STATES]
    looks = _looks(scene, [found[i] for i in places])
    roles = np.array([look.found.role for look in looks])
    middles = np.array([look.found.element.box.center.y for look in looks])
    for number, (place, look) in enumerate(zip(places, looks, strict=True)):
        alike = np.flatnonzero((roles == look.found.role) & (np.abs(middles - middles[number]) <= NEAR)).tolist()
        for state in _states(scene, look, [looks[i] for i in alike if i != number]):
            made[place] = made[place].with_state(state)
    entered = [i for i in places if found[i].role is ElementRole.FIELD and _holds_cursor(scene, found[i])]
    if len(entered) == 1:
        made[entered[0]] = made[entered[0]].with_state(ElementState.FOCUSED)
    return made


def _holds_cursor(scene: Scene, field: Found) -> bool:
    return field.frame is not None and has_cursor(scene.pixels, _ground(field), text=field.element.text)


def _ground(found: Found) -> Box:
    """What its border leaves. Where a text cursor joins the upper and the lower border of a field nothing has outlined
    that ground."""
    assert found.frame is not None
    box, inner = found.frame.box, found.frame.inner
    if found.role is not ElementRole.FIELD or inner != box or min(box.w, box.h) <= 4 * _DEEPEST_BORDER:
        return inner
    inset = _DEEPEST_BORDER
    return Box(box.x + inset, box.y + inset, box.w - 2 * inset, box.h - 2 * inset)


def _looks(scene: Scene, found: Sequence[Found]) -> list[_Look]:
    frames = [f.frame for f in found if f.frame is not None]
    if not frames:
        return []
    # the first pixel of a border may be a soft edge
    second = np.median(along(scene.pixels, np.array([f.box for f in frames]), inset=1), axis=2)
    border, outside = np.array([f.border for f in frames]), np.array([f.outside for f in frames])
    apart = np.stack([np.median(np.abs(colours - outside).max(axis=2), axis=1) for colours in (border, second)])
    edges = np.median(np.where((apart[1] > apart[0])[:, None, None], second, border), axis=1)
    fills = np.array([f.fill for f in frames])
    inner = [i for i, one in enumerate(found) if _ground(one) != frames[i].inner]
    if inner:
        grounds = np.array([_ground(found[i]) for i in inner])
        fills[inner] = np.median(along(scene.pixels, grounds, inset=0).reshape(len(inner), -1, 3), axis=1)
    lifts = np.abs(fills - np.median(outside, axis=1)).max(axis=1)
    return [
        _Look(
            one, _contrast(scene, one, frames[i].inner), edges[i], float(apart[:, i].max()), fills[i], float(lifts[i])
        )
        for i, one in enumerate(found)
    ]


def _contrast(scene: Scene, found: Found, inner: Box) -> float | None:
    """That of what is written or drawn in it, or of its label."""
    if found.lines:
        ink = scene.inks[found.lines[0]]
    elif found.solid:
        ink = ink_of(scene.pixels, Box(inner.x + 3, inner.y + 3, inner.w - 6, inner.h - 6))
    else:
        ink = None
    return ink.contrast if ink else None


def _states(scene: Scene, look: _Look, like: Sequence[_Look]) -> Iterable[ElementState]:
    role = look.found.role
    if role == ElementRole.BUTTON:
        if _is_current(look, like):
            yield ElementState.CHECKED
        elif _is_faint_button(scene, look, like):
            yield ElementState.DISABLED
    elif role == ElementRole.FIELD:
        if not _is_alone_lit(look, like) and _is_faint_field(scene, look, like):
            yield ElementState.DISABLED
    elif _is_faint_choice(scene, look, like):
        yield ElementState.DISABLED


def _is_current(look: _Look, like: Sequence[_Look]) -> bool:
    """True for the page one is on: the one number on a patch of colour among numbers."""
    if look.lift <= _PATCH or not look.found.element.text.isdigit():
        return False
    numbers = [o for o in like if o.found.element.text.isdigit()]
    return bool(numbers) and all(o.lift <= _PATCH for o in numbers)


def _is_alone_lit(look: _Look, like: Sequence[_Look]) -> bool:
    """True for the one field near whose border has a colour, and that no red."""
    blue, green, red = (float(v) for v in look.edge)
    if chroma(look.edge) < _LIT or red > max(blue, green) + _LIT or not like:
        return False
    return all(chroma(o.edge) < _LIT / 2 for o in like)


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
        return look.ink < _FAINT_ON_FILL * max(float(look.fill.max()), 255 - float(look.fill.min()))
    inks = [o.ink for o in like if o.ink is not None and o.lift <= _PATCH]
    if len(inks) >= _FEWEST_ALIKE and look.ink > _FAINT_ALIKE * max(inks):
        return look.ink < _FAINTEST_INK * _strongest_text(scene, look.found.element.box)  # a theme writes them all so
    return look.ink < _FAINT_INK * _strongest_text(scene, look.found.element.box)


def _is_faint_field(scene: Scene, look: _Look, like: Sequence[_Look]) -> bool:
    """Greyer than the other fields, with nothing in it that is as strong as what is in use: combo boxes are as grey as
    buttons in some themes. Or fainter in border and in writing."""
    if chroma(look.fill) < 24 and any(_middling(look.fill) > _middling(o.fill) + _GREYED for o in like):
        strongest = _strongest_text(scene, look.found.element.box)
        return not look.lit and (look.ink is None or look.ink < _FAINT_LABEL * strongest)
    others = [o.border for o in like if not o.lit]  # the one with the focus is stronger than any in use
    if look.ink is None or not others:
        return False
    faint = look.border < _FAINT_BORDER * max(others)
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
