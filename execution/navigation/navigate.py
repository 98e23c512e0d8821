"""The action `navigate`: go to a place that is described in words, by sight, one click at a time (S5.1).

Each step clicks the one thing that bears the label, and looks what came of it. What is ambiguous, greyed out or not
there is not guessed at: the action fails and says what was looked for and what is there. A menu that it opened and did
not need is closed again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from execution.desktop.base import DesktopError, DesktopLost
from execution.desktop.capture import looks
from execution.language.fuzzy import SEEN, similarity, words
from execution.language.menu_paths import BadPlace, levels_of
from execution.language.screen_texts import ScreenWords, around, wanted
from execution.matching.windows import title_matches
from execution.navigation.finding import MENUS, Spot, find_label, what_is_there
from execution.navigation.hands import Hands, Stopped
from execution.types import ActionResult, ActionStatus, Box, ElementRole, ElementState, Point, ScreenState, TextLine
from execution.verification.change import something_changed
from sentences.said import by_sentence, cause, say, told_by
from workflows.graph import NodeSpec

LIMIT_S = 180.0
APPEARS_S = 5.0  # what a click brings up is there by then; a slow machine's menus take a second

log = logging.getLogger("surehand.navigate")
_T = TypeVar("_T")
_KEPT_STATES = frozenset({ElementRole.TAB, ElementRole.RADIO})  # "checked" says that it is where one is


class NotThere(Exception):
    """The way ends here; the message says why."""


def handle_navigate_action(params: Mapping[str, Any], *, context: Hands) -> ActionResult:
    """Go to `params["place"]`: a menu path, the text of a button, tab or link, or the name of a screen.

    Never raises: what goes wrong is a failed result with the reason, or `uncertain` if the desktop was lost in a click.
    """
    began = time.perf_counter()
    status, message = ActionStatus.FAILED, ""
    journey = Journey(context)
    try:
        message = journey.go(params.get("place"))
        status = ActionStatus.DONE
    except (NotThere, BadPlace) as error:
        message = by_sentence([told_by(error), journey.close_menus()])
    except Stopped as error:
        message = told_by(error) or say("going.stopped")
    except DesktopLost as error:
        status, message = ActionStatus.UNCERTAIN, told_by(error)
    except Exception as error:  # S5.1: an action that goes wrong is a failed result, whatever went wrong
        log.exception("navigate failed")
        message = say("going.failed", error=cause(error))
    return ActionResult(status=status, message=message, act_ms=(time.perf_counter() - began) * 1000)


class Journey:
    """One way to one place."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        self._until = min(hands.deadline, time.monotonic() + LIMIT_S)
        self._menus: list[Opened] = []
        self._state: ScreenState | None = None

    def go(self, place: Any) -> str:
        """Go there; what was done, in words. Raises NotThere, BadPlace, and what the hands raise."""
        want = wanted(place if isinstance(place, str) else "", self._hands.variables)
        if want.problem:
            raise BadPlace(say("place.unusable", problem=want.problem))
        node = self._node(want.text)
        levels = (node.name,) if node else levels_of(want.text)
        state = self._look(self._hands.observe)
        if there := self._already(levels, node, state, exact=want.exact):
            return there
        for number, label in enumerate(levels):
            state = self._step(levels, number, label, state, exact=want.exact)
        if node and _knowable(node) and not self._await(lambda s: _shows(node, s, self._hands.variables)):
            raise NotThere(say("going.another_screen", label=node.name))
        return say("going.arrived", place=" > ".join(levels))

    def close_menus(self) -> str:
        """Close the menus that were opened on the way and are still there; what was done, in words."""
        closed = 0
        try:
            for menu in reversed(self._menus):
                if self._state is not None and is_open(menu, self._state):
                    self._hands.press(("escape",))
                    self._state = self._hands.settle()
                    closed += 1
        except Exception as error:  # noqa: BLE001 - it has failed already; this only adds to what is said of it
            return say("going.menu_stayed", error=told_by(error) or type(error).__name__)
        if closed and any(is_open(menu, self._state) for menu in self._menus if self._state):
            return say("going.menu_not_closed")
        return say("going.menu_closed") if closed else ""

    # --- one step -------------------------------------------------------------------------------------------------
    def _step(self, levels: Sequence[str], number: int, label: str, state: ScreenState, *, exact: bool) -> ScreenState:
        new = boxes(self._menus[-1]) if self._menus else ()
        in_menu = number == 0 < len(levels) - 1
        finding = find_label(label, state, new=new, in_menu=in_menu, exact=exact)
        if finding.spot is None:
            raise NotThere(by_sentence([say("record.for_a_reason", said=finding.why_not), what_is_there(state)]))
        last = number == len(levels) - 1
        if last:
            return self._arrive(label, finding.spot, state)
        return self._open(finding.spot, levels[number + 1], state, exact=exact)

    def _arrive(self, label: str, spot: Spot, before: ScreenState) -> ScreenState:
        self._click(spot)
        after = self._await(lambda s: s if something_changed(before, s) else None)
        if after is None:
            raise NotThere(say("going.nothing_changed", label=label))
        return after

    def _open(self, spot: Spot, following: str, before: ScreenState, *, exact: bool) -> ScreenState:
        """Click, and wait until the next level is there; once more if the click closed what was open."""
        after = self._opened(spot, following, before, exact=exact)
        if after is None and find_label(following, before, exact=exact).spot is not None:
            before = self._state or before
            after = self._opened(spot, following, before, exact=exact)
        if after is not None:
            return after
        last = self._state or before
        self._menus.append(opened_by(spot, before, last))
        unseen = find_label(following, last, new=boxes(self._menus[-1]), exact=exact).why_not
        why = say("record.for_a_reason", said=unseen)
        if not something_changed(before, last):
            why = say("going.nothing_changed", label=spot.text)
        elif came := appeared(before, last):
            texts = [line.text[:40] for line in came[:10]]
            why = by_sentence([why, say("going.came_up", label=spot.text, texts=texts)])
        raise NotThere(why)

    def _opened(self, spot: Spot, following: str, before: ScreenState, *, exact: bool) -> ScreenState | None:
        """The screen after a click on the spot, once the next level is on it."""
        self._click(spot)
        after = self._await(lambda s: s if self._offers(following, spot, before, s, exact=exact) else None)
        if after is not None:
            self._menus.append(opened_by(spot, before, after))
        return after

    def _offers(self, label: str, spot: Spot, before: ScreenState, after: ScreenState, *, exact: bool) -> bool:
        """Whether the next level can be told on the screen after the click, new or at least still there."""
        new = boxes(opened_by(spot, before, after))
        return something_changed(before, after) and find_label(label, after, new=new, exact=exact).spot is not None

    def _click(self, spot: Spot) -> None:
        if self._hands.stopped():
            raise Stopped(say("going.stopped_before", label=spot.text))
        if time.monotonic() >= self._until:
            raise NotThere(say("going.late", label=spot.text))
        self._hands.click(Point(*spot.box.center))

    # --- looking --------------------------------------------------------------------------------------------------
    def _await(self, found: Callable[[ScreenState], _T | None]) -> _T | None:
        """What `found` makes of the screen as soon as it makes anything of it, None after some seconds."""
        for _look in looks(min(self._until - time.monotonic(), APPEARS_S)):
            if answer := found(self._look(self._hands.settle)):
                return answer
            if self._hands.stopped():
                break
        return None

    def _look(self, how: Callable[[], ScreenState]) -> ScreenState:
        """The screen; NotThere where there is no picture of it or nothing on it could be read."""
        try:
            state = how()
        except (DesktopError, OSError) as error:
            raise NotThere(say("going.no_picture", error=told_by(error) or type(error).__name__)) from error
        if not state.text_method and not state.elements:
            raise NotThere(say("going.unread", notes=by_sentence(state.notes) or "–"))
        self._state = state
        return state

    def _already(self, levels: Sequence[str], node: NodeSpec | None, state: ScreenState, *, exact: bool) -> str:
        """A sentence if nothing has to be done, else ""."""
        place = " > ".join(levels)
        title = state.window.title if state.window else ""
        at_node = node is not None and _knowable(node) and _shows(node, state, self._hands.variables)
        if at_node or (node is None and similarity(levels[-1], title, strict=exact) == 1.0):
            return say("going.there_already", place=place)
        if len(levels) == 1:
            spot = find_label(levels[0], state, exact=exact).spot
            if spot and spot.role in _KEPT_STATES and ElementState.CHECKED in spot.states:
                return say("going.chosen_already", place=place)
        return ""

    def _node(self, place: str) -> NodeSpec | None:
        """The workflow's screen of that name or id."""
        named = [n for n in self._hands.nodes if n.node_id == place or (n.name and similarity(n.name, place) == 1.0)]
        return named[0] if len(named) == 1 else None


def _knowable(node: NodeSpec) -> bool:
    """Whether a look at texts and title alone can tell that screen."""
    return bool(node.texts or node.window_title)


def _shows(node: NodeSpec, state: ScreenState, variables: Mapping[str, str]) -> bool:
    """Whether all that the node is known by in words is there."""
    seen = ScreenWords.of(state.texts)
    texts, absent = ([wanted(t, variables) for t in some] for some in (node.texts, node.absent))
    title = wanted(node.window_title, variables)
    if any(w.problem for w in (*texts, title)):
        return False
    return (
        all(seen.seen(w.text, strict=w.exact) >= SEEN for w in texts)
        and not any(not w.problem and seen.seen(w.text, strict=w.exact) >= SEEN for w in absent)
        and (not title.text or title_matches(title.text, state.window.title if state.window else ""))
    )


# What a click brought up on the screen, and whether that is a menu that Escape closes again.

_SAME_PLACE = 0.4
_STILL = 0.5  # of a menu's texts: while so many are there it is open
_MENU_PART = 0.5  # of the screen: what is larger is a page, not a menu
_NEAR = 12  # pixels between a control and the menu it opens


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The texts that a click brought up, and whether they are a menu beside what was clicked."""

    lines: tuple[TextLine, ...]
    is_menu: bool


def opened_by(spot: Spot, before: ScreenState, after: ScreenState) -> Opened:
    """What is there after a click on `spot` that was not there before."""
    lines = appeared(before, after)
    same_window = _title(before) == _title(after)
    return Opened(lines=lines, is_menu=bool(lines) and same_window and _beside(spot, lines, after))


def appeared(before: ScreenState, after: ScreenState) -> tuple[TextLine, ...]:
    """The lines that no line of the screen before was at their place with the same text."""
    return tuple(line for line in after.texts if not _stands(line, before))


def is_open(menu: Opened, state: ScreenState) -> bool:
    """Whether most of the menu is still there, where it was."""
    there = sum(_stands(line, state) for line in menu.lines)
    return menu.is_menu and there >= _STILL * len(menu.lines)


def _stands(line: TextLine, state: ScreenState) -> bool:
    key = words(line.text).key
    return any(line.box.iou(other.box) > _SAME_PLACE and words(other.text).key == key for other in state.texts)


def _beside(spot: Spot, lines: tuple[TextLine, ...], state: ScreenState) -> bool:
    """A menu opens at what was clicked and covers a part of the screen."""
    whole = around(line.box for line in lines)
    small = whole.area <= _MENU_PART * state.frame.size.width * state.frame.size.height
    reach = _NEAR + 2 * spot.box.h
    near = spot.box.grown(reach, state.frame.size).intersection(whole).area > 0
    return small and near and spot.role in MENUS | {ElementRole.BUTTON, ElementRole.TEXT, ElementRole.ICON}


def boxes(opened: Opened) -> tuple[Box, ...]:
    return tuple(line.box for line in opened.lines)


def _title(state: ScreenState) -> str:
    return state.window.title if state.window else ""
