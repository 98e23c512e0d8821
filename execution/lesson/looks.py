"""Acts that do nothing on the desktop: a text that is waited for or must stand there, a value that is read (S6.12)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from execution.language.fuzzy import words
from execution.lesson.drafting import variable_name
from execution.lesson.screens import Known, telling
from execution.perception.pictures import PictureSink
from execution.teaching.evidence import teach_target
from execution.teaching.expectations import Told, put_back
from execution.teaching.labels import naming_label
from execution.teaching.parts import text_in
from execution.types import Box, Point, ScreenState
from sentences.said import say
from workflows.graph import TargetSpec

KINDS = ("wait_text", "must_see", "read_value")
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
    if kind != "read_value":
        return Seen(params={"text": put_back(text, known.values)}, box=place)
    label = naming_label(place, "", shown)
    called = label.text.strip(" :：") if label else ""
    name = variable_name(name or called or "value")
    params: dict[str, Any] = {"name": name, "kind": value_kind if value_kind in VALUE_KINDS else "text"}
    if label is not None and box is None:
        return Seen(params={**params, "label": label.text}, name=name, value=text, box=place)
    anchor = _anchor(place, shown, known)
    if anchor is None:
        raise ValueError(say("lesson.nothing_beside"))
    target = teach_target(shown.frame, anchor, label=called or name, state=shown, click=anchor.center, store=store)
    params["box"] = [place.x - anchor.x, place.y - anchor.y, place.w, place.h]
    return Seen(params=params, target=target, name=name, value=text, box=place)


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
