"""Which fields of a screen are user name and password, and what sends them: or why it is no login screen (S5.6).

A field is known by its label beside, above or inside it. What could be a page to register or to change a password is
refused: there the password would go where it does not belong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2

from execution.language.login import GO_ON, HIDE, LOG_IN, SIGN_UP, LoginLabel, is_any, label_of
from execution.types import Box, Element, ElementRole, ScreenState, TextLine
from sentences.said import say

_ABOVE = 2.5  # heights of a label: its field begins no farther below it
_BESIDE = 14.0  # heights of a label, from its end to its field
_PRESSED = frozenset({ElementRole.BUTTON, ElementRole.LINK, ElementRole.ICON})
_FLATTEST, _HIGHEST, _NARROWEST = 1.3, 5.0, 4.0  # of a label's height: a field's height and width


class Asks(StrEnum):
    BOTH = "both"
    USER = "user"
    PASSWORD = "password"  # noqa: S105  # nosec B105  no password
    NOTHING = "nothing"  # no login screen
    UNCLEAR = "unclear"  # passwords are asked for, but not, or not only, to log in


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginScreen:
    """What a screen asks for, and where; `why` says what is unclear. `button` None: Return sends it."""

    asks: Asks
    user: Box | None = None
    password: Box | None = None
    button: Box | None = None
    revealed: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    field: Box
    kind: LoginLabel
    distance: float


def read_login(state: ScreenState) -> LoginScreen:
    """What the screen asks for."""
    named = _nearest(list(_named_fields(state)))
    passwords = _fields(named, LoginLabel.PASSWORD)
    if _fields(named, LoginLabel.ANOTHER) or len(passwords) > 1:
        return _unclear(say("login.several_passwords"))
    users = _fields(named, LoginLabel.USER) or (_fields(named, LoginLabel.WEAK_USER) if passwords else [])
    button = _button(state, passwords or users)
    if passwords and len(users) > 1:
        return _unclear(say("login.several_users"))
    if passwords and button is None and _says(state, SIGN_UP):
        return _unclear(say("login.registering"))
    if passwords:
        return LoginScreen(
            asks=Asks.BOTH if users else Asks.PASSWORD,
            user=users[0] if users else None,
            password=passwords[0],
            button=button,
            revealed=_revealed(state, passwords[0]),
        )
    if len(users) == 1 and button is not None and _says(state, LOG_IN):
        return LoginScreen(asks=Asks.USER, user=users[0], button=button)
    return LoginScreen(asks=Asks.NOTHING)


def _unclear(why: str) -> LoginScreen:
    return LoginScreen(asks=Asks.UNCLEAR, why=why)


# --- Fields ----------------------------------------------------------------------------------------------------------
def _named_fields(state: ScreenState) -> Iterator[_Named]:
    """Each label with its field, the nearest one that it can belong to."""
    fields = [e.box for e in state.elements if e.role is ElementRole.FIELD]
    for line, kind in _labels(state):
        apart = [(distance, box) for box in fields if (distance := _distance(line.box, box)) is not None]
        if not apart and (drawn := drawn_field(line.box, state)) is not None:
            apart = [(_distance(line.box, drawn) or 0.0, drawn)]
        if apart:
            distance, box = min(apart)
            yield _Named(field=box, kind=kind, distance=distance)


def _labels(state: ScreenState) -> Iterator[tuple[TextLine, LoginLabel]]:
    buttons = [e.box for e in state.elements if e.role is ElementRole.BUTTON]
    for line in state.texts:
        if (kind := label_of(line.text)) and not any(b.contains(line.box.center) for b in buttons):
            yield line, kind


def _distance(label: Box, field: Box) -> float | None:
    """How far the label is from the field: 0 inside it, None where it cannot be its label."""
    middle = label.center
    if field.x <= middle.x < field.right and field.y - label.h // 2 <= middle.y < field.bottom:
        return 0.0  # inside, or on its upper border
    if abs(middle.y - field.center.y) <= 0.6 * max(label.h, field.h) and field.x >= label.right - 4:
        gap = field.x - label.right
        return gap / 2 if gap <= _BESIDE * label.h else None
    below, over = field.y - label.bottom, label.right > field.x - 8 and label.x < field.right
    return float(max(0, below)) if over and -3 <= below <= _ABOVE * label.h else None


def _nearest(named: Sequence[_Named]) -> list[_Named]:
    """For each field the label nearest to it."""
    best: dict[Box, _Named] = {}
    for one in sorted(named, key=lambda n: n.distance):
        same = next((box for box in best if box.iou(one.field) > 0.5), None)
        if same is None:
            best[one.field] = one
    return list(best.values())


def _fields(named: Sequence[_Named], kind: LoginLabel) -> list[Box]:
    return [n.field for n in named if n.kind is kind]


def drawn_field(label: Box, state: ScreenState) -> Box | None:
    """The frame of a field beside or below a label, from the pixels: one with a thick focus ring is not among the
    elements."""
    reach_x, reach_y = round(30 * label.h), round(_HIGHEST * label.h)
    part = Box(label.x - label.h, label.y - label.h, label.w + reach_x, label.h + reach_y + label.h)
    part = part.intersection(Box(0, 0, *state.frame.size))
    if not part.area:
        return None
    grey = cv2.cvtColor(state.frame.crop(part), cv2.COLOR_BGR2GRAY)
    outlines, _hierarchy = cv2.findContours(cv2.Canny(grey, 20, 60), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    taken = [e.box for e in state.elements if e.role in _PRESSED]
    found = []
    for outline in outlines:
        x, y, w, h = cv2.boundingRect(outline)
        box = Box(part.x + x, part.y + y, w, h)
        shape = _FLATTEST * label.h <= h <= _HIGHEST * label.h and w >= max(_NARROWEST * label.h, 2 * h)
        if shape and not any(box.iou(t) > 0.3 for t in taken) and (apart := _distance(label, box)) is not None:
            found.append((apart, -box.area, box))
    return min(found)[2] if found else None


# --- What sends it ---------------------------------------------------------------------------------------------------
def _button(state: ScreenState, fields: Sequence[Box]) -> Box | None:
    """What sends the fields: said to log in, before said to go on; by a control, before by a text alone."""
    if not fields:
        return None
    lowest = max(f.y for f in fields)
    controls = [e for e in state.elements if e.role in _PRESSED and e.text and e.box.y >= lowest - e.box.h]
    for phrases in (LOG_IN, GO_ON):
        said = [e for e in controls if is_any(e.text, phrases)]
        if said:
            return _first_below(said, lowest)
        lines = [t.box for t in state.texts if t.box.y > max(f.bottom for f in fields) and is_any(t.text, phrases)]
        if len(lines) == 1:
            return lines[0]
    return None


def _first_below(controls: Sequence[Element], lowest: int) -> Box:
    """Buttons before links; of those the nearest to the fields."""
    return min(controls, key=lambda e: (e.role is not ElementRole.BUTTON, abs(e.box.y - lowest))).box


def _says(state: ScreenState, phrases: tuple[str, ...]) -> bool:
    return any(is_any(line.text, phrases) for line in state.texts)


def _revealed(state: ScreenState, password: Box) -> bool:
    """Whether a switch to hide the password stands in or beside its field: then it is shown now."""
    around = password.grown(4, state.frame.size)
    near = Box(around.x, around.y, around.w + 6 * password.h, around.h)
    return any(near.contains(line.box.center) and is_any(line.text, HIDE) for line in state.texts)
