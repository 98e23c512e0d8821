"""Acts that do nothing on the desktop: a text that is waited for or must stand there, a value that is read (S6.12)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from execution.language.fuzzy import folded, words
from execution.lesson.drafting import variable_name
from execution.lesson.screens import Known, telling
from execution.perception.pictures import PictureSink
from execution.targeting.records import names_record
from execution.teaching.evidence import teach_target
from execution.teaching.expectations import Told
from execution.teaching.labels import naming_label
from execution.teaching.parts import text_in
from execution.teaching.values import put_back, tells_anywhere
from execution.turn.rows import columns_of, rows_of_lines
from execution.types import Box, Point, ScreenState
from execution.verification.places_of_values import ReadPlace, at_label
from sentences.said import say
from workflows.graph import TargetSpec
from workflows.text import names

KINDS = ("wait_text", "must_see", "must_see_row", "read_value")
# “Number of the request: T-2041”; a time is no label
_SAYS_ITS_LABEL = re.compile(r"\s*(?P<label>[^\d\W][^:：]{1,50}?)\s*[:：]\s+(?P<value>\S.*?)\s*$")
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
    store: PictureSink,
) -> Seen:  # fmt: skip
    """Raises ValueError with a sentence where nothing can be read there."""
    place = box or _line_at(point, shown)
    text = " ".join(line.text for line in text_in(place, shown)).strip() if place is not None else ""
    if place is None or not words(text).key:
        raise ValueError(say("lesson.nothing_read"))
    if kind == "must_see_row":
        return Seen(params=_of_row(place, shown, known), box=place)
    if kind != "read_value":
        return Seen(params={"text": put_back(text, known.values)}, box=place)
    labelled = _labelled(place, text, shown)
    whose = {name: value for name, value in known.values.items() if tells_anywhere(value)}
    by_label = put_back(labelled[0], whose) if labelled else ""
    if labelled and (names(by_label) or _unless_whose(by_label)):
        own = labelled[1]
        name = variable_name(name or _unless_whose(by_label))
        kept = {"name": name, "kind": _kind(value_kind), "label": by_label}
        return Seen(params=kept, name=name, value=own.text, box=own.box or place)
    label = naming_label(place, "", shown)
    by_label = put_back(label.text, whose) if label else ""
    called = _unless_whose(by_label).strip(" :：")
    name = variable_name(name or called or "value")
    params: dict[str, Any] = {"name": name, "kind": _kind(value_kind)}
    if box is None and (called or names(by_label)):
        return Seen(params={**params, "label": by_label}, name=name, value=text, box=place)
    anchor = _anchor(place, shown, known)
    if anchor is None:
        raise ValueError(say("lesson.nothing_beside"))
    target = teach_target(shown.frame, anchor, label=called or name, state=shown, click=anchor.center, store=store)
    params["box"] = [place.x - anchor.x, place.y - anchor.y, place.w, place.h]
    return Seen(params=params, target=target, name=name, value=text, box=place)


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
    return "" if names(label) or names_record(label) else label


def _labelled(place: Box, text: str, shown: ScreenState) -> tuple[str, ReadPlace] | None:
    """The label and the value where a line says both, and a run that looks there by the label reads that value.

    `text` is what stands at the place: the line, or its value alone.
    """
    line = next((line for line in shown.texts if line.box.grown(4, shown.frame.size).contains(place.center)), None)
    said = _SAYS_ITS_LABEL.match(line.text) if line is not None else None
    if line is None or said is None or folded(text) not in (folded(line.text), folded(said["value"])):
        return None
    read = at_label(said["label"], shown)
    same = not read.problem and folded(read.text) == folded(said["value"])
    return (said["label"], read) if same else None


def _line_at(point: Point, shown: ScreenState) -> Box | None:
    lines = [line.box for line in shown.texts if line.box.grown(4, shown.frame.size).contains(point)]
    return min(lines, key=lambda box: box.area, default=None)


def _anchor(place: Box, shown: ScreenState, known: Known) -> Box | None:
    """The nearest text that is the same each time: left of it in its row, or above it."""
    fixed = [one.line.box for one in telling(shown, known) if one.kind is Told.TELLS]
    near = [
        box
        for box in fixed
        if not place.intersection(box).area and (box.right <= place.x + place.w and box.y <= place.bottom)
    ]
    return min(
        near, key=lambda b: abs(b.center.y - place.center.y) * 2 + abs(b.center.x - place.center.x), default=None
    )
