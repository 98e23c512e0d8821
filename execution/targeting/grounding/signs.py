"""The signs that speak for an element being the target, and what contradicts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from execution.targeting.boxes import text_lines_in
from execution.targeting.context import Context
from execution.targeting.grounding import wording
from execution.targeting.grounding.likeness import TaughtPicture
from execution.targeting.neighbours import Surroundings, label_in_place, surroundings
from execution.targeting.rows import Rows, rows_of
from execution.types import Box, Element, ElementRole, ElementState, Size
from workflows.graph import ShapeSpec

_SLACK = (10, 8)  # pixels, across and down
_SLACK_FAR = 0.08  # and so much of the distance
_SIDE = 1.4  # an element may be so much longer or shorter than the taught one and still be it
_FAR = 0.3  # of the window: from here on the place says nothing
_BESIDE = 2.0  # heights of a check box to the text at its right

_NAMED = 0.85
_AMONG_LABELS = 0.8  # of a field, which has no text of its own, between the labels that were around it
_TELLS_NOTHING = 0.2

_HOLDS_CONTENT = frozenset({ElementRole.FIELD})
_NAMED_BY_LABEL = frozenset({ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO})
_PRESSED = frozenset({ElementRole.BUTTON, ElementRole.LINK, ElementRole.ICON, ElementRole.TAB, ElementRole.MENU_ITEM})
_CHOSEN = frozenset({ElementRole.CHECKBOX, ElementRole.RADIO, ElementRole.ICON})

_TELLING = ("text", "picture", "named", "embedding")
# What each sign weighs among those that do not tell one control from another put in its place.
_WEIGHTS = {"role": 0.2, "size": 0.1, "neighbours": 0.3, "shapes": 0.25, "place": 0.15}
# The score grows by up to so much of what is missing where they all agree, and falls by up to so much where none does.
_LIFT, _PULL = 0.6, 0.4
_SECOND = 0.3  # weight of a second sign that tells one control from another: text and picture agree


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An element with its signs, each 0 to 1. `against` says why it is not the target, "" if nothing does.

    `renamed`: nothing is against it but a text that has no word of the taught one; nobody knows what it says.
    `identity` is the best of the signs that tell one control from another put in its place: its text, its picture, the
    label that names it. `support` is the weighted mean of the others, `surrounded` that without the place.
    """

    element: Element
    text: str
    identity: float
    support: float
    surrounded: float
    signs: dict[str, float]
    note: str
    against: str = ""
    renamed: bool = False

    @property
    def score(self) -> float:
        """The calibrated score; 0 where anything is against it."""
        return 0.0 if self.against else self.weight

    @property
    def weight(self) -> float:
        """What speaks for it, 0 to 1; where only place, kind and surroundings speak it stays at 0.6 and below."""
        return _weighed(self.identity, self.support)

    @property
    def without_place(self) -> float:
        """The same without its place, which does not tell twins apart: they may have changed places."""
        return 0.0 if self.against else _weighed(self.identity, self.surrounded)


class Signs:
    """Judges the elements of one screen for one target."""

    def __init__(self, context: Context, picture: TaughtPicture | None) -> None:
        self._context, self._picture = context, picture
        self._size = Size(context.taught.w, context.taught.h) if context.target.box else None
        self._rows = rows_of(context) if context.target.row else None
        self._others = [e for e in context.state.elements if e.role is not ElementRole.TEXT]

    def judge(self, element: Element, *, told: Mapping[str, float] | None = None) -> Judged:
        """All that speaks for and against one element; `told` are telling signs that were found elsewhere."""
        text = text_of(element, self._context)
        said = self._wording(element, text)
        against = said.note if said.against else ""
        renamed = said.unknown
        if ElementState.DISABLED in element.states:
            against, renamed = "it is greyed out", False
        elif not against and self._picture and self._picture.is_faded(self._context.state.frame, element.box):
            against, renamed = "it is fainter than it was taught: greyed out, or behind a dialog", False
        signs = {**self._telling(element, said), **(told or {})} if not against or renamed else {}
        identity = max(signs.values(), default=0.0)
        if not against and identity < _TELLS_NOTHING and element.role not in _HOLDS_CONTENT:
            against, renamed = "nothing but its place and its kind speaks for it", not self._context.target.text
        if not against or renamed:
            around, scale = self._around(element.box)
            signs.update(self._supporting(element, around, scale))
            if contradiction := self._contradiction(element.box, around, scale):
                against, renamed = contradiction, False
            if element.role in _HOLDS_CONTENT and around.asked > 1:
                identity = max(identity, _AMONG_LABELS * around.share)
        return Judged(
            element=element,
            text=text,
            identity=identity,
            support=_mean(signs),
            surrounded=_mean({name: value for name, value in signs.items() if name != "place"}),
            signs=signs,
            note=said.note,
            against=against,
            renamed=renamed,
        )

    def _wording(self, element: Element, text: str) -> wording.Wording:
        """A field's content is another one each time; a text in a variable must be that very text anywhere."""
        target, want = self._context.target, self._context.wanted
        if element.role in _HOLDS_CONTENT and not want.exact:
            return wording.Wording(0.0, "a field")
        if not target.text:
            return wording.Wording(0.0, f"reads '{text}'" if text else "without a text")
        if not self._context.text_was_read:
            return wording.Wording(0.0, "not read")
        return wording.compare(want, text)

    def _telling(self, element: Element, said: wording.Wording) -> dict[str, float]:
        """The signs that tell one control from another in its place."""
        signs = {"text": said.score} if self._context.target.text else {}
        if (likeness := self._likeness(element)) is not None:
            signs["picture"] = likeness
        if element.role in _NAMED_BY_LABEL:
            named = [label_in_place(element.box, self._context, scale=s) for s in self._context.scales]
            if any(n is not None for n in named):
                signs["named"] = _NAMED * any(named)
        return signs

    def _likeness(self, element: Element) -> float | None:
        """A field looks like any other field."""
        if self._picture is None or element.role in _HOLDS_CONTENT or self._context.target.role in _HOLDS_CONTENT:
            return None
        return self._picture.likeness(self._context.state.frame, element.box)

    def _around(self, box: Box) -> tuple[Surroundings, float]:
        """What stands around the box at the scale at which most of it does, and that scale."""
        scales = self._context.scales
        found = [(surroundings(box, self._context, scale=scale), scale) for scale in scales]
        return max(found, key=lambda pair: pair[0].seen)

    def _supporting(self, element: Element, around: Surroundings, scale: float) -> dict[str, float]:
        context, target, box = self._context, self._context.target, element.box
        signs = {"place": _place(box, context)}
        if target.role:
            signs["role"] = role_likeness(target.role, element.role)
        if self._size:
            signs["size"] = max(size_likeness(self._size, box, scale=s) for s in {scale, *context.scales})
        if around.asked:
            signs["neighbours"] = around.share
        if target.shapes:
            signs["shapes"] = max(self._shapes_in_place(box, target.shapes, s) for s in {scale, *context.scales})
        return signs

    def _contradiction(self, box: Box, around: Surroundings, scale: float) -> str:
        if around.required_missing:
            return f"'{around.required_missing}' does not stand beside it"
        if around.replaced and not self._context.target.row:
            was, now = around.replaced[0]
            return f"beside it stood '{was}', now it reads '{now}'"
        if self._rows and (why := self._not_in_row(self._rows, box, scale)):
            return why
        return ""

    def _not_in_row(self, rows: Rows, box: Box, scale: float) -> str:
        if rows.problem:
            return rows.problem
        taught = Size(round(box.w / scale), round(box.h / scale))
        others = [e.box for e in self._others if size_likeness(taught, e.box, scale=scale) > 0.5]  # its like, in rows
        return "" if rows.holds(box, others) else f"'{', '.join(rows.texts)}' does not stand in its row"

    def _shapes_in_place(self, box: Box, shapes: Sequence[ShapeSpec], scale: float) -> float:
        """The share of the taught elements around the target that are around the box too, drawn larger or smaller."""
        return sum(self._has(box, shape, scale) for shape in shapes) / len(shapes)

    def _has(self, box: Box, shape: ShapeSpec, scale: float) -> bool:
        wide, high = self._context.stretch
        for other in self._others:
            dx, dy = other.box.center.x - box.center.x, other.box.center.y - box.center.y
            if (
                _near(dx, shape.dx, scale, wide, _SLACK[0])
                and _near(dy, shape.dy, scale, high, _SLACK[1])
                and role_likeness(shape.role, other.role) >= 0.5
                and size_likeness(Size(shape.w, shape.h), other.box, scale=scale) >= 0.3
            ):
                return True
        return False


def text_of(element: Element, context: Context) -> str:
    """What is written on a control, or right of it where it is a box to tick."""
    inside = element.text or " ".join(line.text for line in text_lines_in(element.box, context.state))
    if inside or element.role not in _CHOSEN:
        return inside
    box = element.box
    beside = [
        line
        for line in context.words.lines
        if 0 <= line.box.x - box.right <= _BESIDE * box.h and abs(line.box.center.y - box.center.y) <= box.h / 2
    ]
    return min(beside, key=lambda line: line.box.x).text if beside and element.role is not ElementRole.ICON else ""


def role_likeness(taught: str, now: str) -> float:
    """1 for the same role, less for one that a detector takes for it."""
    if not taught or taught == now:
        return 1.0
    if {taught, now} <= _PRESSED:
        return 0.7
    return 0.5 if {taught, now} <= _CHOSEN else 0.0


def size_likeness(taught: Size, box: Box, *, scale: float = 1.0) -> float:
    """1 for the same height, 0 from 1.8 times; a label that got longer makes its control wider, not higher."""
    high = _ratio(box.h, taught.height * scale)
    wide = _ratio(box.w, taught.width * scale)
    return max(0.0, 1.0 - (high - 1.0) / (2 * (_SIDE - 1.0))) * (1.0 if wide <= _SIDE else 0.7 if wide <= 2.5 else 0.3)


def _place(box: Box, context: Context) -> float:
    """How near to where it was taught, of the window's size; 0.5 where nobody knows."""
    places = context.taught_places()
    if not places:
        return 0.5
    window = context.state.window.box if context.state.window else None
    size = Size(window.w, window.h) if window else context.state.frame.size
    away = min(
        max(abs(box.center.x - p.center.x) / max(1, size.width), abs(box.center.y - p.center.y) / max(1, size.height))
        for p in places
    )
    return max(0.0, 1.0 - away / _FAR)


def _weighed(identity: float, support: float) -> float:
    score = identity + (1 - identity) * _LIFT * support - (1 - support) * _PULL
    return min(1.0, max(0.0, score))


def _mean(signs: dict[str, float]) -> float:
    """The weighted mean of the signs that support; a second telling one may only raise it."""
    asked = {name: weight for name, weight in _WEIGHTS.items() if name in signs}
    whole, reached = sum(asked.values()), sum(weight * signs[name] for name, weight in asked.items())
    second = sorted((signs.get(name, 0.0) for name in _TELLING), reverse=True)[1]
    mean = reached / whole if whole else 0.0
    return max(mean, (reached + _SECOND * second) / (whole + _SECOND))


def _ratio(one: float, other: float) -> float:
    low, high = sorted((max(1.0, one), max(1.0, other)))
    return high / low


def _near(now: int, taught: int, scale: float, stretch: float, slack: int) -> bool:
    """True if an offset is the taught one at this scale, or stretched with its window, or in between."""
    low, high = sorted((taught * scale, taught * stretch))
    room = max(slack * max(1.0, scale), _SLACK_FAR * abs(taught) * scale)
    return low - room <= now <= high + room
