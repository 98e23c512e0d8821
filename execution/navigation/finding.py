"""Where on the screen a label is: elements by their role first, then texts; the only one, or none (S5.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from execution.language.fuzzy import SAME
from execution.language.menu_paths import bare_label, likeness
from execution.language.screen_texts import JOINED, WRAPPED, ScreenWords
from execution.perception.ocr.base import in_reading_order
from execution.types import Box, Element, ElementRole, ElementState, ScreenState, TextLine
from sentences.said import say

MENUS = frozenset({ElementRole.MENU_ITEM, ElementRole.TAB})
PRESSED = MENUS | {
    ElementRole.BUTTON,
    ElementRole.LINK,
    ElementRole.CHECKBOX,
    ElementRole.RADIO,
    ElementRole.ICON,
}
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Something on the screen that bears the label; `role` is TEXT for a text alone."""

    box: Box
    text: str
    score: float
    role: ElementRole = ElementRole.TEXT
    states: frozenset[ElementState] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSpot:
    """The one spot, or None and why."""

    spot: Spot | None = None
    why_not: str = ""
    ambiguous: bool = False


def find_label(
    label: str, state: ScreenState, *, new: Collection[Box] = (), in_menu: bool = False, exact: bool = False
) -> FoundSpot:
    """The one thing that bears the label.

    `new` are the boxes of texts that have just appeared: of several, one of those is meant. `in_menu`: the label
    begins a menu path, so that of several, one in a menu bar or among tabs is meant.
    """
    spots = _best_read(list(_spots(label, state, exact=exact)))
    for tier in _tiers(spots, new, in_menu=in_menu):
        if len(tier) == 1:
            return _judged(label, tier[0])
        if tier:
            return FoundSpot(why_not=say("place.several", label=label, count=len(tier)), ambiguous=True)
    return FoundSpot(why_not=say("place.not_seen", label=label))


def what_is_there(state: ScreenState) -> str:
    """The menus and tabs that are there, or else the buttons and links: for people to see what could be meant."""
    for roles, code in ((MENUS, "place.menus_there"), (PRESSED, "place.to_press")):
        named = (TextLine(text=e.text, box=e.box) for e in state.elements if e.role in roles and e.text)
        if names := list(dict.fromkeys(bare_label(line.text)[:40] for line in in_reading_order(named))):
            return say(code, names=[*names[:_MOST_NAMED], *["…"] * (len(names) > _MOST_NAMED)])
    return say("place.nothing_to_press")


def _spots(label: str, state: ScreenState, *, exact: bool) -> Iterator[Spot]:
    pressed = [e for e in state.elements if e.role in PRESSED]
    own: list[Box] = []
    for element in pressed:
        if element.text and (score := likeness(label, element.text, exact=exact)):
            own.append(element.box)
            yield Spot(box=element.box, text=element.text, score=score, role=element.role, states=element.states)
    fields = [e.box for e in state.elements if e.role is ElementRole.FIELD]
    for box, text, score in _texts(label, state, exact=exact):
        if any(b.contains(box.center) for b in (*own, *fields)):
            continue  # counted already; or the content of a field, which leads nowhere
        own.append(box)
        holder = _holder(box, text, pressed)
        if holder is None:
            yield Spot(box=box, text=text, score=score)
        else:
            yield Spot(box=holder.box, text=text, score=score, role=holder.role, states=holder.states)


def _texts(label: str, state: ScreenState, *, exact: bool) -> Iterator[tuple[Box, str, float]]:
    """Lines that are the label, and labels that the reader split or that stand on two lines."""
    for line in state.texts:
        if score := likeness(label, line.text, exact=exact):
            yield line.box, line.text, score
    for seen in ScreenWords.of(state.texts).sightings(label, strict=exact):
        if seen.whole and seen.how in (JOINED, WRAPPED) and seen.score >= SAME:
            yield _upper_line(seen.box, state), seen.line.text, seen.score


def _upper_line(box: Box, state: ScreenState) -> Box:
    """Of a text on several lines the upper one: between two lines of a link nothing is hit."""
    inside = [line.box for line in state.texts if box.contains(line.box.center)]
    upper = min(inside, key=lambda b: b.y, default=box)
    return upper if upper.bottom < box.center.y else box


def _holder(box: Box, text: str, pressed: Iterable[Element]) -> Element | None:
    """The control whose only text it is."""
    around = [e for e in pressed if e.box.contains(box.center) and (not e.text or len(e.text) <= len(text) + 2)]
    return min(around, key=lambda e: e.box.area, default=None)


def _best_read(spots: list[Spot]) -> list[Spot]:
    """Those that read exactly so, where there are any: "Save" beside "Safe" is no twin."""
    return [s for s in spots if s.score == 1.0] or spots


def _tiers(spots: list[Spot], new: Collection[Box], *, in_menu: bool) -> Iterator[list[Spot]]:
    fresh = [s for s in spots if any(s.box.contains(b.center) or b.contains(s.box.center) for b in new)]
    for group in (fresh, spots):
        if in_menu:
            yield [s for s in group if s.role in MENUS]
        yield [s for s in group if s.role in PRESSED]
        yield group


def _judged(label: str, spot: Spot) -> FoundSpot:
    if ElementState.DISABLED in spot.states:
        return FoundSpot(why_not=say("place.greyed_out", label=label))
    return FoundSpot(spot=spot)
