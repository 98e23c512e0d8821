"""Actions that the run loop does itself, with eyes and hands: waiting, going somewhere, logging in (S5.1, S5.6)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from django.utils.module_loading import import_string

from execution.desktop.base import DesktopLost
from execution.exceptions import LeaseLost
from execution.navigation.hands import Stopped
from execution.perception.changes import find_changes
from execution.turn import calling, entering, looking, setting, waiting
from execution.turn.holding import Hold
from execution.turn.stages import Stages
from execution.types import ActionResult, ActionStatus, Box, Point, ScreenState, Suggestion
from sentences.said import cause, say, told_by
from workflows.catalogue import CALLING_ACTION_TYPES, SETTING_ACTION_TYPES
from workflows.secret import Login
from workflows.vault import open_credential

log = logging.getLogger(__name__)

LIMIT_S = 180.0
_STILL_MS = 150  # a list that opens or scrolls is drawn at once, or glides; what glides moves all the time
Handler = Callable[..., ActionResult]
# Found by name when they are needed: they bring the whole of navigation with them.
HANDLERS: Mapping[str, str] = {
    "navigate": "execution.navigation.handle_navigate_action",
    "visual_login": "execution.navigation.handle_visual_login_action",
}


class TimeOver(Stopped):
    """The action's own time is over; nobody asked for it to end."""


def perform(stages: Stages, suggestion: Suggestion, hold: Hold, *, limit_s: float = LIMIT_S) -> ActionResult:
    """Do it. Raises Stopped where a person or the loop ended it, LeaseLost, and nothing else (S5.1)."""
    began = time.perf_counter()
    status = ActionStatus.FAILED
    try:
        if suggestion.edge.action_type in waiting.WAITS:
            return waiting.perform(stages, suggestion, hold)
        if suggestion.edge.action_type in CALLING_ACTION_TYPES:
            return calling.perform(stages, suggestion)
        if looking.looks(suggestion.edge):
            return looking.perform(stages.eyes, suggestion, hold, stages.variables)
        if suggestion.edge.action_type in SETTING_ACTION_TYPES:
            return _set(stages, suggestion, hold, limit_s=limit_s)
        return _handled(stages, suggestion, hold, limit_s=limit_s)
    except TimeOver:
        message = say("turn.not_in_time", n=limit_s)
    except (Stopped, LeaseLost):
        raise
    except DesktopLost as error:
        status, message = ActionStatus.UNCERTAIN, told_by(error)
    except Exception as error:  # a handler may be a deployment's own: whatever it raises is a failed act (S5.1)
        log.exception("the action %s failed", suggestion.edge.action_type)
        message = say("turn.failed", error=cause(error))
    return ActionResult(status=status, message=message, act_ms=(time.perf_counter() - began) * 1000)


def _set(stages: Stages, suggestion: Suggestion, hold: Hold, *, limit_s: float) -> ActionResult:
    began = time.perf_counter()
    hands = LoopHands(stages, suggestion, hold, limit_s=limit_s)
    state = stages.eyes.last_read or stages.observe()
    try:
        problem = setting.perform(hands, suggestion, state)
    except TimeOver:
        problem = say("turn.not_in_time", n=limit_s)
    except Stopped as stopped:
        stopped.touched = hands.touched
        raise
    status = ActionStatus.FAILED if problem else ActionStatus.DONE
    act_ms = (time.perf_counter() - began) * 1000
    return ActionResult(status=status, message=problem, act_ms=act_ms, touched=hands.touched)


def _handled(stages: Stages, suggestion: Suggestion, hold: Hold, *, limit_s: float) -> ActionResult:
    handler: Handler = import_string(HANDLERS[suggestion.edge.action_type])
    hands = LoopHands(stages, suggestion, hold, limit_s=limit_s)
    try:
        result = handler(suggestion.params, context=hands)
        if result.status is not ActionStatus.DONE and hold.stopped():
            raise Stopped  # it failed because it was stopped, whatever it says
    except Stopped as stopped:
        stopped.touched = hands.touched
        raise
    return result


class LoopHands:
    """`Hands` on the run's own desktop: every look and touch asks first whether it still may."""

    def __init__(self, stages: Stages, suggestion: Suggestion, hold: Hold, *, limit_s: float) -> None:
        self._stages, self._edge, self._hold = stages, suggestion.edge, hold
        self.variables: Mapping[str, str] = stages.variables
        scope = stages.graph.scope_of(suggestion.edge.source)
        self.nodes = tuple(node for node in stages.graph.nodes if node.scope == scope)
        self.texts = tuple(dict.fromkeys(text for node in self.nodes for text in node.texts))
        self.deadline = time.monotonic() + limit_s
        self.touched = False

    def observe(self) -> ScreenState:
        self._check()
        return self._stages.observe()

    def settle(self) -> ScreenState:
        self._check()
        return self._stages.settle(self._edge)

    def click(self, point: Point) -> None:
        self._check()
        self.touched = True
        self._stages.eyes.desktop.click(point)

    def still(self) -> ScreenState:
        self._check()
        return self._stages.settle(replace(self._edge, settle_ms=min(self._edge.settle_ms, _STILL_MS)))

    def click_seen(self, box: Box, state: ScreenState) -> str:
        """Click the middle of what was read there, if it is still drawn so; else why not, in a sentence."""
        self._check()
        now = self._stages.glance()
        if not Box(0, 0, *state.frame.size).contains(box.center):
            return say("turn.place_looks_otherwise")  # outside the picture nothing was read
        changes = find_changes(state.frame.crop(box), now.frame.crop(box))
        if changes is None or not changes.is_caret_only:
            return say("turn.place_looks_otherwise")
        self.touched = True
        self._stages.eyes.desktop.click(box.center)
        return ""

    def enter(self, suggestion: Suggestion, box: Box) -> str:
        """Click into a field near its beginning; why nothing may be typed in it, "" if it may."""
        before = self._stages.eyes.last_look
        self.click(Point(box.x + min(box.w // 4, box.h // 2), box.center.y))
        return entering.why_not(self._stages, suggestion, before, box)

    def scroll(self, point: Point, dy: int) -> None:
        self._check()
        self.touched = True
        self._stages.eyes.desktop.scroll(point, dy=dy)

    def type_text(self, text: str) -> None:
        self._check()
        self.touched = True
        self._stages.eyes.desktop.type_text(text)

    def press(self, keys: Sequence[str]) -> None:
        self._check()
        self.touched = True
        self._stages.eyes.desktop.press(keys)

    def credential(self, name: str) -> Login:
        self._check()
        return open_credential(name, reason=f"{self._hold.about}: {self._edge.edge_id}")

    def stopped(self) -> bool:
        return time.monotonic() >= self.deadline or self._hold.stopped()

    def _check(self) -> None:
        if time.monotonic() >= self.deadline:
            raise TimeOver
        self._hold.check()
