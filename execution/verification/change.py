"""What became of the screen between two looks: the pixels, the title, and the texts that came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from execution.language.fuzzy import words
from execution.perception.changes import Changes, find_changes, same_pixels
from execution.types import Box, ElementRole, ScreenState, TextLine
from execution.verification.reading import ScreenReading

_STEP = 8  # of a blank screen every eighth pixel says so
_FLAT = 3.0  # grey levels: noise of a screen that shows nothing
_RETOUCHED = 0.15  # of the pixels of what is left of a covered line: the edge of what covers it
_STANDS = 0.3  # of the texts: what is left of a screen that has but lost a dialog


@dataclass(eq=False)
class Change:
    """The screen before and after an action, read and compared once for every question that is asked of them."""

    before: ScreenState
    after: ScreenState
    between: Sequence[ScreenState] = ()  # what was seen since the action, oldest first

    @cached_property
    def then(self) -> ScreenReading:
        return ScreenReading(self.before)

    @cached_property
    def now(self) -> ScreenReading:
        return ScreenReading(self.after)

    @cached_property
    def meanwhile(self) -> tuple[ScreenReading, ...]:
        """The screens between the two, as far as they were read."""
        return tuple(ScreenReading(state) for state in self.between if state.text_method)

    @cached_property
    def title_changed(self) -> bool:
        return _title(self.before) != _title(self.after)

    @cached_property
    def pixels(self) -> Changes | None:
        """Where the pixels differ; None where the pictures are of different sizes."""
        return find_changes(self.before.frame.pixels, self.after.frame.pixels)

    @cached_property
    def happened(self) -> bool:
        """Whether the screen, or the title of its window, is not what it was; a blinking caret is no change."""
        if self.title_changed:
            return True
        if same_pixels(self.before.frame.pixels, self.after.frame.pixels):
            return False
        return self.pixels is None or not self.pixels.is_caret_only

    @cached_property
    def is_blank(self) -> bool:
        """Whether the screen shows nothing any more: switched off, or a screen saver."""
        return _flat(self.after) and not _flat(self.before)

    @cached_property
    def new_lines(self) -> tuple[TextLine, ...]:
        """The lines of the screen after the action that stood nowhere before it; all of them if it was not read."""
        known = {words(line.text).key for line in self.then.lines}
        return tuple(
            line
            for line in self.now.lines
            if words(line.text).key not in known and not self.then.holds(line) and not self._is_remnant(line)
        )

    def _is_remnant(self, line: TextLine) -> bool:
        """Whether it is what is left in sight of a line that something covers: a part of it, drawn as it was."""
        if self.pixels is None:
            return False
        key = words(line.text).key
        if not any(key in words(old.text).key and old.box.intersection(line.box).area for old in self.then.lines):
            return False
        was, now = self.before.frame.crop(line.box), self.after.frame.crop(line.box)
        return float((was != now).any(axis=2).mean()) <= _RETOUCHED

    @cached_property
    def lost_lines(self) -> tuple[TextLine, ...]:
        """The lines of the screen before the action that stand nowhere after it."""
        known = {words(line.text).key for line in self.now.lines}
        return tuple(line for line in self.then.lines if words(line.text).key not in known and not self.now.holds(line))

    @property
    def stands(self) -> bool:
        """Whether the screen is still the same but for a part of it: nothing has covered or replaced it as a whole."""
        lines = self.then.lines
        return bool(lines) and (len(lines) - len(self.lost_lines)) >= _STANDS * len(lines)

    def is_entry(self, box: Box, *, then: bool = False) -> bool:
        """Whether what stands there was filled in: a frame that came with the action, on a screen that else stayed, is
        a message."""
        here, other = (self.before, self.after) if then else (self.after, self.before)
        fields = [field for field in _fields(here) if field.contains(box.center)]
        return bool(fields) and (not self.stands or in_field(box, other) or any(_moved(f, other) for f in fields))

    def touches(self, box: Box) -> bool:
        return self.pixels is None or self.pixels.touches(box)


def something_changed(before: ScreenState, after: ScreenState) -> bool:
    """True if the screen, or the title of its window, is not what it was; a blinking caret is no change."""
    return Change(before, after).happened


def in_field(box: Box, state: ScreenState) -> bool:
    """Whether the place lies in something that is filled in: what stands there is data."""
    return any(field.contains(box.center) for field in _fields(state))


def _fields(state: ScreenState) -> list[Box]:
    return [e.box for e in state.elements if e.role is ElementRole.FIELD]


def _moved(field: Box, other: ScreenState) -> bool:
    """Whether it was there higher or lower: a message above a form moves its fields down."""
    return any(max(abs(f.x - field.x), abs(f.w - field.w), abs(f.h - field.h)) <= 1 for f in _fields(other))


def _title(state: ScreenState) -> str:
    return state.window.title if state.window else ""


def _flat(state: ScreenState) -> bool:
    sample = state.frame.pixels[::_STEP, ::_STEP]
    return (
        bool(state.text_method)
        and not state.texts
        and bool(sample.size)
        and float(np.max(np.std(sample, axis=(0, 1)))) < _FLAT
    )
