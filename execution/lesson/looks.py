"""Acts that do nothing on the desktop: a text that is waited for or must stand there, a value that is read (S6.12)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from execution.language.fuzzy import folded, words
from execution.language.volatile import lasting
from execution.lesson.drafting import variable_name
from execution.lesson.screens import Known
from execution.perception.pictures import PictureSink
from execution.perception.scene.cells import in_cells
from execution.perception.scene.lines import spans_of, words_of
from execution.targeting.records import may_name_somebody, names_record
from execution.teaching.evidence import teach_target
from execution.teaching.labels import naming_label
from execution.teaching.parts import text_in
from execution.teaching.values import put_back, tells_anywhere
from execution.turn.rows import columns_of, rows_of_lines
from execution.types import Box, Point, ScreenState, TextLine
from execution.verification.places_of_values import ReadPlace, at_label, in_box, in_column, room_of
from sentences.said import say
from workflows.graph import NeighbourSpec, TargetSpec
from workflows.text import names

KINDS = ("wait_text", "must_see", "must_see_row", "read_value")
# “Number of the request: T-2041”; a time is no label
_SAYS_ITS_LABEL = re.compile(r"\s*(?P<label>[^\d\W][^:：]{1,50}?)\s*[:：]\s+(?P<value>\S.*?)\s*$")
# “Total due 45.00”
_SAYS_A_NUMBER = re.compile(r"\s*(?P<label>[^\W\d][^\d:：]*?)\s+(?P<value>\d.*?)\s*$")
VALUE_KINDS = ("text", "number", "date")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is kept of such an act. `value` is what was read, under the name of its output."""

    params: dict[str, Any]
    target: TargetSpec | None = None
    name: str = ""
    value: str = ""
    box: Box = field(default=Box(0, 0, 0, 0))


def seen_there(
    kind: str, shown: ScreenState, *, point: Point, box: Box | None, name: str, value_kind: str, known: Known,
    store: PictureSink, taken: Sequence[str] = (),
) -> Seen:  # fmt: skip
    """`taken` are the names of variables, which a value that is read does not have. Raises ValueError with a sentence
    where nothing can be read there."""
    told = in_cells(shown) if kind == "read_value" else shown
    line = _line_at(point, told)
    place = box or (line.box if line is not None else None)
    text = " ".join(line.text for line in text_in(place, told)).strip() if place is not None else ""
    if place is None or not words(text).key:
        raise ValueError(say("lesson.nothing_read"))
    if kind == "must_see_row":
        return Seen(params=_of_row(place, shown, known), box=place)
    if kind != "read_value":
        return Seen(params={"text": put_back(text, known.values)}, box=place)
    if box is None and (behind := _number_behind(point, told)) is not None:
        place, text = behind.box, behind.text
    if name in taken:
        raise ValueError(say("lesson.name_of_another_value", name=name))
    return _value(text, place, shown, name=name, value_kind=value_kind, known=known, store=store, taken=taken)


def _value(
    text: str, place: Box, shown: ScreenState, *, name: str, value_kind: str, known: Known,
    store: PictureSink, taken: Sequence[str],
) -> Seen:  # fmt: skip
    """The first of the ways to say where it stands by which it is read here as it stands there."""
    whose = {name: value for name, value in known.values.items() if tells_anywhere(value)}
    problem = say("lesson.nothing_beside")
    for way in _ways(text, place, shown, known):
        label = put_back(way.label, whose)
        if way.label and not (names(label) or _unless_whose(label)):
            continue
        if way.read.problem or folded(way.read.text) != folded(way.says or text):
            problem = way.read.problem or problem
            continue
        called = variable_name(name or _unless_whose(label).strip(" :：") or "value", taken)
        params: dict[str, Any] = {"name": called, "kind": _kind(value_kind), **way.params}
        if label:
            params["label"] = label
        target = None
        if way.anchor is not None:
            target = teach_target(
                shown.frame, way.anchor, label=called, state=shown, click=way.anchor.center, store=store,
                values=known.values,
            )  # fmt: skip
            target = _without_data(target)
        return Seen(params=params, target=target, name=called, value=way.read.text, box=way.read.box or place)
    raise ValueError(problem)


def _without_data(anchor: TargetSpec) -> TargetSpec:
    """What a value is read beside, without what was another one's around it, the value among them."""

    def kept(near: Sequence[NeighbourSpec]) -> tuple[NeighbourSpec, ...]:
        return tuple(n for n in near if names(n.text) or _is_the_same_each_time(n.text))

    return replace(anchor, neighbours=kept(anchor.neighbours), around=kept(anchor.around))


def _is_the_same_each_time(text: str) -> bool:
    is_data = names_record(text) or may_name_somebody(text) or any(letter.isdigit() for letter in text)
    return not is_data and lasting(text) == text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """A way to say where a value stands, and what is read there by it. `says` is the value where it is a part of what
    was pointed at; `anchor` is what is looked for first."""

    read: ReadPlace
    label: str = ""
    says: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    anchor: Box | None = None


def _ways(text: str, place: Box, shown: ScreenState, known: Known) -> Iterator[_Way]:
    """Behind the label in its own line; on one side of a label; in a column of its row; by its place."""
    line = _line_at(place.center, shown)
    said = line and (_SAYS_ITS_LABEL.match(line.text) or _SAYS_A_NUMBER.match(line.text))
    if line and said and text in (said["value"], line.text if said.re is _SAYS_ITS_LABEL else ""):
        yield _Way(read=at_label(said["label"], shown), label=said["label"], says=said["value"])
    label = naming_label(place, "", in_cells(shown))
    if label is not None:
        yield _Way(read=at_label(label.text, shown), label=label.text)
        side = "below" if abs(label.dy) > place.h / 2 else "right"
        yield _Way(read=at_label(label.text, shown, side=side), label=label.text, params={"side": side})
    for anchor, head in _columns(place, shown, known):
        yield _Way(read=in_column(anchor, head, shown), label=head, anchor=anchor)
    nearest = _anchor(place, shown)
    if nearest is not None:
        room = room_of(place, shown)
        read = in_box(room, shown)
        if not read.problem and folded(read.text) != folded(text):
            read = ReadPlace(problem=say("turn.box_cuts", text=read.text))
        offset = [room.x - nearest.x, room.y - nearest.y, room.w, room.h]
        yield _Way(read=read, anchor=nearest, params={"box": offset})


def _columns(place: Box, shown: ScreenState, known: Known) -> Iterator[tuple[Box, str]]:
    """What its row is known by, with what heads its column."""
    row = next((row for row in rows_of_lines(shown.texts) if any(place.contains(one.box.center) for one in row)), ())
    cell = [one for one in row if place.contains(one.box.center)]
    head = next(iter(columns_of(row, cell[:1], shown)), "") if row else ""
    if not head:
        return
    for one in row:
        is_run = bool(names(put_back(one.text, known.values)))
        if one not in cell and (is_run or not (names_record(one.text) or may_name_somebody(one.text))):
            yield one.box, head


def _of_row(place: Box, shown: ScreenState, known: Known) -> dict[str, str]:
    """What a run looks for in a row: those of its texts that are a run's data; where none is, what was pointed at.

    Of a box that is drawn around some of them, those. Beside them what heads their columns, where the list has heads.
    """
    row = next(row for row in rows_of_lines(shown.texts) if any(place.contains(line.box.center) for line in row))
    inside = [line for line in row if place.contains(line.box.center)]
    told = {line: put_back(line.text, known.values) for line in (inside if len(inside) > 1 else row)}
    cells = [line for line, text in told.items() if names(text)] or inside
    columns = columns_of(row, cells, shown)
    text = "\n".join(told[cell] for cell in cells)
    is_data = any(put_back(name, known.values) != name for name in columns)  # then it is no head, but the first row
    return {"text": text, **({"columns": "\n".join(columns)} if any(columns) and not is_data else {})}


def _kind(value_kind: str) -> str:
    return value_kind if value_kind in VALUE_KINDS else "text"


def _unless_whose(label: str) -> str:
    """The label; "" where it says whose value it is, which is another one's in the next run."""
    says_whose = names(label) or names_record(label)
    return label if not says_whose and any(letter.isalpha() for letter in label) else ""


def _number_behind(point: Point, shown: ScreenState) -> TextLine | None:
    """The number that is pointed at behind words that say what it is; None where it is no number, or alone."""
    line = _line_at(point, shown)
    said = _SAYS_A_NUMBER.match(line.text) if line is not None else None
    if line is None or said is None:
        return None
    words = words_of(line, shown.frame)
    first = next(n for n, span in enumerate(spans_of(words, line.text)) if span[0] >= said.start("value"))
    own = line.box._replace(x=words[first].box.x, w=line.box.right - words[first].box.x)
    return TextLine(text=said["value"], box=own) if own.contains(point) else None


def _line_at(point: Point, shown: ScreenState) -> TextLine | None:
    """The line that is pointed at, or nearly; the smallest of several."""
    near = [line for line in shown.texts if line.box.grown(4, shown.frame.size).contains(point)]
    inside = [line for line in near if line.box.contains(point)]  # lines of a dense list lie closer than that
    return min(inside or near, key=lambda line: line.box.area, default=None)


def _anchor(place: Box, shown: ScreenState) -> Box | None:
    """The nearest text that is the same each time: left of it in its row, or above it."""
    fixed = [line.box for line in in_cells(shown).texts if _is_the_same_each_time(line.text)]
    near = [
        box
        for box in fixed
        if not place.intersection(box).area and (box.right <= place.x + place.w and box.y <= place.bottom)
    ]
    return min(
        near, key=lambda b: abs(b.center.y - place.center.y) * 2 + abs(b.center.x - place.center.x), default=None
    )
