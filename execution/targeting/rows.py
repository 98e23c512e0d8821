"""The row of a table or list that a run is about: the one where its own texts stand, whatever row was taught (S5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from execution.language.fuzzy import SAME
from execution.language.screen_texts import ScreenWords, Sighting, wanted
from execution.language.whole_values import stands_in
from execution.targeting.records import card_of
from execution.types import Answer, Box, ScreenState
from sentences.said import say
from workflows.graph import TargetSpec

_SAME_LINE = 0.75  # of the higher of the two: middles so near are one line
_WRAPPED = 2.2  # heights of a line: a cell of several lines reaches so far from its row's middle
_SAME_COLUMN = 0.6  # of the width
_NEARER = 0.5  # of the way to the next of its kind
_TIE = 3  # pixels
_BELOW_EACH_OTHER = 0.5  # of the width of the narrower
_ALIGNED = 6  # pixels: what is laid out the same way again
_OF_CARD = 4  # heights of a text, from it to others of its card


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedRow:
    """Where each text of the row is read, the exact cells alone if there are any; or why it cannot be looked for."""

    texts: tuple[str, ...]
    places: tuple[tuple[Box, ...], ...]
    lines: tuple[Box, ...] = ()
    problem: str = ""
    state: ScreenState | None = None

    def holds(self, box: Box, others: Sequence[Box] = ()) -> bool:
        """True if every text stands in the row of `box`, or in its card; `others` are things of its kind."""
        card = card_of(box, self.state) if self.state is not None else None
        return all(
            any(
                (card is not None and card.contains(place.center)) or self._in_row(box, place, others)
                for place in places
            )
            for places in self.places
        )

    def _in_row(self, box: Box, text: Box, others: Sequence[Box]) -> bool:
        """True for what stands on one line, and nothing of the text's column is nearer: that would be another row."""
        return (
            _in_row(box, text, others)
            and not any(
                abs(line.center.y - box.center.y) < abs(text.center.y - box.center.y) - _TIE and _in_column(line, text)
                for line in self.lines
            )
            and not self._is_of_one_beside(box, text, others)
        )

    def _is_of_one_beside(self, box: Box, text: Box, others: Sequence[Box]) -> bool:
        """True where cards stand side by side, and the text is another one's.

        Whose it is, is told by all of them being laid out alike: each has a text about there where this one has it. In
        a row of a table, which is one record, both are on one line.
        """
        if abs(box.center.y - text.center.y) <= _SAME_LINE * text.h:
            return False
        beside = [
            o.center.x
            for o in others
            if abs(o.center.y - box.center.y) <= _SAME_LINE * box.h
            and not (o.contains(box.center) or box.contains(o.center))
        ]
        near = [one.x for one in self.lines if abs(one.center.y - text.center.y) <= _OF_CARD * text.h]

        def owns(card: int) -> bool:
            steps = [other - card for other in (box.center.x, *beside) if other != card]
            if not steps or abs(card - text.center.x) >= min(abs(step) for step in steps):
                return False
            return all(any(abs(x - text.x - step) <= _ALIGNED for x in near) for step in steps)

        owners = {card for card in (box.center.x, *beside) if owns(card)}
        return len(owners) == 1 and box.center.x not in owners


class Read(Protocol):
    """What was read of a screen, and the row that is looked for on it."""

    @property
    def target(self) -> TargetSpec: ...

    @property
    def variables(self) -> Mapping[str, str]: ...

    @property
    def state(self) -> ScreenState: ...

    @property
    def words(self) -> ScreenWords: ...

    @property
    def text_was_read(self) -> bool: ...

    @property
    def area(self) -> Box: ...


def wanted_row(seen: Read) -> WantedRow:
    """The target's row in this run."""
    texts, places = [], []
    for template in seen.target.row:
        want = wanted(template, seen.variables)
        if want.problem:
            return WantedRow(texts=(), places=(), problem=want.problem)
        texts.append(want.text)
        found = tuple(s.box for s in _cells(want.text, seen, exact=want.exact))
        if not found:
            said = say("targeting.row_not_there", text=want.text) if seen.text_was_read else say("targeting.row_unread")
            return WantedRow(texts=tuple(texts), places=(), problem=said)
        places.append(found)
    lines = tuple(line.box for line in seen.words.lines if seen.area.contains(line.box.center))
    return WantedRow(texts=tuple(texts), places=tuple(places), lines=lines, state=seen.state)


def _cells(text: str, seen: Read, *, exact: bool) -> list[Sighting]:
    """The cells that are the text; where there are none, those that hold it among other words, whole (S9.6)."""
    found = list(seen.words.whole_lines(text, minimum=SAME, strict=exact))
    found = found or list(seen.words.inside_lines(text, minimum=SAME, strict=exact))
    return [s for s in found if seen.area.contains(s.box.center) and stands_in(text, s.line.text) is Answer.YES]


def _in_column(one: Box, other: Box) -> bool:
    """True for texts that stand below each other."""
    return min(one.right, other.right) - max(one.x, other.x) > _BELOW_EACH_OTHER * min(one.w, other.w)


def _in_row(box: Box, text: Box, others: Sequence[Box]) -> bool:
    """True for what stands on one line; or, where lines wrap, for the nearest of its kind."""
    apart = abs(box.center.y - text.center.y)
    column = [o for o in others if abs(o.center.x - box.center.x) <= _SAME_COLUMN * max(o.w, box.w)]
    steps = (abs(o.center.y - box.center.y) for o in column)
    pitch = min((step for step in steps if step > _SAME_LINE * box.h), default=None)
    if pitch is not None and apart >= _NEARER * pitch:
        return False
    if apart <= _SAME_LINE * max(min(box.h, 3 * text.h), text.h):
        return True
    return pitch is not None and apart <= _WRAPPED * text.h
