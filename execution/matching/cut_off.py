"""Whether a text of one screen would stand where nobody can see it on another one: beyond the edge of its window, or
scrolled away.

Told by where the lines around it stand there. Of one that should be in sight and is not, it says nothing.
"""

from __future__ import annotations

from functools import cached_property
from statistics import median

from execution.matching.shown import Shown
from execution.types import Box, TextLine

_NEAREST, _FEWEST = 3, 2  # lines by which it is told where another one would stand
_OVER = 1  # pixel round its letters that every box of a line has: no more, as a stroke of a letter may be two wide


class CutOff:
    """A screen beside what is in sight of another one: the taught picture that it is most like beside the present one,
    or the other way round."""

    def __init__(self, then: Shown, now: Shown) -> None:
        self._then, self._now = then, now

    def hides(self, text: str) -> bool:
        """Whether every place where the one says `text` lies beyond what is in sight of the other."""
        places = self._places(text)
        return bool(places) and all(self._is_beyond(box) for box in places)

    def would_show(self, text: str) -> bool:
        """Whether one of those places is in sight. Where neither is so, nobody knows where it would stand."""
        return any(not self._is_beyond(box) for box in self._places(text))

    @cached_property
    def in_sight(self) -> frozenset[str]:
        """The keys of those lines of the one that are, or would be, in sight of the other; beside its window, too,
        where the one was taken without knowing of any."""
        lines = self._then.once_in_view if self._is_placed else {}
        there = self._now.once
        return frozenset(key for key, line in lines.items() if key in there or not self._is_beyond(line.box))

    @property
    def cuts(self) -> bool:
        """Whether any of them would not."""
        return self._is_placed and len(self.in_sight) < len(self._then.once_in_view)

    def _places(self, text: str) -> list[Box]:
        return [seen.box for seen in self._then.words.sightings(text)] if self._is_placed else []

    @property
    def _is_placed(self) -> bool:
        return len(self._pairs) >= _FEWEST

    @cached_property
    def _pairs(self) -> list[tuple[TextLine, TextLine]]:
        """The lines that stand once on the one and once in the window of the other: there, and here."""
        now = self._now.once_in_view
        return [(line, now[key]) for key, line in self._then.once.items() if key in now]

    def _is_beyond(self, then: Box) -> bool:
        """Whether a line that stood there would not be whole in the window, as the lines around it stand now."""
        near = sorted(self._pairs, key=lambda pair: abs(pair[0].box.center.y - then.center.y))[:_NEAREST]
        dx = round(median(_moved(line.box.x, line.box.right, now.box.x, now.box.right) for line, now in near))
        dy = round(median(_moved(line.box.y, line.box.bottom, now.box.y, now.box.bottom) for line, now in near))
        box, view = Box(then.x + dx, then.y + dy, then.w, then.h), self._now.view
        in_bar = self._then.view.y <= then.center.y < self._then.top  # which stands still
        above = not in_bar and box.center.y < self._now.top
        past = box.bottom > view.bottom + _OVER or box.right > view.right + _OVER or box.x < view.x - _OVER
        return past or above


def _moved(begin: int, end: int, begin_now: int, end_now: int) -> int:
    """How far both ends of a line have gone: in another font one of them stays where the line is held, or, of a line
    that is centred, they part."""
    first, last = sorted((begin_now - begin, end_now - end), key=abs)
    return first if first * last > 0 else 0
