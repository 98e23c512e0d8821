"""A run's desktop in a person's hands: what they do on the live page is done there, and told before it is (S6.15).

The run loop stands still meanwhile and does the acts itself, one after the other, so nobody else acts. Of what is typed
the record has the length alone: it may be a password, and nobody can tell.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings

from execution.choices import ExecutionState, PauseReason, Wish
from execution.desktop.base import Desktop, DesktopError, DesktopLost
from execution.lesson.acts import POINTED, Act, Acted, do
from execution.lesson.hearing import Unheard, heard_act
from execution.lesson.sight import Sight
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.journal import Journal
from execution.record.patience import let_go_of_broken
from execution.record.redaction import covered
from execution.running.live_picture import encoded
from execution.running.teach_clients import Client, Clients
from execution.running.teach_line import control_line_of
from execution.types import ElementRole, Frame, Point, ScreenState, Size
from sentences.said import say, to_json, told_by
from workflows.exceptions import PictureError
from workflows.graph import NormBox

log = logging.getLogger(__name__)

CLICKED = ("click", "double_click")
_RIM = 2  # pixels around a field
LOOK_EVERY_S = 0.1  # whether it was given back

_Message = dict[str, Any]


class ControlSession:
    """`run` returns when it was given back, when nobody is there any more, or when the run loop leaves."""

    def __init__(
        self,
        journal: Journal,
        *,
        desktop: Desktop,
        analyzer: ScreenAnalyzer,
        robot_name: str,
        leave: threading.Event,
        may_act: Callable[[], None] = lambda: None,
    ) -> None:
        self.journal, self.desktop, self.leave, self.may_act = journal, desktop, leave, may_act
        self.who = str(journal.execution.pause_detail.get("by") or "")
        self._inbox: queue.Queue[Callable[[], None]] = queue.Queue()
        self._clients = Clients(
            control_line_of(robot_name), journal.execution.execution_id, heard=self._hear, came=self._greet
        )
        self.sight = Sight(
            desktop, analyzer, on_frame=self._show, on_read=self._seen, on_problem=self._went_wrong
        )  # fmt: skip
        self._number = 0
        self._last_there = time.monotonic()
        self._has_left = self._typed = False
        self._clicked: Point | None = None  # what has the focus, as far as anybody can tell
        self._fields: list[NormBox] | None = []  # that something was typed into; None where one of them is not known
        self._problem: Exception | None = None

    def run(self) -> None:
        """Raises DesktopLost and LeaseLost; whatever ends it, keys and buttons are up."""
        self._clients.start()
        self.sight.start()
        try:
            while not self.leave.is_set() and self._problem is None and self._is_in_hand():
                try:
                    self._inbox.get(timeout=LOOK_EVERY_S)()
                except queue.Empty:
                    let_go_of_broken()
        finally:
            self._clients.stop()
            self.sight.stop()
            self._let_go()
        if self._problem is not None:
            raise self._problem
        if self._has_left:
            self.journal.control_left(self.who)

    def _is_in_hand(self) -> bool:
        """Whether the person still has it, and is there; who went away has given it back."""
        execution = self.journal.refresh()
        if execution.wish != Wish.NONE or execution.state != ExecutionState.PAUSED:
            return False
        if execution.pause_reason != PauseReason.CONTROL:
            return False
        now = time.monotonic()
        if self._clients.all():
            self._last_there = now
        elif now - self._last_there > settings.RPA_TEACH_AWAY_S:
            self._has_left = True
        return not self._has_left

    def _let_go(self) -> None:
        try:
            self.desktop.release_all()
        except DesktopLost as error:
            log.warning("the desktop went away before it could be let go of: %s", error)

    def _went_wrong(self, problem: Exception) -> None:
        """In a thread of the eyes: nobody acts on a desktop that nobody sees."""
        log.warning("nobody can have control: %r", problem, extra={"execution": self.journal.execution.execution_id})
        self._problem = problem

    # --- what is heard ----------------------------------------------------------------------------------------------
    def _greet(self, client: Client) -> None:
        """In the browser's thread."""
        client.send({"type": "control", "size": list(self.sight.newest().size)})

    def _hear(self, client: Client, message: _Message) -> None:
        if message.get("type") == "pointer":  # what a click there would touch is a lesson's question
            client.taken()
            return
        heard_at = time.perf_counter()
        self._inbox.put(lambda: self._take(client, message, heard_at))

    def _take(self, client: Client, message: _Message, heard_at: float) -> None:
        client.taken()
        if not self._is_in_hand():  # given back between the click and now
            client.refuse(message, say("running.no_control"))
            return
        size = self.sight.newest().size
        try:
            if message.get("type") not in ("act", "type", "keys"):
                raise Unheard(say("lesson.bad_message"))
            act = heard_act(message, heard_at, size=size)
        except Unheard as error:
            client.refuse(message, error.args[0])
            return
        self._carry_out(client, act, size)

    def _carry_out(self, client: Client, act: Act, size: Size) -> None:
        self.may_act()
        on = self._text_at(act.point) if act.kind in POINTED else ""
        told = {"by": self.who, **told_of(act, size, on), **self._picture_of(act)}
        self.journal.control(told)
        try:
            do(self.desktop, act)
        except DesktopLost:
            raise
        except DesktopError as error:  # no such key, a place beside the screen: nothing was touched
            why = say("lesson.not_done", why=told_by(error))
            self.journal.control({**told, "failed": to_json(why)})
            client.tell_acted(act.id, Acted(state="refused", why=why))
            return
        self.sight.stirred()
        client.tell_acted(act.id, Acted(state="done", ms=1000 * (time.perf_counter() - act.heard_at)))

    def _picture_of(self, act: Act) -> dict[str, Any]:
        """The screen that it is done on, as it may be kept, so that it can be taught from. No typed text shows: the
        field is painted over, and where nobody can tell which it was there are no pictures from then on."""
        goes_on, self._typed = self._typed and bool(act.length), bool(act.length)
        state, clicked = self.sight.current(), self._clicked
        self._clicked = act.point if act.kind in CLICKED else clicked if act.length else None
        fields = self._fields
        if act.length and not goes_on:
            field = field_at(state, clicked) if state is not None and clicked is not None else None
            self._fields = None if field is None or fields is None else [*fields, field]
        if state is None or goes_on or fields is None:
            return {}
        try:
            kept = self.journal.pictures.keep(covered(state, fields))
        except PictureError as error:
            self.journal.warn("storage", told_by(error))
            return {}
        window = kept.shown.state.window
        return {"picture": kept.digest, "window": window.title if window else ""}

    def _text_at(self, point: Point) -> str:
        """What was read there, as it may be kept; empty where the screen is not read yet."""
        state = self.sight.current()
        if state is None:
            return ""
        shown = self.journal.hidden.shown(state).state
        there = [(e.box.area, e.label or e.text) for e in shown.elements if e.box.contains(point)]
        there += [(line.box.area, line.text) for line in shown.texts if line.box.contains(point)]
        return next((text for _area, text in sorted(there) if text), "")

    # --- what is shown ----------------------------------------------------------------------------------------------
    def _show(self, frame: Frame) -> None:
        """In the thread that grabs: what everybody who watches the run may see."""
        self._number += 1
        self._clients.show(self._number, frame.taken_at.timestamp(), encoded(self.journal.hidden.live(frame)))

    def _seen(self, state: ScreenState) -> None:
        """What could not be shown before it was read may be shown now."""
        self.journal.hidden.seen(state)
        if self.journal.hidden.is_needed:
            self._show(state.frame)


def field_at(state: ScreenState, point: Point) -> NormBox | None:
    """The field at the point, as a part of the screen; None where none is seen there."""
    size = state.frame.size
    boxes = [e.box for e in state.elements if e.role is ElementRole.FIELD and e.box.contains(point)]
    box = min(boxes, key=lambda one: one.area, default=None)
    return box.grown(_RIM, size).normalised(size) if box is not None else None


def told_of(act: Act, size: Size, on: str = "") -> dict[str, Any]:
    """The event of an act: never what is typed, and a key that writes is typing."""
    told: dict[str, Any] = {"act": act.kind}
    if act.kind in POINTED:
        told["at"] = _part_of(act.point, size)
        if on:
            told["on"] = on
    if act.kind == "drag":
        told["to"] = _part_of(Point(act.point.x + act.dx, act.point.y + act.dy), size)
    elif act.kind == "scroll":
        told |= {"dx": act.dx, "dy": act.dy}
    elif act.length:
        told |= {"act": "type_text", "length": act.length}
    elif act.kind == "press_keys":
        told["keys"] = act.keys
    return told


def _part_of(point: Point, size: Size) -> list[float]:
    return [round(point.x / size.width, 5), round(point.y / size.height, 5)]
