"""The values that flow through a turn of the loop, each made by one stage and read by the next.

Pixels are BGR, uint8, shape (height, width, 3). Boxes and points are whole pixels of the frame they were seen on;
normalised boxes and points are fractions (0 to 1) of that frame. Times are milliseconds unless the name says otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from workflows.graph import EdgeSpec, NormBox


class Point(NamedTuple):
    x: int
    y: int


class Size(NamedTuple):
    width: int
    height: int


class Box(NamedTuple):
    x: int
    y: int
    w: int
    h: int

    @property
    def center(self) -> Point:
        x, y, w, h = self
        return Point(x + w // 2, y + h // 2)

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h

    @property
    def area(self) -> int:
        return self.w * self.h if self.w > 0 and self.h > 0 else 0

    def contains(self, point: Point) -> bool:
        return self.x <= point.x < self.right and self.y <= point.y < self.bottom

    def holds(self, other: Box) -> bool:
        """Whether the middle of the other lies inside; `contains(other.center)` in a quarter of its time."""
        left, top, wide, high = self
        x, y, w, h = other
        return 0 <= x + w // 2 - left < wide and 0 <= y + h // 2 - top < high

    def intersection(self, other: Box) -> Box:
        left, top, wide, high = self
        x, y, w, h = other
        right, bottom = left + wide, top + high
        right, bottom = (x + w if x + w < right else right), (y + h if y + h < bottom else bottom)
        left, top = (x if x > left else left), (y if y > top else top)
        return Box(left, top, right - left if right > left else 0, bottom - top if bottom > top else 0)

    def iou(self, other: Box) -> float:
        shared = self.intersection(other).area
        whole = self.area + other.area - shared
        return shared / whole if whole else 0.0

    def grown(self, by: int, within: Size) -> Box:
        """This box with a margin of `by` pixels on each side, cut to the frame."""
        x, y = max(0, self.x - by), max(0, self.y - by)
        return Box(x, y, min(within.width, self.right + by) - x, min(within.height, self.bottom + by) - y)

    def normalised(self, size: Size) -> NormBox:
        return (self.x / size.width, self.y / size.height, self.w / size.width, self.h / size.height)

    @classmethod
    def from_normalised(cls, box: NormBox, size: Size) -> Box:
        left, top = round(box[0] * size.width), round(box[1] * size.height)
        right, bottom = round((box[0] + box[2]) * size.width), round((box[1] + box[3]) * size.height)
        return cls(left, top, right - left, bottom - top)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The window that has the focus; `box` is in frame pixels, its title bar with it; None where nobody can tell."""

    title: str = ""
    app_name: str = ""
    box: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """One picture of the desktop.

    `origin` is where the frame's (0, 0) lies in input coordinates, `scale` is frame pixels per input pixel. `method` is
    the name of what took it.
    """

    pixels: np.ndarray
    taken_at: datetime
    monitor: int = 0
    origin: Point = Point(0, 0)  # noqa: RUF009  a tuple
    scale: float = 1.0
    digest: str = ""
    method: str = ""

    @property
    def size(self) -> Size:
        return Size(self.pixels.shape[1], self.pixels.shape[0])

    def crop(self, box: Box) -> np.ndarray:
        """The pixels inside `box`, cut to the frame; a view, not a copy."""
        return self.pixels[max(0, box.y) : max(0, box.bottom), max(0, box.x) : max(0, box.right)]


def pixels_digest(pixels: np.ndarray) -> str:
    """A digest of the pixels and their shape: equal pictures, equal text; 32 hex digits."""
    hasher = hashlib.blake2b(repr(pixels.shape).encode(), digest_size=16)
    hasher.update(np.ascontiguousarray(pixels).data)
    return hasher.hexdigest()


class Word(NamedTuple):
    """A word of a line, and where it begins and ends: pixels from the line's left edge, `right` not within."""

    text: str
    left: int
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """One line of text as it was read. A screen's text is level: its polygon is the four corners of its box.

    `words` are its words from the left, as far as the reader tells them; a line that was cut afterwards, or says
    something else by now, has none: what was hidden in its text stands nowhere.
    `beside` are letters that the reader took for pictures before and behind the text, and may have been wrong about.
    """

    text: str
    box: Box
    confidence: float = 1.0
    words: tuple[Word, ...] = field(default=(), compare=False, repr=False)
    beside: tuple[str, str] = field(default=("", ""), compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.words and not self._is_of_words():
            object.__setattr__(self, "words", ())

    def _is_of_words(self) -> bool:
        said = "".join(word.text for word in self.words)
        return said == "".join(self.text.split()) and self.words[-1].right <= self.box.w

    @property
    def polygon(self) -> tuple[Point, Point, Point, Point]:
        """The corners, clockwise from the upper left."""
        left, top, right, bottom = self.box.x, self.box.y, self.box.right, self.box.bottom
        return Point(left, top), Point(right, top), Point(right, bottom), Point(left, bottom)


class ElementRole(StrEnum):
    """What a thing on the screen is; `icon` is a small picture without a frame, `group` a frame around other things."""

    BUTTON = "button"
    FIELD = "field"
    CHECKBOX = "checkbox"
    RADIO = "radio"
    TAB = "tab"
    MENU_ITEM = "menu_item"
    LINK = "link"
    ICON = "icon"
    GROUP = "group"
    TEXT = "text"


class ElementState(StrEnum):
    """What shows of an element's state; `checked` is also the chosen tab, radio button or menu item."""

    CHECKED = "checked"
    DISABLED = "disabled"
    FOCUSED = "focused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """Something on the screen that can be acted on; `role` is a guess.

    `label` is what a vision-language model calls it, empty where none was asked.
    """

    box: Box
    role: ElementRole
    text: str = ""
    confidence: float = 1.0
    states: frozenset[ElementState] = frozenset()
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Embedding:
    """A unit vector (float32, 1-D) and the id of the model that made it; only vectors of one model compare."""

    model: str
    vector: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    ocr_ms: float = 0.0
    ui_ms: float = 0.0
    analyze_ms: float = 0.0
    capture_ms: float = 0.0
    lines_read: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScreenState:
    """What one turn sees. `notes` are sentences on what is missing from it and why (a reader that failed)."""

    frame: Frame
    window: Window | None = None
    texts: tuple[TextLine, ...] = ()
    elements: tuple[Element, ...] = ()
    embedding: Embedding | None = None
    timings: Timings = Timings()
    cache_hit: bool = False
    degraded: bool = False
    text_method: str = ""
    notes: tuple[str, ...] = ()

    @property
    def front(self) -> Box:
        """Where the window that has the focus is in sight; all of the screen where nobody knows."""
        whole = Box(0, 0, *self.frame.size)
        seen = self.window.box.intersection(whole) if self.window and self.window.box else whole
        return seen if seen.area else whole

    @property
    def read_anew(self) -> bool:
        """Whether anything of it was read; of a known screen it may be the clock alone."""
        return not self.cache_hit or self.timings.lines_read > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One sign that spoke for or against: its name, its score (None: not used) and a sentence."""

    sign: str
    score: float | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Which node the screen is. `margin` is the distance in confidence to `runner_up`."""

    node_id: str
    confidence: float
    margin: float = 1.0
    runner_up: str = ""
    runner_up_confidence: float = 0.0
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """The answer of matching: a match, or None with the best candidates and why none was good enough."""

    match: Match | None
    candidates: tuple[Match, ...] = ()
    why_not: str = ""


class ResolveStatus(StrEnum):
    FOUND = "found"
    AMBIGUOUS = "ambiguous"
    NOT_FOUND = "not_found"
    NOT_NEEDED = "not_needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    box: Box
    score: float
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RungResult:
    """What one rung of the grounding ladder found: its candidates, best first, or why it was not used."""

    rung: str
    status: ResolveStatus
    score: float | None = None
    candidates: tuple[Candidate, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Where the target is, on which evidence. `box` and `point` are None unless `status` is found.

    `lines` is the whole list that is seen, where one of it is wanted; `at_end`: it is the first that this list has not.
    `looks` are the further looks of the target, by their ids, that found it there where the taught one did not, and
    `against` those that found it elsewhere than the taught one did.
    """

    status: ResolveStatus
    box: Box | None = None
    point: Point | None = None
    rung: str = ""
    score: float = 0.0
    runner_up: Candidate | None = None
    evidence: tuple[RungResult, ...] = ()
    message: str = ""
    resolve_ms: float = 0.0
    lines: tuple[Box, ...] = ()
    at_end: bool = False
    looks: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionUsed:
    """That a suggestion stands on what a coach showed before: `key` is the correction's, `part` what it says of the
    step (place, params, screen).

    `on_trial`: it is not trusted here, so that a person decides. `against`: it says another place than the taught one,
    which stands. `proved`: what is done says whether it is right; of one of several that it may stand on it does not.
    `said` tells where it comes from.
    """

    key: str
    part: str
    on_trial: bool
    against: bool = False
    proved: bool = True
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """What the loop means to do next: `sentence` says it in words, `params` have their variables filled in.

    `line` is which of a list it is for, where it begins a round, else 0. `doubt` says why that may be another one than
    is meant; it is never done then without a person's word. `learned` are the corrections that it stands on.
    `no_line`: where the list stands nothing is.
    """

    edge: EdgeSpec
    node_id: str
    sentence: str
    params: Mapping[str, Any]
    resolution: Resolution
    line: int = 0
    doubt: str = ""
    learned: tuple[CorrectionUsed, ...] = ()
    no_line: bool = False


class Choice(StrEnum):
    """Every answer a prompt can get; the first five are a `CoachingDecision` (S1.9)."""

    ACCEPT = "accept"
    REJECT = "reject"
    CORRECT = "correct"
    MANUAL = "manual"
    SKIP = "skip"
    DONE = "done"
    RETRY = "retry"
    STOP = "stop"


class DecisionSource(StrEnum):
    """Why it was decided so: by the mode, by a person, because nobody answered in time, by a program, or because a
    person stopped the run."""

    AUTO = "auto"
    COACH = "coach"
    POLICY = "policy"
    PROGRAM = "program"
    STOP = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    choice: Choice
    source: DecisionSource
    correction: Mapping[str, Any] = field(default_factory=dict)
    feedback: str = ""
    node_id: str = ""  # with a rejection: the screen that it is instead
    decided_by: str = ""
    timeout_s: float | None = None  # how long nobody answered, where that decided it


class ActionStatus(StrEnum):
    DONE = "done"
    FAILED = "failed"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A value that was read: `text` as it stood there, `value` for programs (1234.56, 2026-12-31)."""

    name: str
    kind: str
    text: str
    value: str

    @property
    def as_variable(self) -> str:
        """What {{name}} stands for: as it is written there; a date as dates are everywhere, 2026-12-31."""
        return self.value if self.kind == "date" else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """`uncertain`: input may have reached the application and nobody can say how much of it.

    What failed has touched nothing, unless `touched` says that nobody knows (S9.3).
    """

    status: ActionStatus
    message: str = ""
    act_ms: float = 0.0
    touched: bool = False
    output: Output | None = None  # what it read


class ExecutionStatus(StrEnum):
    """What an action executor says of what it did; one of the program's own is compared by its value (S11.9)."""

    SUCCESS = "success"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """What an action executor answers (S11.5), and what a program is told of an act (S11.4)."""

    status: Any
    message: str = ""
    duration_ms: float = 0.0
    error: str | None = None


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """`said` is the message that came and speaks against it, in the program's words; empty where none did.

    `untouched`: it is positively seen that nothing was done, and nothing has come since. `read_back` says of an act
    that has a proof how far that is (`ReadBack`); "" of any other. `look_ms` is what the looks after the act took, and
    `read_anew` whether anything was read in them; `verify_ms` is judging alone.
    """

    answer: Answer
    evidence: tuple[Reason, ...] = ()
    message: str = ""
    said: str = ""
    untouched: bool = False
    read_back: str = ""
    verify_ms: float = 0.0
    look_ms: float = 0.0
    read_anew: bool = False

    def with_looks(self, *states: ScreenState) -> Verification:
        """The same, with what these looks took."""
        took = sum(state.timings.capture_ms + state.timings.analyze_ms for state in states)
        anew = self.read_anew or any(state.read_anew for state in states)
        return replace(self, look_ms=self.look_ms + took, read_anew=anew)

    def following(self, earlier: Verification) -> Verification:
        """The same, with what it took to judge and to look before."""
        return replace(
            self,
            verify_ms=self.verify_ms + earlier.verify_ms,
            look_ms=self.look_ms + earlier.look_ms,
            read_anew=self.read_anew or earlier.read_anew,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """One finished step, as S11.4 names it; `duration_ms` is `total_ms`."""

    success: bool
    node_id: str
    edge_id: str | None = None
    action_result: ExecutionResult | None = None
    match_confidence: float = 0.0
    message: str = ""
    screenshot_path: str | None = None
    ocr_ms: float = 0.0
    ui_ms: float = 0.0
    analyze_ms: float = 0.0
    total_ms: float = 0.0
    cache_hit: bool = False
    degraded: bool = False

    @property
    def duration_ms(self) -> float:
        return self.total_ms
