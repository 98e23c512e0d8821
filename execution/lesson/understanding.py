"""What a click there would be kept as, before it is done: the thing, its like, what tells it from them (S6.11)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from execution.language.fuzzy import folded
from execution.language.volatile import lasting
from execution.lesson.places import ROLES, in_words
from execution.lesson.rows import InLine, line_of, telling_together
from execution.lesson.screens import Known
from execution.perception.elements.layout import union
from execution.perception.pictures import PictureSink
from execution.perception.scene import scene_of
from execution.targeting.boxes import holds_several, target_box
from execution.targeting.records import PERSON, may_name_somebody, names_record
from execution.targeting.runs import Alike, runs_of
from execution.teaching.evidence import teach_target, text_of
from execution.teaching.labels import NAMED, naming_label, parts_of_lines
from execution.teaching.parts import text_in
from execution.teaching.structure import alike, number_of, role_of
from execution.teaching.values import is_data, may_be_opened, tells_by_itself
from execution.types import Box, Point, ScreenState
from sentences.said import say
from workflows.graph import NeighbourSpec, TargetSpec
from workflows.text import names

_LONGEST_LABEL = 60
_BESIDE = 6  # pixels from words that a click beside them is meant for
_MOST_ROWS = 3  # answers by what stands in its row
SOMETHING_ELSE = "something_else"  # of its line, as a person says
THIS_PLACE = "this_place"
EACH_LINE = "each_line"  # it was shown on the first line of its list, and is done for each
RUNS_VALUE, ALWAYS = "runs_value", "always"  # what a text that looks like data is in the next run


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One way to say which of several it is. `row` are texts of its row, `number` says that it counts in its list."""

    code: str
    text: str
    row: tuple[str, ...] = ()
    number: bool = False
    value: str = ""  # what is to become a variable for it
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A place as it would be kept. `alike` are all that it could be taken for, itself among them, in reading order."""

    box: Box
    point: Point
    role: str
    text: str
    named_by: NeighbourSpec | None
    alike: tuple[Box, ...]
    answers: tuple[Answer, ...] = ()
    line: tuple[InLine, ...] = ()  # what stands beside it, where there are several
    near: str = ""  # what people call it where nothing names it
    says: str = ""  # its text with variables, where it holds a value of one
    is_data: bool = False  # its text looks like another one in the next run, and is no variable's value

    @property
    def is_ambiguous(self) -> bool:
        return len(self.alike) > 1

    @property
    def is_bare(self) -> bool:
        """Whether nothing is there that anybody has a name for."""
        return not (self.role or self.text or self.named_by)

    @property
    def is_asked(self) -> bool:
        """Whether somebody has to say what it means before it is kept."""
        return bool(self.answers)

    @property
    def label(self) -> str:
        """What people call it."""
        named = self.named_by.text.strip(" :：") if self.named_by else ""
        return (self.text or named or self.near or self.role.replace("_", " ") or "place")[:_LONGEST_LABEL]

    @property
    def said(self) -> str:
        """“button “Save”, the only one here”."""
        role = say(f"role.{self.role}") if self.role in ROLES else say("role.place")
        name = self.text or (self.named_by.text.strip(" :：") if self.named_by else "")
        what = say("lesson.named", role=role, name=name) if name else self.near or role
        if self.says:
            what = say("lesson.text_of", text=self.says)
        if not self.is_ambiguous:
            return say("lesson.only_one", what=what)
        return say("lesson.one_of", what=what, n=number_of(self.box, self.alike), of=len(self.alike))


def understand(state: ScreenState, point: Point, *, known: Known, box: Box | None = None) -> Understood:
    """What is at the point; `box` is one that a person drew around it."""
    if box is None or not box.area or holds_several(box, state):
        box = _meant(state, point, known.values)
    role = role_of(box, state)
    text = text_of(box, role, state)
    named_by = naming_label(box, role, state) if role in NAMED or not (role or text) else None
    says = text_of(box, role, state, known.values)
    label = named_by.text if named_by else ""
    twins = alike(box, text=text, role=role, state=state, named_by=label, exact=says != text)
    found = Understood(
        box=box,
        point=point,
        role=role,
        text=text,
        named_by=named_by,
        alike=tuple(twins) if twins else (box,),
        near="" if text or named_by else in_words(box, role, state),
        says=says if says != text else "",
        is_data=bool(text) and says == text and is_data(text, role, text_in(box, state), state),
    )
    return answered(found, state, known)


def opened(found: Understood, state: ScreenState, known: Known) -> Understood:
    """The same where a double click opens it."""
    if found.is_data or found.says or not may_be_opened(found.text, found.role):
        return found
    return answered(replace(found, is_data=True), state, known)


def _meant(state: ScreenState, point: Point, values: Mapping[str, str]) -> Box:
    """The box of what a click is meant for: the words that are a value of this run, else the thing there."""
    scene = scene_of(state)
    thing = scene.thing_at(point)
    for value in sorted(values.values(), key=len, reverse=True):
        beside = _BESIDE if tells_by_itself(value) else 0
        for likeness, words in runs_of(value, scene):
            box = union(word.box for word in words)
            if likeness >= Alike.LETTERS and box.grown(beside, scene.size).contains(point):
                return thing.box if thing is not None and set(words) == set(thing.words) else box
    return thing.box if thing is not None else target_box(state, point)


def answered(found: Understood, state: ScreenState, known: Known) -> Understood:
    """The same with what may be said to tell it from its like, or of a text that looks like data."""
    if not found.is_ambiguous:
        if not found.is_data:
            return found
        return replace(found, answers=(*_of_data(found), *_by_its_label(found, state)))
    line = line_of(found.box, found.alike, state)
    return replace(found, line=line, answers=tuple(_answers(found, line, known)))


def taught(
    found: Understood,
    state: ScreenState,
    *,
    store: PictureSink,
    known: Known,
    answer: Answer | None,
    variable: str = "",
) -> TargetSpec:
    """The evidence of it, by the answer that was given. `variable` is what says which one of its list a run wants.

    Raises ValueError with a sentence where it is no target.
    """
    values = dict(known.values)
    number = ""
    if answer is not None and answer.number and variable:
        number = "{{" + variable + "}}"
        values[variable] = str(number_of(found.box, found.alike))
    spec = teach_target(
        state.frame, found.box, label=found.label, state=state, click=found.point, store=store,
        row=answer.row if answer else (), number=number, values=values,
    )  # fmt: skip
    if names(spec.text):  # nobody's name stands in the list of steps, or in an id
        spec = replace(spec, label=spec.text)
    if answer is not None and answer.row and found.is_data and not found.is_ambiguous:
        spec = replace(spec, text="", picture="")  # what stands there is another value next time
    if answer is not None and not number and (answer.number or answer.code in {THIS_PLACE, EACH_LINE}):
        fixed = tuple(n for n in spec.neighbours if not (names_record(n.text) or names(n.text)))
        return replace(spec, neighbours=fixed, needed=("number",))
    if answer is None or not answer.row:
        return spec
    return replace(spec, neighbours=_of_any_row(spec, spec.neighbours), around=_of_any_row(spec, spec.around))


def _of_any_row(spec: TargetSpec, near: Sequence[NeighbourSpec]) -> tuple[NeighbourSpec, ...]:
    """What stood near without the one row that was shown: the run's own row has others."""
    height = spec.box[3] * spec.screen_size[1] if spec.box else 0
    return tuple(n for n in near if abs(n.dy) > height / 2 and not names_record(n.text))


def _of_data(found: Understood) -> Iterator[Answer]:
    """Whether its text is the same in every run."""
    yield Answer(code=RUNS_VALUE, text=say("lesson.runs_value"), value=found.text, boxes=(found.box,))
    yield Answer(code=ALWAYS, text=say("lesson.always_text", text=found.text), boxes=(found.box,))


def _by_its_label(found: Understood, state: ScreenState) -> Iterator[Answer]:
    """That it is what stands beside its label, where only one such label is in sight."""
    label = naming_label(found.box, found.role, state)
    if label is None or may_name_somebody(label.text) or not any(char.isalpha() for char in label.text):
        return
    said = [line.box for line in parts_of_lines(found.box, state) if folded(line.text) == folded(label.text)]
    if len(said) == 1:
        text = say("lesson.beside", text=label.text)
        yield Answer(code=f"label:{label.text}", text=text, row=(label.text,), boxes=(said[0],))


def _answers(found: Understood, line: Sequence[InLine], known: Known) -> Iterator[Answer]:
    """What a person would say first: a value, whose line it is, which record, a label, the number in the list."""
    told = [one for one in line if telling_together([one])]
    given = list(_by_variables(line, told, {name: value for name, value in known.values.items() if value.strip()}))
    for one in told:
        typed = next((t.strip() for t in known.typed if t.strip() and _holds(one.text, t.strip())), "")
        if typed and not any(one.box in a.boxes for a in given):
            said = say("lesson.row_of_typed", text=typed)
            given.append(Answer(code=f"typed:{typed}", text=said, row=(typed,), value=typed, boxes=(one.box,)))
    named = [one for one in told if not any(one.box in a.boxes for a in given)]
    records = [one for one in named if names_record(one.text) or may_name_somebody(one.text)]
    records.sort(key=lambda one: not (PERSON.search(one.text) or may_name_somebody(one.text)))  # whose, then which
    labels = [one for one in named if one not in records and lasting(one.text) == one.text]
    labels.sort(key=lambda one: abs(one.box.center.x - found.box.center.x))
    by_label = [
        Answer(code=f"label:{one.text}", text=say("lesson.beside", text=one.text), row=(one.text,), boxes=(one.box,))
        for one in labels
    ]
    by_record = [
        Answer(
            code=f"value:{one.text}", text=say("lesson.row_of_value", text=one.text), row=(one.text,),
            value=one.text, boxes=(one.box,),
        )
        for one in records
    ]  # fmt: skip
    yield from (given + by_record + by_label)[:_MOST_ROWS]
    at = number_of(found.box, found.alike)
    yield Answer(code="nth", text=say("lesson.the_nth", n=at, of=len(found.alike)), number=True, boxes=found.alike)
    yield Answer(code=THIS_PLACE, text=say("lesson.this_place"), boxes=(found.box,))
    if telling_together(line):
        yield Answer(code=SOMETHING_ELSE, text=say("lesson.something_else"))


def _by_variables(line: Sequence[InLine], told: Sequence[InLine], values: Mapping[str, str]) -> Iterator[Answer]:
    """By a variable whose value stands in no other line; where none does, by those that only this line has together."""
    names = {one: next((n for n, value in values.items() if _holds(one.text, value)), "") for one in line}
    for one in told:
        if name := names[one]:
            text = "{{" + name + "}}"
            yield Answer(code=f"row:{name}", text=say("lesson.row_of", text=text), row=(text,), boxes=(one.box,))
    several = [one for one in line if names[one]]
    if len(several) > 1 and not any(names[one] for one in told) and telling_together(several):
        row = tuple("{{" + names[one] + "}}" for one in several)
        code = "row:" + "+".join(names[one] for one in several)
        said = say("lesson.row_of", text=", ".join(row))
        yield Answer(code=code, text=said, row=row, boxes=tuple(one.box for one in several))


def _holds(text: str, value: str) -> bool:
    """Whether a value stands in a text as whole words."""
    plain = re.escape(folded(value).strip())
    return bool(plain) and re.search(rf"(?<!\w){plain}(?!\w)", folded(text)) is not None


def hover_json(found: Understood) -> dict[str, Any]:
    """What the page draws while the pointer is there; its sentence is worded by whoever sends it."""
    return {
        "box": list(found.box),
        "role": found.role,
        "alike": [list(box) for box in found.alike],
        "ambiguous": found.is_ambiguous,
    }
