"""What a teacher does on the desktop, kept as steps of the draft: look, understand, ask, do, look again, keep (S6.1).

Called by one thread. The intent of an act is a committed row before it is done; what a step made of the draft is in its
row, so that it can be taken back.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from execution.choices import LessonStepState
from execution.desktop.base import Desktop, DesktopError, DesktopLost
from execution.lesson.acts import Act, Acted, do
from execution.lesson.here import Here, Pending
from execution.lesson.looks import seen_there
from execution.lesson.proving import counts_of
from execution.lesson.sight import Looks
from execution.lesson.typing import Typing
from execution.lesson.understanding import Answer, Understood, taught, understand
from execution.lesson.undoing import take_back
from execution.lesson.unmoved import looks_the_same, means_the_same, reads_the_same
from execution.models import Lesson, LessonStep
from execution.teaching.structure import number_of
from execution.types import Point, ScreenState
from sentences.said import say, to_json, told_by
from workflows.exceptions import DomainError
from workflows.models import Edge, Target

log = logging.getLogger(__name__)

_SLIPPED = 12  # pixels: two clicks so near are of one double click
EFFECT_S = 0.12  # an act's picture goes out first, then it is worked out what is kept of it
KEYS_WAIT_S = 10.0  # keys go to whatever has the focus: which screen that is, is known before
READ_WAIT_S = 2.0  # so long an act waits for the screen to be read; then it is done, and asked about afterwards


@dataclass(slots=True, kw_only=True)
class Held:
    """A click that waits for an answer; `done` where it was done before anybody could ask.

    `state` is the screen as it may be kept, `read` as it was read: what is hidden may have changed as well.
    """

    step: LessonStep
    act: Act
    found: Understood
    state: ScreenState
    read: ScreenState
    done: bool = False


class Recorder:
    """One lesson on one desktop.

    `on_acted` hears at once when an act was done, `on_change` when there is something new to tell.
    """

    def __init__(
        self,
        lesson: Lesson,
        *,
        desktop: Desktop,
        sight: Looks,
        here: Here,
        on_acted: Callable[[str, Acted], None] = lambda act, acted: None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.lesson, self.desktop, self.sight, self.here = lesson, desktop, sight, here
        self.on_acted, self.on_change = on_acted, on_change
        self.held: Held | None = None
        self.paused = False
        self.typing = Typing(self)
        self._hovered: tuple[ScreenState, Understood] | None = None

    @property
    def draft(self) -> Any:
        return self.here.draft

    def begin(self) -> None:
        """Take the lesson up, or up again: what was left in the middle is in doubt, what was held was not done."""
        self.lesson.steps.filter(state=LessonStepState.DOING).update(
            state=LessonStepState.DOUBT, screen={"why": to_json(say("lesson.in_doubt"))}
        )
        self.lesson.steps.filter(state=LessonStepState.HELD).update(state=LessonStepState.UNDONE)
        self.here.begin()

    # --- what is seen -----------------------------------------------------------------------------------------------
    def seen(self, state: ScreenState) -> None:
        """A still screen was read: the step before it leads there."""
        if self.typing.is_busy():
            return
        self.typing.close()
        self.here.seen(state)
        self.on_change()

    def tick(self) -> None:
        """Now and then: what was typed a moment ago is a step by now."""
        if self.typing.is_open and not self.typing.is_busy() and (state := self.sight.current()) is not None:
            self.seen(state)

    def hover(self, point: Point) -> Understood | None:
        """What a click there would be kept as; None where the screen is not read. May be asked by another thread."""
        state = self.sight.current()
        if state is None:
            return None
        shown = self.here.shown(state)
        hovered = self._hovered
        if hovered is not None and hovered[0] is shown and hovered[1].box.contains(point):
            return hovered[1]
        found = understand(shown, point, known=self.here.known)
        self._hovered = (shown, found)
        return found

    # --- acts with the pointer --------------------------------------------------------------------------------------
    def act(self, act: Act) -> Acted:
        """Do it on the desktop, unless it has to be asked first; and keep it as a step."""
        if self.paused or self.held is not None:
            return self.refused(act, say("lesson.paused") if self.paused else say("lesson.not_answered"))
        self.typing.close()
        if act.again and act.keep and self._was_clicked(act):
            return self._clicked_again(act)
        state = self.read_here()
        if not act.keep:
            return self._unkept(act)
        if self._goes_on_scrolling(act):
            return self._scrolled_on(act)
        if state is None:
            return self._before_it_was_read(act)
        shown = self.here.shown(state)
        found = self._understood(act, shown)
        if found.is_ambiguous:
            return self._hold(act, found, shown, state)
        return self._done(act, found, shown)

    def answer(self, question: str, choice: str, values: Mapping[str, Any]) -> Acted | None:
        """The held act by that answer; None where that is not asked any more.

        Refused where the screen has changed since: the place may be another one's by now.
        """
        held = self._held_for(question)
        if held is None:
            return None
        answer = next((a for a in held.found.answers if a.code == choice), None)
        if answer is None:
            return None
        held.step.answered = {"code": choice, "values": dict(values)}
        self.held = None
        if not held.done and not self._stands(held):
            held.step.state = LessonStepState.UNDONE
            held.step.save()
            refused = self.refused(held.act, say("lesson.changed_since"))
            self.on_change()
            return refused
        answer, variable = self._with_variable(held.found, answer, values)
        if held.done:
            self._keep(held.step, held.act, held.found, held.state, answer, variable)
            return Acted(state="done")
        return self._done(held.act, held.found, held.state, step=held.step, answer=answer, variable=variable)

    def cancel(self, question: str) -> bool:
        """Let the held act go; nothing is done. What was done before it was asked stays without a step."""
        held = self._held_for(question)
        if held is None:
            return False
        self.held = None
        held.step.state = LessonStepState.UNKEPT if held.done else LessonStepState.UNDONE
        held.step.save()
        self.on_change()
        return True

    def keys(self, act: Act) -> Acted:
        """One chord. Within what is being typed, backspace takes a character back."""
        if self.paused or self.held is not None:
            return self.refused(act, say("lesson.paused") if self.paused else say("lesson.not_answered"))
        if act.keep and act.keys == "backspace" and self.typing.takes_back(act):
            return self.acted(act, Acted(state="done"))
        self.typing.close()
        state = self.read_here(KEYS_WAIT_S)
        if not act.keep:
            return self._unkept(act)
        if state is None and self.here.cursor is None:
            return self.refused(act, say("lesson.reading"))  # nobody could say on which screen it was done
        return self._without_target(act)

    def type_text(self, act: Act) -> Acted:
        """A text as the browser composed it; what is typed in one go is one step."""
        if self.paused or self.held is not None:
            return self.refused(act, say("lesson.paused") if self.paused else say("lesson.not_answered"))
        if not act.keep:
            return self._unkept(act)
        return self.typing.type(act)

    def look(self, act: Act, *, name: str = "", value_kind: str = "text") -> Acted:
        """An act that only looks: nothing is done on the desktop."""
        self.typing.close()
        state = self.read_here()
        if state is None:
            return self.refused(act, say("lesson.reading"))
        shown = self.here.shown(state)
        try:
            seen = seen_there(
                act.kind, shown, point=act.point, box=act.box, name=name, value_kind=value_kind,
                known=self.here.known, store=self.draft.store,
            )  # fmt: skip
        except ValueError as error:
            return self.refused(act, say("lesson.not_done", why=told_by(error)))
        with transaction.atomic():
            source = self.here.source()
            step = self.new_step(act, LessonStepState.DOING)
            target = self.draft.add_target(seen.target) if seen.target else None
            called = seen.name or str(seen.params.get("text", ""))
            edge = self.draft.add_edge(
                source, source, action_type=act.kind, params=seen.params, target=target, called=called
            )
            step.params = seen.params
            step.screen = {"box": list(seen.box.normalised(shown.frame.size)), "label": called}
            step.picture_before = self.here.picture_of(shown)
            self.made(step, source, edge, target)
        if seen.name:
            self.here.remember(seen.name, seen.value)
        acted = self.acted(act, Acted(state="done", ms=1000 * (time.perf_counter() - act.heard_at)))
        self.here.led_by(Pending(step=step, edge=edge, before=None))
        self.on_change()
        return acted

    def undo(self, count: int) -> list[str]:
        """Take the last steps out of the draft; what they did stays done on the desktop, and is told."""
        self.typing.close()
        if self.held is not None:
            self.cancel(str(self.held.step.index))
            return []
        told = take_back(self.lesson, count)
        self.here.taken_back()
        self.on_change()
        return told

    # --- how ---------------------------------------------------------------------------------------------------------
    def read_here(self, wait_s: float = READ_WAIT_S) -> ScreenState | None:
        """The screen as it shows now, its node known; None where it cannot be read in time."""
        state = self.sight.current() or self.sight.wait(wait_s)
        if state is not None and not self.here.has_seen(state):
            self.here.seen(state)
        return state

    def _understood(self, act: Act, shown: ScreenState) -> Understood:
        hovered = self._hovered
        if act.box is None and hovered is not None and hovered[0] is shown and hovered[1].box.contains(act.point):
            return replace(hovered[1], point=act.point)
        return understand(shown, act.point, known=self.here.known, box=act.box)

    def _stands(self, held: Held) -> bool:
        """Whether what was asked about is still there, by a picture taken now: the eyes' own may be a moment old."""
        now = self.here.analyzer.analyze(self.desktop.grab(), self.desktop.window())
        return (
            reads_the_same(held.read, now)
            and looks_the_same(held.found, held.read, now)
            and means_the_same(held.found, self.here.shown(now), known=self.here.known, box=held.act.box)
        )

    def _hold(
        self, act: Act, found: Understood, shown: ScreenState, read: ScreenState, *, done: LessonStep | None = None
    ) -> Acted:
        step = done or self.new_step(act, LessonStepState.HELD)
        step.state = LessonStepState.HELD
        step.question = question_of(found, shown, done=done is not None)
        step.save()
        self.held = Held(step=step, act=act, found=found, state=shown, read=read, done=done is not None)
        acted = self.acted(act, Acted(state="held"))
        self.on_change()
        return acted

    def _done(
        self,
        act: Act,
        found: Understood,
        shown: ScreenState,
        *,
        step: LessonStep | None = None,
        answer: Answer | None = None,
        variable: str = "",
    ) -> Acted:
        step = self._intend(act, step)
        acted = self._carry_out(act, step)
        if acted.state == "done":
            self._keep(step, act, found, shown, answer, variable)
        return acted

    def _before_it_was_read(self, act: Act) -> Acted:
        """Done at once, understood from the picture that it was done on."""
        frame, window = self.sight.newest(), self.desktop.window()
        step = self._intend(act, None)
        acted = self._carry_out(act, step)
        if acted.state != "done":
            return acted
        state = self.here.analyzer.analyze(frame, window)
        self.here.seen(state)
        shown = self.here.shown(state)
        found = self._understood(act, shown)
        if found.is_ambiguous:
            self._hold(act, found, shown, state, done=step)
        else:
            self._keep(step, act, found, shown, None, "")
        return acted

    def _without_target(self, act: Act) -> Acted:
        step = self._intend(act, None)
        acted = self._carry_out(act, step)
        if acted.state == "done":
            with transaction.atomic():
                source = self.here.source()
                edge = self.draft.add_edge(source, source, action_type=act.kind, params=act.params, called=act.keys)
                self.made(step, source, edge, None)
            self.await_screen(step, edge, self.here.before())
        return acted

    def _unkept(self, act: Act) -> Acted:
        step = self._intend(act, None)
        acted = self._carry_out(act, step)
        if acted.state == "done":
            LessonStep.objects.filter(pk=step.pk).update(state=LessonStepState.UNKEPT)
            self.here.left_unkept()
        return acted

    def _keep(
        self,
        step: LessonStep,
        act: Act,
        found: Understood,
        shown: ScreenState,
        answer: Answer | None,
        variable: str,
    ) -> None:
        """The rows of what was done; where it can have no target it is kept without one, and says why."""
        self.sight.effect(EFFECT_S)
        problem, target, spec = "", None, None
        with transaction.atomic():
            try:
                spec = taught(
                    found, shown, store=self.draft.store, known=self.here.known, answer=answer, variable=variable
                )
                target = self.draft.add_target(spec)
            except (ValueError, DomainError, OSError) as error:
                problem = say("lesson.no_target", why=told_by(error))
            source = self.here.source()
            edge = self.draft.add_edge(
                source, source, action_type=act.kind, params=act.params, target=target, called=found.label
            )
            step.screen = {
                "box": list(found.box.normalised(shown.frame.size)),
                "label": found.label,
                "counts": counts_of(spec, found.alike) if spec else {},
                "problem": to_json(problem),
            }
            step.picture_before = self.here.picture_of(shown)
            self.made(step, source, edge, target)
        self.await_screen(step, edge, shown)

    def made(self, step: LessonStep, source: Any, edge: Edge, target: Target | None) -> None:
        step.state, step.edge, step.node = LessonStepState.DONE, edge, source
        step.made = {**step.made, "edges": [edge.pk], "targets": [target.pk] if target else []}
        step.save()

    def await_screen(self, step: LessonStep, edge: Edge, before: ScreenState | None, typed: str = "") -> None:
        self.here.led_by(Pending(step=step, edge=edge, before=before, typed=typed))
        self.on_change()

    def _intend(self, act: Act, step: LessonStep | None) -> LessonStep:
        """The row that is committed before anything is done."""
        if step is None:
            return self.new_step(act, LessonStepState.DOING)
        step.state = LessonStepState.DOING
        step.save()
        return step

    def new_step(self, act: Act, state: LessonStepState) -> LessonStep:
        """Of what is typed without being kept the row has the length alone: somebody may be logging in by hand."""
        types_unkept = bool(act.length) and not act.keep
        return LessonStep.objects.create(
            lesson=self.lesson,
            index=self.here.next_index(),
            act="type_text" if types_unkept else act.kind,
            params={"length": act.length} if types_unkept else act.told,
            state=state,
            node=self.here.cursor,
        )

    def _carry_out(self, act: Act, step: LessonStep) -> Acted:
        try:
            do(self.desktop, act)
        except DesktopLost:
            LessonStep.objects.filter(pk=step.pk).update(state=LessonStepState.DOUBT)
            raise
        except DesktopError as error:  # no such key, a place beside the screen: nothing was touched
            LessonStep.objects.filter(pk=step.pk).update(state=LessonStepState.UNDONE)
            return self.refused(act, say("lesson.not_done", why=told_by(error)))
        self.sight.stirred()
        step.took_ms = 1000 * (time.perf_counter() - act.heard_at)
        return self.acted(act, Acted(state="done", ms=step.took_ms))

    def _was_clicked(self, act: Act) -> bool:
        """Whether the step before was a click at the same place."""
        pending = self.here.pending
        if pending is None or pending.edge.action_type != "click":
            return False
        x, y = pending.step.params.get("x", 0), pending.step.params.get("y", 0)
        return abs(x - act.point.x) + abs(y - act.point.y) <= _SLIPPED

    def _clicked_again(self, act: Act) -> Acted:
        """The second of two quick clicks, done at once: the step before is a double click."""
        pending = self.here.pending
        assert pending is not None
        acted = self._carry_out(act, pending.step)
        if acted.state == "done":
            pending.edge.action_type = pending.step.act = act.kind
            with transaction.atomic():
                pending.edge.save(update_fields=["action_type"])
                pending.step.save()
            self.on_change()
        return acted

    def _goes_on_scrolling(self, act: Act) -> bool:
        pending = self.here.pending
        return act.kind == "scroll" and pending is not None and pending.edge.action_type == "scroll"

    def _scrolled_on(self, act: Act) -> Acted:
        """The wheel turned further: one step."""
        pending = self.here.pending
        assert pending is not None
        acted = self._carry_out(act, pending.step)
        if acted.state == "done":
            params = {"dy": pending.edge.params.get("dy", 0) + act.dy, "dx": pending.edge.params.get("dx", 0) + act.dx}
            pending.edge.params = pending.step.params = params
            with transaction.atomic():
                pending.edge.save(update_fields=["params"])
                pending.step.save()
            self.on_change()
        return acted

    def _with_variable(self, found: Understood, answer: Answer, values: Mapping[str, Any]) -> tuple[Answer, str]:
        """The answer with a variable in the place of the value that it tells; and the one that counts, if any."""
        name = str(values.get("variable") or "")
        if answer.number:
            if name:
                at = number_of(found.box, found.alike)
                self.here.make_variable(name, str(at), kind="number", counted=True)
            return answer, name
        if not answer.value or (not name and not answer.code.startswith("typed:")):
            return answer, ""
        name = self.here.make_variable(name, answer.value)
        return replace(answer, row=("{{" + name + "}}",)), ""

    def _held_for(self, question: str) -> Held | None:
        held = self.held
        return held if held is not None and str(held.step.index) == question else None

    def refused(self, act: Act, why: str) -> Acted:
        return self.acted(act, Acted(state="refused", why=why))

    def acted(self, act: Act, acted: Acted) -> Acted:
        self.on_acted(act.id, acted)
        return acted


def question_of(found: Understood, shown: ScreenState, *, done: bool) -> dict[str, Any]:
    """What is asked of a click that could mean several things, as it is kept."""
    name = found.text or found.label
    return {
        "kind": "which",
        "text": to_json(say("lesson.which", of=len(found.alike), what=name)),
        "detail": to_json(say("lesson.held_afterwards" if done else "lesson.held")),
        "box": list(found.box),
        "answers": [
            {"code": a.code, "text": to_json(a.text), "likely": number == 0, "boxes": [list(b) for b in a.boxes]}
            for number, a in enumerate(found.answers)
        ],
    }
