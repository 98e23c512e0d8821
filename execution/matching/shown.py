"""What can be read on a screen, and where: by this one screen is laid beside another (`execution.matching.cut_off`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from execution.language.fuzzy import folded, words
from execution.language.screen_texts import ScreenWords
from execution.types import Box, ScreenState, Size, TextLine, Window

_TITLE_BAR = 40  # pixels from the top of a window


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """What stands on a screen, or on the picture of one, and the part of it that its window shows."""

    texts: tuple[TextLine, ...]
    view: Box
    title: str = ""

    @classmethod
    def now(cls, state: ScreenState) -> Shown:
        return cls.of(state.texts, state.frame.size, state.window)

    @classmethod
    def of(cls, texts: tuple[TextLine, ...], size: Size | tuple[int, int], window: Window | None) -> Shown:
        whole = Box(0, 0, *size)
        view = window.box.intersection(whole) if window and window.box else whole
        return cls(texts=texts, view=view, title=window.title if window else "")

    @cached_property
    def words(self) -> ScreenWords:
        return ScreenWords(self.texts)

    @cached_property
    def keys(self) -> frozenset[str]:
        """What its lines say, however they were read."""
        return frozenset(words(line.text).key for line in self.texts)

    @cached_property
    def once(self) -> dict[str, TextLine]:
        """The lines that nothing else on it says."""
        return _once(self.texts)

    @cached_property
    def once_in_view(self) -> dict[str, TextLine]:
        return _once(tuple(line for line in self.texts if self.view.contains(line.box.center)))

    @cached_property
    def top(self) -> int:
        """Where the window begins below its title. What else stands still on it while a page is scrolled is not told
        from a page of which a part is gone."""
        title = folded(self.title)
        bar = [t.box for t in self.texts if folded(t.text) == title and self.view.contains(t.box.center)]
        return min((box.bottom for box in bar if box.y < self.view.y + _TITLE_BAR), default=self.view.y)


def _once(lines: tuple[TextLine, ...]) -> dict[str, TextLine]:
    keys = [words(line.text).key for line in lines]
    count = Counter(keys)
    return {key: line for key, line in zip(keys, lines, strict=True) if key and count[key] == 1}
