"""How well elements are found: pairs of what is there and what was said, at an overlap of one half.

Precision, recall and F1 as in the PASCAL VOC detection task (one detection a truth, intersection over union 0.5); text
lines and groups are not counted, for no step acts on them by that role. Besides: fields that are none because they hold
a table, a list or other controls, and how often the focus is told wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.screens.corpus import Screen
from execution.types import Box, Element, ElementRole, ElementState

OVERLAP = 0.5
ROLES = (
    ElementRole.BUTTON, ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO, ElementRole.TAB, ElementRole.LINK,
    ElementRole.ICON,
)  # fmt: skip
STATES = tuple(ElementState)


@dataclass(frozen=True, slots=True)
class Thing:
    """An element of either side, in the words of both."""

    box: Box
    role: str
    states: frozenset[str] = frozenset()


@dataclass(slots=True)
class Count:
    hit: int = 0
    missed: int = 0
    wrong: int = 0

    def add(self, *, hit: int, truth: int, said: int | None) -> None:
        """`said` is None where the truth is not complete: what is not in it may well be there."""
        self.hit += hit
        self.missed += truth - hit
        self.wrong += 0 if said is None else said - hit

    def figures(self) -> dict[str, float]:
        """Precision, recall and F1; all 0 where nothing was hit."""
        said, there = self.hit + self.wrong, self.hit + self.missed
        return {
            "precision": round(self.hit / said, 4) if said else 0.0,
            "recall": round(self.hit / there, 4) if there else 0.0,
            "f1": round(2 * self.hit / (said + there), 4) if said + there else 0.0,
            "truth": there,
            "found": said,
        }


@dataclass(slots=True)
class _Tally:
    roles: dict[str, Count] = field(default_factory=dict)
    overall: Count = field(default_factory=Count)
    boxes: Count = field(default_factory=Count)
    states: dict[str, Count] = field(default_factory=dict)
    same_states: int = 0
    pairs: int = 0


def score(
    screens: Sequence[Screen], detected: Sequence[Iterable[Element]], *, roles: Sequence[str] = ROLES
) -> dict[str, Any]:
    """The figures over all screens together; `detected[i]` is what was found on `screens[i]`.

    `overall` and `roles` count an element where role and box both agree, `boxes` where the box alone does. `states`
    are counted among the elements found: `accuracy` is the share whose set of states is just right.
    """
    if len(screens) != len(detected):
        raise ValueError(f"{len(screens)} screens and {len(detected)} lists of elements: give one list a screen.")
    tally = _Tally(roles={role: Count() for role in roles}, states={state: Count() for state in STATES})
    for screen, elements in zip(screens, detected, strict=True):
        truth = [Thing(e.box, e.role, frozenset(e.states)) for e in screen.elements if e.role in roles]
        said = [Thing(e.box, e.role, frozenset(e.states)) for e in elements if e.role in roles]
        said = [s for s in said if not _of_menu(s, screen)]
        _count(tally, truth, said, complete=screen.complete)
    return {
        "overall": tally.overall.figures(),
        "boxes": tally.boxes.figures(),
        "roles": {str(role): count.figures() for role, count in tally.roles.items()},
        "states": {
            "accuracy": round(tally.same_states / tally.pairs, 4) if tally.pairs else 0.0,
            "of": tally.pairs,
            **{str(state): count.figures() for state, count in tally.states.items()},
        },
    }


def _of_menu(thing: Thing, screen: Screen) -> bool:
    """True for the picture of a menu item: items are not counted, and so it is neither wanted nor wrong."""
    return thing.role == ElementRole.ICON and any(
        e.role == ElementRole.MENU_ITEM and e.box.contains(thing.box.center) for e in screen.elements
    )


def held_as_fields(screens: Sequence[Screen], detected: Sequence[Iterable[Element]]) -> list[tuple[str, Box]]:
    """What was called a field although it is none and holds several lines, or a control: name of the screen, box."""
    wrong = []
    for screen, elements in zip(screens, detected, strict=True):
        fields = [e.box for e in screen.elements if e.role == ElementRole.FIELD]
        others = [e.box for e in screen.elements if e.role in ROLES and e.role != ElementRole.ICON]
        for box in (e.box for e in elements if e.role == ElementRole.FIELD):
            if any(box.iou(true) >= OVERLAP for true in fields):
                continue
            lines = sum(box.contains(text.box.center) for text in screen.texts)
            inner = sum(box.contains(other.center) and other.area < 0.8 * box.area for other in others)
            if lines > 1 or inner:
                wrong.append((screen.name, box))
    return wrong


def focus_told(screens: Sequence[Screen], detected: Sequence[Iterable[Element]]) -> Count:
    """How often the focus was told: `hit` on the right element, `missed` left unknown, `wrong` on another one."""
    count = Count()
    for screen, elements in zip(screens, detected, strict=True):
        there = [e.box for e in screen.elements if ElementState.FOCUSED in e.states]
        here = [e.box for e in elements if ElementState.FOCUSED in e.states]
        right = [box for box in here if any(box.iou(true) >= OVERLAP for true in there)]
        count.add(hit=len(right), truth=max(len(there), len(right)), said=len(here))
    return count


def pairs_of(truth: Sequence[Thing], said: Sequence[Thing], *, overlap: float = OVERLAP) -> list[tuple[int, int]]:
    """Indices of truth and said that belong together, the largest overlap first, each used once."""
    rated = [
        (there.box.iou(here.box), i, j)
        for i, there in enumerate(truth)
        for j, here in enumerate(said)
        if there.box.x < here.box.right and here.box.x < there.box.right
    ]
    chosen: list[tuple[int, int]] = []
    used: tuple[set[int], set[int]] = set(), set()
    for shared, i, j in sorted(rated, key=lambda r: (-r[0], r[1], r[2])):
        if shared >= overlap and i not in used[0] and j not in used[1]:
            used[0].add(i)
            used[1].add(j)
            chosen.append((i, j))
    return chosen


def _count(tally: _Tally, truth: list[Thing], said: list[Thing], *, complete: bool) -> None:
    whole = len(pairs_of(truth, said))
    tally.boxes.add(hit=whole, truth=len(truth), said=len(said) if complete else None)
    for role, count in tally.roles.items():
        there, here = [t for t in truth if t.role == role], [s for s in said if s.role == role]
        pairs = pairs_of(there, here)
        for one in (count, tally.overall):
            one.add(hit=len(pairs), truth=len(there), said=len(here) if complete else None)
        for i, j in pairs:
            _count_states(tally, there[i].states, here[j].states)


def _count_states(tally: _Tally, there: frozenset[str], here: frozenset[str]) -> None:
    tally.pairs += 1
    tally.same_states += there == here
    for state, count in tally.states.items():
        count.add(hit=state in there and state in here, truth=state in there, said=state in here)
