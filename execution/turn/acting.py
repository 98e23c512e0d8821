"""Decision → ActionResult: the hands. Knows every action of one movement and nothing of why it is done."""

from __future__ import annotations

import time
from collections.abc import Callable

from execution.desktop.base import CHOOSE_ALL, Desktop, DesktopError, DesktopLost
from execution.targeting.pressing import PRESS
from execution.turn.popups import CLOSE
from execution.types import ActionResult, ActionStatus, Point, ResolveStatus, Suggestion
from sentences.said import say, told_by


def perform(desktop: Desktop, suggestion: Suggestion) -> ActionResult:
    """Do what is suggested. Never raises for what the desktop does: a desktop lost in the middle is *uncertain*."""
    began = time.perf_counter()
    status, message = ActionStatus.DONE, ""
    act = _PERFORM.get(suggestion.edge.action_type, _unknown)
    try:
        act(desktop, suggestion)
    except DesktopLost as error:
        status, message = ActionStatus.UNCERTAIN, told_by(error)
    except (DesktopError, NoTarget) as error:  # no such key, a point beside the screen: nothing was touched
        status, message = ActionStatus.FAILED, told_by(error)
    return ActionResult(status=status, message=message, act_ms=(time.perf_counter() - began) * 1000)


class NoTarget(Exception):
    """The action needs a place and none was resolved, or nobody knows it: nothing is touched."""


def point_of(suggestion: Suggestion) -> Point:
    """Where to act. Raises NoTarget."""
    resolution = suggestion.resolution
    if resolution.status is not ResolveStatus.FOUND or resolution.point is None:
        raise NoTarget(say("turn.no_target"))
    return resolution.point


def _unknown(desktop: Desktop, suggestion: Suggestion) -> None:
    raise NoTarget(say("turn.unknown_action", action=suggestion.edge.action_type))


def _click(desktop: Desktop, suggestion: Suggestion) -> None:
    desktop.click(point_of(suggestion))


def _double_click(desktop: Desktop, suggestion: Suggestion) -> None:
    desktop.click(point_of(suggestion), count=2)


def _right_click(desktop: Desktop, suggestion: Suggestion) -> None:
    desktop.click(point_of(suggestion), button="right")


def _drag(desktop: Desktop, suggestion: Suggestion) -> None:
    start, params = point_of(suggestion), suggestion.params
    desktop.drag(start, Point(start.x + int(params["dx"]), start.y + int(params["dy"])))


def _scroll(desktop: Desktop, suggestion: Suggestion) -> None:
    if suggestion.resolution.status is ResolveStatus.NOT_NEEDED:
        size = desktop.grab().size
        point = Point(size.width // 2, size.height // 2)
    else:
        point = point_of(suggestion)
    desktop.scroll(point, dx=int(suggestion.params.get("dx", 0)), dy=int(suggestion.params.get("dy", 3)))


def send_keys(desktop: Desktop, suggestion: Suggestion) -> None:
    """Type, or press, into whatever has the focus."""
    act = _type_text if suggestion.edge.action_type == "type_text" else _press_keys
    act(desktop, suggestion)


def _type_text(desktop: Desktop, suggestion: Suggestion) -> None:
    text = str(suggestion.params["text"])
    if suggestion.params.get("clear"):
        for keys in CHOOSE_ALL:
            desktop.press(keys)
        if not text:
            desktop.press(("delete",))
    desktop.type_text(text)
    if suggestion.params.get("enter"):
        desktop.press(("enter",))


def _press_keys(desktop: Desktop, suggestion: Suggestion) -> None:
    keys = suggestion.params["keys"]
    desktop.press(tuple(keys.split("+")) if isinstance(keys, str) else tuple(keys))


def _close_popup(desktop: Desktop, suggestion: Suggestion) -> None:
    if suggestion.params.get("keys"):
        _press_keys(desktop, suggestion)
    else:
        _click(desktop, suggestion)


_PERFORM: dict[str, Callable[[Desktop, Suggestion], None]] = {
    "click": _click,
    "double_click": _double_click,
    "right_click": _right_click,
    "drag": _drag,
    "scroll": _scroll,
    "type_text": _type_text,
    "press_keys": _press_keys,
    CLOSE: _close_popup,
    PRESS: _click,
}
