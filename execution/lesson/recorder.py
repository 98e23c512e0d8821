"""What a teacher does on the desktop, kept as steps of the draft: look, understand, ask, do, look again, keep (S6.1).

Called by one thread. The intent of an act is a committed row before it is done; what a step made of the draft is in its
row, so that it can be taken back.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction

from execution.choices import LessonStepState
from execution.desktop.base import Desktop, DesktopError, DesktopLost
from execution.exceptions import BadEdit
from execution.lesson.acts import Act, Acted, do
from execution.lesson.afterwards import Afterwards
from execution.lesson.as_a_run import LessonHold
from execution.lesson.as_it_was import changed, rows_of
from execution.lesson.calling import as_kept
from execution.lesson.controls import Controls, understand_control
from execution.lesson.drafting import variable_name
from execution.lesson.going_on import go_on, is_more_scrolling, is_second_click, second_click
from execution.lesson.here import Here, Pending
from execution.lesson.holding import Held, question_of, speaks_against, still_stands, with_variable
from execution.lesson.lines import opened_by_name, repeat_for_each_line, shown_line_again, with_each_line
from execution.lesson.looks import seen_there
from execution.lesson.offers import keep, offered
from execution.lesson.proving import counts_of
from execution.lesson.screens import Known
from execution.lesson.sight import Looks, Seen
from execution.lesson.taking import answer_offer, is_taken_unasked
from execution.lesson.typing import Typing
from execution.lesson.understanding import EACH_LINE, RUNS_VALUE, Answer, Understood, opened, taught, understand
from execution.lesson.undoing import drop_unused, take_back
from execution.lesson.ways import records_of, with_record
from execution.models import MEND, Lesson, LessonStep
from execution.types import Box, Point, ScreenState
from sentences.said import say, to_json, told_by
from workflows.catalogue import LOGIN
from workflows.exceptions import DomainError
from workflows.models import Edge, Node, Target
from workflows.text import names
from workflows.validation.ways import MOST_ROUNDS

log = logging.getLogger(__name__)

EFFECT_S = 0.12  # an act's picture goes out first, then it is worked out what is kept of it
KEYS_WAIT_S = 10.0  # a text is typed late rather than into a screen that nobody knows
READ_WAIT_S = 2.0  # so long an act waits for the screen to be read; then it is done, and asked about afterwards


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
        hold: LessonHold | None = None,
        on_acted: Callable[[str, Acted], None] = lambda act, acted: None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.lesson, self.desktop, self.sight, self.here = lesson, desktop, sight, here
        self.hold = hold or LessonHold(lesson)
        self.on_acted, self.on_change = on_acted, on_change
        self.controls = Controls(self)
        self.held: Held | None = None
        self.afterwards = Afterwards(here)
        self.paused = False
        self.typing = Typing(self)
        self._touched_at = 0.0  # when the desktop was touched last
        self._hovered: tuple[ScreenState, Known, Understood] | None = None

    @property
    def draft(self) -> Any:
        return self.here.draft

    def begin(self) -> None:
        """Take the lesson up, or up again: what was left in the middle is in doubt, what was held was not done."""
        for step in self.lesson.steps.filter(state=LessonStepState.DOING):
            step.state = LessonStepState.DOUBT
            why = to_json(say("lesson.in_doubt"))
            step.screen = {**step.screen, "why": why}  # where it typed a secret stays known
            step.save(update_fields=["state", "screen"])
        self.lesson.steps.filter(state=LessonStepState.HELD).update(state=LessonStepState.UNDONE)
        self.lesson.steps.kept().filter(answered={}).update(question={})  # what was asked of it nobody knows any more
        self.here.begin()

    # --- what is seen -----------------------------------------------------------------------------------------------
    def seen(self, state: ScreenState) -> None:
        """A still screen was read: the step before it leads there."""
        if self.typing.is_busy():
            return
        self.typing.close()
        self.here.seen(state)
        shown_line_again(self.here)
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
        shown, known = self.here.shown(state), self.here.known
        if (found := self._hovered_at(point, shown)) is not None:
            return found
        found = understand(shown, point, known=known)
        self._hovered = (shown, known, found)
        return found

    def _hovered_at(self, point: Point, shown: ScreenState) -> Understood | None:
        """What was understood of that place a moment ago, if nothing is known otherwise since."""
        if self._hovered is None:
            return None
        state, known, found = self._hovered
        return found if state is shown and known is self.here.known and found.box.contains(point) else None

    # --- acts with the pointer --------------------------------------------------------------------------------------
    def act(self, act: Act) -> Acted:
        """Do it on the desktop, unless it has to be asked first; and keep it as a step."""
        if why := self._why_not(act):
            return self.refused(act, why)
        act = as_kept(act, self.lesson)
        self.typing.close()
        if act.again and act.keep and is_second_click(self.here.pending, act):
            return self._gone_on(act)
        state = self.screen_of(act)
        if not act.keep:
            return self._unkept(act)
        if is_more_scrolling(self.here.pending, act):
            return self._gone_on(act)
        if state is None:
            return self.refused(act, say("lesson.reading")) if act.given else self._before_it_was_read(act)
        shown = self.here.shown(state)
        if act.kind == LOGIN:
            return self.controls.log_in(act, state, shown)
        found = self._understood(act, shown)
        if act.is_setting and act.box is None and found.is_bare:
            return self.refused(act, say("lesson.no_control"))
        if found.is_asked and act.seen is not None:
            acted = self._done(act, found, shown, read=state)
            if acted.state == "done" and self.here.pending is not None:
                question = question_of(found, self.here.known.values, done=True)
                self.afterwards.ask(self.here.pending, found, shown, question)
                self.on_change()
            return acted
        if found.is_asked:
            return self._hold(act, found, shown, state)
        return self._done(act, found, shown, read=state)

    def answer(self, question: str, choice: str, values: Mapping[str, Any]) -> Acted | None:
        """The held act by that answer; None where that is not asked any more.

        Refused where the screen has changed since: the place may be another one's by now. Raises BadEdit where the
        answer says nothing: it is still asked.
        """
        self.typing.close()
        held = self._held_for(question)
        if held is None:
            return self._answered_afterwards(question, choice, values)
        answer = next((a for a in held.found.answers if a.code == choice), None)
        if answer is None:
            return None
        if why := speaks_against(self.here, held.found, answer, values):
            raise BadEdit(why)
        held.step.answered = {"code": choice, "values": dict(values)}
        self.held = None
        if not held.done and not self._stands(held):
            held.step.state = LessonStepState.UNDONE
            held.step.save()
            refused = self.refused(held.act, say("lesson.changed_since"))
            self.on_change()
            return refused
        answer, variable = with_variable(self.here, held.found, answer, values)
        if held.done:
            self._keep(held.step, held.act, held.found, held.state, answer, variable, source=held.step.node)
            self.here.looks_again(held.read)
            acted = Acted(state="done")
        else:
            read, shown = held.read, held.state
            acted = self._done(held.act, held.found, shown, read=read, step=held.step, answer=answer, variable=variable)
            drop_unused(self.lesson, self.draft.new_variables())  # where it could not be done
        if acted.state == "done" and choice == EACH_LINE:
            self._for_each_line(held.step, values)
        return acted

    def _answered_afterwards(self, question: str, choice: str, values: Mapping[str, Any]) -> Acted | None:
        asked = self.afterwards.asked(question)
        answer = next((a for a in asked.found.answers if a.code == choice), None) if asked else None
        if asked is None or answer is None:
            return None
        if why := speaks_against(self.here, asked.found, answer, values):
            raise BadEdit(why)
        answer, variable = with_variable(self.here, asked.found, answer, values)
        self.afterwards.answer(asked, answer, variable, answered={"code": choice, "values": dict(values)})
        if choice == EACH_LINE:
            self._for_each_line(asked.step, values)
        self.on_change()
        return Acted(state="done")

    def _for_each_line(self, step: LessonStep, values: Mapping[str, Any]) -> None:
        """What was done on the first line is done for each; where nobody can count them it stays that line, and says
        why."""
        most, names_there = values.get("most"), list(self.draft.graph().kinds)
        wanted = {"counter": variable_name("n", names_there), "most": most if isinstance(most, int) else MOST_ROUNDS}
        step.refresh_from_db()
        try:
            repeat_for_each_line(self.here, step, wanted)
        except BadEdit as error:
            step.note(why=to_json(told_by(error)))
        self.on_change()

    def cancel(self, question: str) -> bool:
        """Let the held act go; nothing is done. What was done before it was asked stays without a step."""
        self.typing.close()
        held = self._held_for(question)
        if held is None:
            is_let_be = self.afterwards.let_be(question)
            self.on_change()
            return is_let_be
        self.held = None
        held.step.state = LessonStepState.UNKEPT if held.done else LessonStepState.UNDONE
        held.step.save()
        self.on_change()
        return True

    def keys(self, act: Act) -> Acted:
        """One chord. Within what is being typed, backspace takes a character back."""
        if why := self._why_not(act):
            return self.refused(act, why)
        act = as_kept(act, self.lesson)
        if act.keep and act.keys == "backspace" and self.typing.takes_back(act):
            return self.acted(act, Acted(state="done"))
        self.typing.close()
        state = self.screen_of_keys(act)
        if not act.keep:
            return self._unkept(act)
        if state is None and self.here.cursor is None:
            return self.refused(act, say("lesson.reading"))  # nobody could say on which screen it was done
        return self._without_target(act)

    def type_text(self, act: Act) -> Acted:
        """A text as the browser composed it; what is typed in one go is one step."""
        if why := self._why_not(act):
            return self.refused(act, why)
        act = as_kept(act, self.lesson)
        if not act.keep:
            self.typing.close()
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
                taken=list(self.lesson.workflow.variables.values_list("name", flat=True)),
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

    def close_dialog(self, act: Act, apply: Callable[[], str]) -> Acted:
        """Press a button of what came over the screen, which every run does by itself from now on: a change of the
        draft that can be taken back, and no step. `apply` writes it, and says what it is."""
        if why := self._why_not(act):
            return self.refused(act, why)
        step = self._intend(act, None)
        acted = self._carry_out(act, step)
        if acted.state == "done":
            with transaction.atomic():
                was = rows_of(self.lesson.workflow)
                said = apply()
                step.act, step.state, step.node = MEND, LessonStepState.DONE, self.here.cursor
                step.made = changed(was, rows_of(self.lesson.workflow))
                step.screen = {"said": to_json(said)}
                step.save()
            self.here.awaits_anew()
            self.on_change()
        return acted

    def edited(self) -> None:
        """Somebody changed the draft: an act that waited for an answer and was deleted there waits no more."""
        held = self.held
        if held is not None and not LessonStep.objects.filter(pk=held.step.pk, state=LessonStepState.HELD).exists():
            self.held = None
        self.typing.close()

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
        return self._taken_up(self.sight.current() or self.sight.wait(wait_s))

    def _taken_up(self, state: ScreenState | None) -> ScreenState | None:
        if state is not None and not self.here.has_seen(state):
            self.here.seen(state)
        return state

    def screen_of(self, act: Act) -> ScreenState | None:
        """The screen that it is done on: what shows now, or what showed when a person did it."""
        return self.read_here() if act.seen is None else self._taken_up(self.read(act.seen).state)

    def screen_of_keys(self, act: Act) -> ScreenState | None:
        """The same for what goes to whatever has the keyboard: which screen that is, is known before."""
        if act.seen is not None:
            return self.screen_of(act)
        return self._taken_up(self.sight.fresh(KEYS_WAIT_S))

    def read(self, seen: Seen) -> Seen:
        """The same, read."""
        return seen if seen.state else replace(seen, state=self.here.analyzer.analyze(seen.frame, seen.window))

    def _why_not(self, act: Act) -> str:
        """What speaks against doing it now; nothing does where it was done by hand."""
        if act.seen is not None or not (self.paused or self.held is not None):
            return ""
        return say("lesson.paused") if self.paused else say("lesson.not_answered")

    def _understood(self, act: Act, shown: ScreenState) -> Understood:
        if act.is_setting:
            return understand_control(shown, act, known=self.here.known)
        found = self._hovered_at(act.point, shown) if act.box is None else None
        if found is None:
            found = understand(shown, act.point, known=self.here.known, box=act.box)
        if act.kind == "double_click":
            found = opened(found, shown, self.here.known)
        return with_each_line(replace(found, point=act.point), shown)

    def _stands(self, held: Held) -> bool:
        """Whether what was asked about is still there, by a picture taken now: the eyes' own may be a moment old."""
        now = self.here.analyzer.analyze(self.desktop.grab(), self.desktop.window())
        return still_stands(held, now, self._understood(held.act, self.here.shown(now)))

    def _hold(
        self, act: Act, found: Understood, shown: ScreenState, read: ScreenState, *, done: LessonStep | None = None
    ) -> Acted:
        step = done or self.new_step(act, LessonStepState.HELD)
        step.state = LessonStepState.HELD
        if done is not None:  # what shows until it is answered is its effect, and none of the step before
            step.node = self.here.source()
            self.here.left_unkept()
        step.question = question_of(found, self.here.known.values, done=done is not None)
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
        read: ScreenState,
        step: LessonStep | None = None,
        answer: Answer | None = None,
        variable: str = "",
    ) -> Acted:
        if act.is_setting:
            return self.controls.done(act, found, read, shown, step=step, answer=answer, variable=variable)
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
        if found.is_asked:
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
        *,
        source: Node | None = None,
    ) -> None:
        """The rows of what was done, on `source` where that was known before; where it can have no target it is kept
        without one, and says why."""
        self.sight.effect(EFFECT_S)
        problem, target, spec = "", None, None
        offer, is_taken = offered(act, found, shown, self.here), False
        with transaction.atomic():
            try:
                spec = taught(
                    found, shown, store=self.draft.store, known=self.here.known, answer=answer, variable=variable
                )
                target = self.draft.add_target(spec)
            except (ValueError, DomainError, OSError) as error:
                problem = say("lesson.no_target", why=told_by(error))
            source = source or self.here.source()
            label = spec.label if spec is not None and names(spec.text) else found.label
            edge = self.draft.add_edge(
                source, source, action_type=act.kind, params=act.params, target=target, called=label
            )
            step.screen = {
                "box": list(found.box.normalised(shown.frame.size)),
                "label": label,
                "counts": counts_of(spec, found.alike) if spec else {},
                "problem": to_json(problem),
            }
            step.picture_before = self.here.picture_of(shown)
            self.made(step, source, edge, target)
            if offer is not None:
                keep(offer, step, self.here)
                if is_taken := is_taken_unasked(self.lesson, step):
                    answer_offer(self.lesson, step, accepted=True)
            if spec is not None and answer is not None and answer.code == RUNS_VALUE:
                opened_by_name(self.here, step, spec, found.box, shown)
        self.await_screen(step, edge, shown)
        if is_taken:
            self.here.sets_there(edge.source)

    def made(self, step: LessonStep, source: Any, edge: Edge, target: Target | None) -> None:
        if agreed := records_of(self.lesson, source):
            edge.identity = with_record(edge.identity, agreed)
            edge.save(update_fields=["identity"])
        step.state, step.edge, step.node = LessonStepState.DONE, edge, source
        step.made = {**step.made, "edges": [edge.pk], "targets": [target.pk] if target else []}
        if came := self.here.came_with():
            step.made["came"] = came
        step.brings(new := self.draft.new_variables())
        step.save()
        self.here.put_in_place(edge)
        drop_unused(self.lesson, new)  # where it is kept without what would use them

    def await_screen(
        self, step: LessonStep, edge: Edge, before: ScreenState | None, typed: str = "", within: Box | None = None
    ) -> None:
        self.here.led_by(Pending(step=step, edge=edge, before=before, typed=typed, within=within))
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
            node=self.here.where(),
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
        self._touched_at = time.monotonic()
        self.sight.stirred()
        step.took_ms = 1000 * (time.perf_counter() - act.heard_at)
        return self.acted(act, Acted(state="done", ms=step.took_ms))

    def _gone_on(self, act: Act) -> Acted:
        """It goes on with the step before, which is another one then."""
        pending = self.here.pending
        assert pending is not None
        done = second_click(act, self._touched_at) if act.again and act.seen is None else act
        acted = self._carry_out(done, pending.step)
        if acted.state == "done":
            go_on(pending, act)
            self.on_change()
        return acted

    def _held_for(self, question: str) -> Held | None:
        held = self.held
        if held is None or str(held.step.index) != question:
            return None
        held.step.refresh_from_db(fields=["node"])  # its screen may have been one on the way, and be gone
        return held

    def refused(self, act: Act, why: str) -> Acted:
        return self.acted(act, Acted(state="refused", why=why))

    def acted(self, act: Act, acted: Acted) -> Acted:
        self.on_acted(act.id, acted)
        return acted
