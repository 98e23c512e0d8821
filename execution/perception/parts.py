"""The parts of perception as the analyzer calls them: guarded, their answers checked, what is wrong with them told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from execution.perception.watchdog import Guard, Hung
from execution.types import Box, Element, Frame, TextLine
from sentences.said import cause, say

logger = logging.getLogger(__name__)

_MARGIN = 4  # pixels

T = TypeVar("T")
Boxed = TypeVar("Boxed", TextLine, Element)


class PartAnswer(NamedTuple, Generic[T]):
    """What a part answered, None where nothing came, and the sentence on what is wrong ("" where nothing is)."""

    answer: T | None
    problem: str = ""


class PerceptionPart:
    """A reader, detector or embedder, `name` in words; each problem of it is logged the first time it comes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._guard = Guard(name)
        self._told: set[str] = set()

    @property
    def hangs(self) -> str:
        """The sentence that says so while a call that was given up still runs, else ""."""
        return say("perception.hangs", part=self.name) if self._guard.hangs else ""

    def ask(self, function: Callable[[], T], *, patience: float) -> PartAnswer[T]:
        """The answer to a call; a call that raises or has not come back after `patience` seconds gives a problem."""
        try:
            return PartAnswer(self._guard.run(function, limit_s=patience))
        except Hung as hung:
            if hung.seconds:
                return PartAnswer(None, self._tell(say("perception.late", part=self.name, n=hung.seconds), "hung"))
            return PartAnswer(None, self._tell(say("perception.hangs", part=self.name), "hangs"))
        except Exception as error:  # noqa: BLE001  other people's code: one bad frame must not end a run
            told = say("perception.failed", part=self.name, error=cause(error))
            return PartAnswer(None, self._tell(told, type(error).__name__))

    def ask_boxes(
        self, function: Callable[[], Iterable[Boxed]], frame: Frame, *, patience: float
    ) -> PartAnswer[tuple[Boxed, ...]]:
        """The same of a call for lines or elements: what lies outside the frame is cut off, and is a problem where it
        is more than the margin around a thing at the frame's edge."""
        said = self.ask(lambda: _cut_to(function(), frame), patience=patience)
        if said.answer is None:
            return PartAnswer(None, said.problem)
        inside, strays = said.answer
        return PartAnswer(inside, self._tell(say("perception.outside", part=self.name), "outside") if strays else "")

    def _tell(self, sentence: str, kind: str) -> str:
        if kind not in self._told:
            self._told.add(kind)
            logger.warning("Perception is degraded: %s", sentence)
        return sentence


def _cut_to(things: Iterable[Boxed], frame: Frame) -> tuple[tuple[Boxed, ...], bool]:
    """The things with their boxes cut to the frame, those that lie wholly outside left out, and whether any strayed."""
    whole = Box(0, 0, *frame.size)
    inside, strays = [], False
    for thing in things:
        box = thing.box.intersection(whole)
        strays |= max(-thing.box.x, -thing.box.y, thing.box.right - whole.w, thing.box.bottom - whole.h) > _MARGIN
        if box.area:
            inside.append(thing if box == thing.box else replace(thing, box=box))
    return tuple(inside), strays
