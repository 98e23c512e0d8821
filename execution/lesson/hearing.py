"""What a page sends, as an act; what is none is refused before anything is touched."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from execution.language.read_values import parsed_date
from execution.lesson.acts import POINTED, Act
from execution.lesson.looks import KINDS
from execution.models import Lesson, LessonStep
from execution.types import Box, Point, Size
from sentences.said import say
from workflows.catalogue import ACTIONS, LOGIN, SETTING_ACTION_TYPES
from workflows.text import sole_name

LONGEST_TEXT, LONGEST_SECRET, LONGEST_VALUE = 20_000, 1_000, 300
_MOST_CLICKS = 50  # of a wheel, in one message


class Unheard(Exception):
    """It is no act; its sentence says so."""


def heard_act(message: Mapping[str, Any], heard_at: float, *, size: Size) -> Act:
    """The act of a message `act`, `type` or `keys`; raises Unheard."""
    common: dict[str, Any] = {
        "id": str(message.get("id", ""))[:100],
        "keep": message.get("keep") is not False,
        "heard_at": heard_at,
    }
    if message.get("type") == "type":
        return _typed(message, common)
    if message.get("type") == "keys":
        keys = message.get("keys")
        if not isinstance(keys, str) or not keys.strip() or len(keys) > 100:
            raise Unheard(say("lesson.bad_message"))
        return Act(kind="press_keys", keys=keys.strip().lower(), **common)
    kind, point = _kind(message, POINTED), _point(message, size)
    again = kind == "double_click" and bool(message.get("instead_of"))
    most = max(size) if kind == "drag" else _MOST_CLICKS
    dx, dy = (max(-most, min(most, _number(message.get(name, 0)))) for name in ("dx", "dy"))
    return Act(kind=kind, point=point, dx=dx, dy=dy, box=drawn(message.get("box"), size), again=again, **common)


def heard_look(message: Mapping[str, Any], heard_at: float, *, size: Size) -> Act:
    """The act of a message `look`, at a point or in a box; raises Unheard."""
    kind, box = _kind(message, KINDS), drawn(message.get("box"), size)
    point = box.center if box is not None else _point(message, size)
    return Act(id=str(message.get("id", ""))[:100], kind=kind, point=point, box=box, heard_at=heard_at)


def heard_setting(message: Mapping[str, Any], heard_at: float, *, size: Size) -> Act:
    """The act of a message `set`: a control, and what it is to be brought to, or who logs in; raises Unheard.

    A value is as it is, or a {{variable}} that holds it.
    """
    kind, given = _kind(message, SETTING_ACTION_TYPES | {LOGIN}), message.get("params")
    if not isinstance(given, Mapping):
        raise Unheard(say("lesson.bad_message"))
    params = {}
    for param in ACTIONS[kind].params:
        value = given.get(param.name, param.default)
        if not isinstance(value, str) or len(value) > LONGEST_VALUE or (param.required and not value.strip()):
            raise Unheard(say("lesson.bad_message"))
        if param.choices and value not in param.choices and not sole_name(value):
            raise Unheard(say("lesson.bad_message"))
        if value.strip():
            params[param.name] = value.strip()
    date = params.get("date", "")
    if date and not sole_name(date) and not parsed_date(date, params.get("format", "")):
        raise Unheard(say("turn.value_no_date", text=date))
    name = str(message.get("id", ""))[:100]
    if kind == LOGIN:
        return Act(id=name, kind=LOGIN, given=params, heard_at=heard_at)
    box = drawn(message.get("box"), size)
    point = box.center if box is not None else _point(message, size)
    return Act(id=name, kind=kind, point=point, box=box, given=params, heard_at=heard_at)


def pointed(message: Mapping[str, Any], size: Size) -> Point:
    """Where on the desktop a message means; raises Unheard."""
    return _point(message, size)


def heard_repeat(message: Mapping[str, Any], lesson: Lesson) -> tuple[LessonStep, dict[str, Any]]:
    """The step of a message `repeat`, and how it is to be repeated; raises Unheard."""
    index, most = message.get("step"), message.get("most")
    step = lesson.steps.filter(index=index).first() if isinstance(index, int) else None
    lists = {name: message.get(name) or [] for name in ("until", "steps")}
    told = all(isinstance(texts, list) and all(isinstance(text, str) for text in texts) for texts in lists.values())
    if step is None or not told or not isinstance(most, int) or isinstance(most, bool):
        raise Unheard(say("lesson.bad_message"))
    return step, {"counter": str(message.get("counter") or "n")[:50], "most": most, **lists}


def drawn(box: Any, size: Size) -> Box | None:
    """A box that a person drew, cut to the desktop; None for none."""
    if not isinstance(box, list) or len(box) != 4:
        return None
    whole = Box(*(_number(side) for side in box)).intersection(Box(0, 0, *size))
    return whole if whole.area else None


def _kind(message: Mapping[str, Any], known: Collection[str]) -> str:
    kind = message.get("act")
    if not isinstance(kind, str) or kind not in known:
        raise Unheard(say("lesson.bad_message"))
    return kind


def _typed(message: Mapping[str, Any], common: Mapping[str, Any]) -> Act:
    text = message.get("text")
    if not isinstance(text, str) or not text or len(text) > LONGEST_TEXT:
        raise Unheard(say("lesson.bad_message"))
    if "secret" in message:
        return _secret(message["secret"], text, common)
    return Act(kind="type_text", text=text.replace("\r\n", "\n").replace("\r", "\n"), **common)


def _secret(secret: Any, text: str, common: Mapping[str, Any]) -> Act:
    """A secret is typed in the place of the {{variable}} that holds it in a run; the text is that and no more."""
    if not isinstance(secret, str) or not secret or len(secret) > LONGEST_SECRET or not sole_name(text):
        raise Unheard(say("lesson.bad_message"))
    return Act(kind="type_text", text="{{" + sole_name(text) + "}}", secret=secret, **common)


def _point(message: Mapping[str, Any], size: Size) -> Point:
    point = Point(_number(message.get("x")), _number(message.get("y")))
    if not Box(0, 0, *size).contains(point):
        raise Unheard(say("lesson.bad_message"))
    return point


def _number(value: Any) -> int:
    if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) > 1e6:
        raise Unheard(say("lesson.bad_message"))
    return round(value)
