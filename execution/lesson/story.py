"""A workflow as a person would tell it: what is pointed at, what is done, what shows then (S6.16).

docs/stories.md says how a story is written, with an example of each act; `story_reading` reads it from YAML,
`story_checks` says before anything is done what cannot be told, `storyteller` tells it to a lesson's recorder and
`story_declaring` puts down at its end what it says of its steps and screens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from execution.exceptions import ExecutionError
from workflows.choices import VariableKind

# By the word of the story the action type that it is kept as.
ACTS = {
    "click": "click", "double_click": "double_click", "right_click": "right_click", "drag": "drag", "scroll": "scroll",
    "type": "type_text", "press": "press_keys", "wait": "wait_text", "see": "must_see",
    "see_row": "must_see_row", "read": "read_value",
    "choose": "choose", "set": "set_state", "date": "pick_date", "log_in": "visual_login", "do": "call_workflow",
}  # fmt: skip
CLICKS = frozenset({"click", "double_click", "right_click"})
POINTS = CLICKS | {"drag"}  # what is said of them is the text that is pointed at
BESIDE = frozenset({"choose", "set_state", "pick_date", "read_value"})  # these say with `at` where
HANDS = POINTS | {"scroll", "type_text", "press_keys"}  # what is done by hand alone, so that it may be left unkept


class BadStory(ExecutionError, status=422):
    """A story that cannot be told; its sentence begins with the line and says what to do."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(_("Line %(line)d: %(why)s") % {"line": line, "why": why})


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """How many pixels beside a text; which of several: the `nth` in reading order (a number, or the {{variable}} that
    a run takes it from), that in the row of a text, or this very place. `place` are parts of the screen, 0 to 1."""

    right: int = 0
    below: int = 0
    nth: str = ""
    row: str = ""
    this_place: bool = False
    place: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    name: str
    test: str
    to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Each:
    """The step is done for each line of its list, of which it is shown on the first."""

    counter: str
    at_most: int
    until: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """It is read back by version `version` of another workflow, 0 for the newest. `values` None: those of its names."""

    workflow: str
    version: int = 0
    values: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Version `version` of another workflow, 0 for the newest; between its two ends `by_hand` does what it does.

    `brought` are the values of ours that it brings, as they are while this is taught.
    """

    version: int = 0
    values: tuple[tuple[str, str], ...] = ()
    outputs: tuple[tuple[str, str], ...] = ()
    brought: tuple[tuple[str, str], ...] = ()
    by_hand: tuple[Told, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is kept of a step beside what was done; all of it could be changed on the page of the lesson as well."""

    id: str = ""
    label: str = ""
    signs: tuple[tuple[str, str], ...] = ()
    optional: bool = False
    identity: tuple[tuple[str, str], ...] = ()
    only_if: tuple[Condition, ...] = ()
    each: Each | None = None
    in_each: str = ""
    proof: Proof | None = None
    changes_nothing: bool = False
    expect: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    params: tuple[tuple[str, Any], ...] = ()

    @property
    def shows(self) -> bool:
        """Whether it says nothing but what is seen afterwards."""
        return self == Said(expect=self.expect, gone=self.gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One step. `what` is a text on the screen, what is typed, a value, keys; `line` where it stands, from 1."""

    line: int
    act: str
    what: str
    where: Where = field(default_factory=Where)
    at: str = ""  # beside which text; of typing: the field that is clicked first
    by: tuple[int, int] = (0, 0)
    size: tuple[int, int] | None = None
    clear: bool = False
    enter: bool = False
    kind: str = ""
    format: str = ""
    columns: tuple[str, ...] = ()
    keep: bool = True
    call: Call | None = None
    screen: str = ""
    said: Said = field(default_factory=Said)

    def texts(self) -> Iterator[str]:
        """All in which a {{variable}} may stand."""
        yield from (self.what, self.at, self.where.row, self.where.nth, *self.said.expect, *self.said.gone)
        yield from (value for _label, value in self.said.identity)
        yield from (text for condition in self.said.only_if for text in condition.to)
        if self.call:
            yield from (value for _name, value in self.call.values)
        if self.said.proof:
            yield from (value for _name, value in self.said.proof.values or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldVariable:
    """`value` is the one to teach with; that of a secret stands in the vault, as the password of `vault`."""

    name: str
    line: int = 1
    value: str = ""
    kind: str = VariableKind.TEXT.value
    label: str = ""
    default: str = ""
    example: str = ""
    allowed: tuple[str, ...] = ()
    required: bool = True
    vault: str = ""

    @property
    def is_secret(self) -> bool:
        return self.kind == VariableKind.SECRET


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A box in parts of the screen, 0 to 1, and what it says of it."""

    kind: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldScreen:
    """`known_by` are all the texts that it is known by, where the story says so; `without` all that it never has.

    `title` is that of its window, `*` for what may stand there.
    """

    name: str
    line: int
    known_by: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    without: tuple[str, ...] | None = None
    title: str = ""
    areas: tuple[Area, ...] | None = None
    begins: bool | None = None
    ends: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    workflow: str
    description: str = ""
    begins_on: str = ""
    variables: tuple[ToldVariable, ...] = ()
    screens: tuple[ToldScreen, ...] = ()
    steps: tuple[Told, ...]

    @property
    def counters(self) -> dict[str, Told]:
        """By the name of the line, the step that is done for each."""
        return {step.said.each.counter: step for step in self.steps if step.said.each}

    @property
    def values(self) -> dict[str, str]:
        """Those to teach with; of a list its first line is shown."""
        given = {variable.name: variable.value for variable in self.variables if not variable.is_secret}
        return {**given, **dict.fromkeys(self.counters, "1")}
