"""Tells a story to a lesson's recorder on a desktop: a teacher without a browser (S6.16).

It points where the story says and is never in doubt for the teacher: a text that stands several times, or an answer
that the story does not give, ends the lesson with the line of the story, and nothing is done there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from django.utils.translation import gettext as _

from execution.language.fuzzy import folded
from execution.lesson.acts import Act, Acted
from execution.lesson.recorder import Recorder
from execution.lesson.sight import Sight
from execution.lesson.story import BadStory, Story, Told
from execution.types import Box, Point, ScreenState
from sentences.said import worded
from workflows.text import fill

CALM_S = 1.2  # so long the screen stays as it is before the next step; a text is typed to its end by then
LONGEST_S = 30.0  # for a screen to be read, or to show what is expected
LOOK_EVERY_S = 0.05
_LEVEL = 0.6  # of the height: what stands in one row


class Storyteller:
    """`on_told` hears of each step when it was done."""

    def __init__(self, story: Story, recorder: Recorder, sight: Sight, *, on_told: Callable[[Told], None]) -> None:
        self.story, self.recorder, self.sight, self.on_told = story, recorder, sight, on_told
        self._pause = threading.Event()

    def tell(self) -> None:
        """Raises BadStory; what was told before it is in the draft."""
        here = self.recorder.here
        for variable in self.story.variables:
            row = here.draft.add_variable(
                variable.name, label=variable.label, kind=variable.kind, example=variable.value
            )
            row.default = variable.default
            row.save(update_fields=["default"])
        self.recorder.lesson.values = {**self.recorder.lesson.values, **self.story.values}
        self.recorder.lesson.save(update_fields=["values"])
        self.recorder.begin()
        state = self._calm(1)
        for step in self.story.steps:
            self._do(step, state)
            state = self._shows(step)
            self.on_told(step)

    def _do(self, step: Told, state: ScreenState) -> None:
        what = fill(step.what, self.story.values)
        if step.act == "wait_text":
            self._expect(step, (what,))
            return
        if step.act == "type_text":
            acted = self.recorder.type_text(Act(id=str(step.line), kind=step.act, text=what))
        elif step.act == "press_keys":
            acted = self.recorder.keys(Act(id=str(step.line), kind=step.act, keys=what.lower()))
        else:
            acted = self.recorder.act(Act(id=str(step.line), kind=step.act, point=self._place(step, what, state)))
        if acted.state == "held":
            acted = self._answer(step)
        if acted.state != "done":
            raise BadStory(step.line, worded(acted.why))

    def _place(self, step: Told, what: str, state: ScreenState) -> Point:
        boxes = places_of(what, state)
        if step.row:
            row = places_of(fill(step.row, self.story.values), state)
            boxes = [box for box in boxes if any(_level(box, other) for other in row)]
        words = {"text": what, "n": len(boxes)}
        if not boxes:
            raise BadStory(step.line, _("“%(text)s” is not on the screen.") % words)
        if step.nth > len(boxes):
            raise BadStory(step.line, _("“%(text)s” is on the screen only %(n)d times.") % words)
        if len(boxes) > 1 and not step.nth:
            raise BadStory(step.line, _("“%(text)s” is on the screen %(n)d times; say “nth” or “row”.") % words)
        middle = boxes[max(step.nth, 1) - 1].center
        return Point(middle.x + step.right, middle.y)

    def _answer(self, step: Told) -> Acted:
        """What says which one it is, as the story tells it."""
        held = self.recorder.held
        assert held is not None
        row = folded(fill(step.row, self.story.values))
        for answer in held.found.answers:
            by_row = row and any(row in folded(fill(text, self.story.values)) for text in answer.row)
            if by_row or (step.nth and not row and answer.number):
                acted = self.recorder.answer(str(held.step.index), answer.code, {})
                if acted is not None:
                    return acted
        self.recorder.cancel(str(held.step.index))
        raise BadStory(step.line, _("It could mean several; say “row” or “nth” for which one a run takes."))

    # --- looking ----------------------------------------------------------------------------------------------------
    def _shows(self, step: Told) -> ScreenState:
        """The screen after a step, still and read, with what was expected of it."""
        if step.expect:
            self._expect(step, tuple(fill(text, self.story.values) for text in step.expect))
        return self._calm(step.line)

    def _expect(self, step: Told, texts: tuple[str, ...]) -> None:
        until = time.monotonic() + LONGEST_S
        while missing := [text for text in texts if not self._is_seen(text)]:
            if time.monotonic() > until:
                raise BadStory(step.line, _("“%(text)s” does not show.") % {"text": missing[0]})
            self._pause.wait(LOOK_EVERY_S)

    def _is_seen(self, text: str) -> bool:
        state = self.sight.current()
        return state is not None and any(folded(text) in folded(line.text) for line in state.texts)

    def _calm(self, line: int) -> ScreenState:
        """The screen once it stays as it is; each that is read on the way the recorder sees."""
        until, since, last = time.monotonic() + LONGEST_S, time.monotonic(), None
        while time.monotonic() < until:
            state = self.sight.current()
            if state is None or state is not last:
                last, since = state, time.monotonic()
                if state is not None:
                    self.recorder.seen(state)
            elif time.monotonic() - since > CALM_S:
                self.recorder.tick()
                return state
            self._pause.wait(LOOK_EVERY_S)
        raise BadStory(line, _("The screen does not stand still, or cannot be read."))


def places_of(text: str, state: ScreenState) -> list[Box]:
    """Where a text stands by itself, in reading order."""
    wanted = folded(text)
    found = [line.box for line in state.texts if folded(line.text) == wanted]
    for element in state.elements:
        is_known = any(element.box.intersection(box).area for box in found)
        if not is_known and wanted in (folded(element.text), folded(element.label)):
            found.append(element.box)
    return sorted(found, key=lambda box: (box.y, box.x))


def _level(box: Box, other: Box) -> bool:
    shared = min(box.bottom, other.bottom) - max(box.y, other.y)
    return shared > _LEVEL * min(box.h, other.h)
