"""Tells a story to a lesson's recorder on a desktop: a teacher without a browser (S6.16).

It points where the story says and is never in doubt for the teacher: a text that stands several times, or an answer
that the story does not give, ends the lesson with the line of the story, and nothing is done there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from django.utils.translation import gettext as _

from execution.language.fuzzy import SEEN, folded
from execution.language.screen_texts import ScreenWords
from execution.lesson.acts import Act, Acted
from execution.lesson.alone import Alone
from execution.lesson.calling import begin_call, end_call
from execution.lesson.editing import change_screen
from execution.lesson.hearing import Unheard
from execution.lesson.looks import KINDS
from execution.lesson.story import BESIDE, BadStory, Story, Told
from execution.lesson.story_checks import version_of
from execution.lesson.story_declaring import declare
from execution.lesson.story_places import field_of, place_saying, pointed, value_beside
from execution.lesson.understanding import ALWAYS
from execution.models import LessonStep
from execution.types import Box, Point, ScreenState
from sentences.said import worded
from workflows.calls import Call
from workflows.catalogue import CHECKING_ACTION_TYPES, VALUE_PARAMS
from workflows.models import Node
from workflows.parsing import whole_number
from workflows.text import fill, sole_name
from workflows.vault import open_credential

CALM_S = 1.2  # so long the screen stays as it is before the next step; a text is typed to its end by then
LONGEST_S = 30.0  # for a screen to be read, or to show what is expected
LOOK_EVERY_S = 0.05


class Storyteller:
    """`on_told` hears of each step when it was done."""

    def __init__(self, story: Story, parts: Alone, *, on_told: Callable[[Told], None]) -> None:
        self.story, self.on_told = story, on_told
        self.recorder, self.sight, self.secrets = parts.recorder, parts.sight, parts.secrets
        self._screens: dict[str, int] = {}  # by the name that the story gives, the key of the node
        self._kept: list[tuple[Told, LessonStep]] = []
        self._pause = threading.Event()

    def tell(self) -> None:
        """Raises BadStory; what was told before it is in the draft."""
        self._give_variables()
        self.recorder.begin()
        state = self._calm(1)
        if self.story.begins_on:
            self._is_called(self.story.begins_on, 1)
        for step in self.story.steps:
            self._do(step, state)
            state = self._shows(step)
            self.recorder.typing.close()
            last = self.recorder.lesson.steps.kept().last()
            if step.keep and last is not None:
                self._kept.append((step, last))
            if step.screen:
                self._is_called(step.screen, step.line)
            self.on_told(step)
        self.recorder.typing.close()
        declare(self.recorder, self.story, self._kept, self._screens)

    @property
    def _values(self) -> Mapping[str, str]:
        """What the variables are here, and what was read on the way."""
        return {**self.story.values, **self.recorder.lesson.values}

    def _give_variables(self) -> None:
        recorder = self.recorder
        for told in self.story.variables:
            row = recorder.here.draft.add_variable(
                told.name, label=told.label, kind=told.kind, example=told.example or told.value
            )
            row.default, row.required, row.choices = told.default, told.required, list(told.allowed)
            row.save(update_fields=["default", "required", "choices"])
        recorder.lesson.values = {**recorder.lesson.values, **self.story.values}
        recorder.lesson.save(update_fields=["values"])

    # --- doing ------------------------------------------------------------------------------------------------------
    def _do(self, step: Told, state: ScreenState) -> None:
        if step.act == "wait_text":
            self._expect(step, (self._filled(step, step.what),))
            state = self._calm(step.line)
            if not step.keep:
                return
        if step.act == "call_workflow":
            self._call(step)
            return
        acted = self._looked(step, state) if step.act in KINDS else self._acted(step, state)
        if acted.state == "held":
            acted = self._answer(step)
        if acted.state != "done":
            raise BadStory(step.line, worded(acted.why))

    def _acted(self, step: Told, state: ScreenState) -> Acted:
        recorder, act = self.recorder, Act(id=str(step.line), kind=step.act, keep=step.keep)
        if step.act == "type_text":
            return self._typed(step, act, state)
        what = self._filled(step, step.what)
        if step.act == "press_keys":
            return recorder.keys(replace(act, keys=what.lower()))
        if step.act == "visual_login":
            return recorder.act(replace(act, given={"credential": what}))
        if step.act in BESIDE or step.act == "scroll":
            act = replace(act, point=self._place(step, step.at, state))
            if step.act == "scroll":
                return recorder.act(replace(act, dy=int(step.what)))
            given = {VALUE_PARAMS[step.act]: step.what, **({"format": step.format} if step.format else {})}
            return recorder.act(replace(act, given=given))
        return recorder.act(replace(act, point=self._place(step, step.what, state), dx=step.by[0], dy=step.by[1]))

    def _looked(self, step: Told, state: ScreenState) -> Acted:
        what = self._filled(step, step.what)
        act = Act(id=str(step.line), kind=step.act)
        if step.act != "read_value":
            texts = tuple(line.strip() for line in what.splitlines() if line.strip())
            if step.act in CHECKING_ACTION_TYPES:
                self._expect(step, texts)
                state = self._calm(step.line)
            return self.recorder.look(replace(act, point=place_saying(state, step.line, texts[0])))
        place = self._place(step, step.at, state)
        if not (step.where.right or step.where.below or step.where.place):
            place = value_beside(state, step.line, step.at, place)
        box = None
        if step.size:
            box = Box(place.x - step.size[0] // 2, place.y - step.size[1] // 2, *step.size)
        return self.recorder.look(replace(act, point=place, box=box), name=what, value_kind=step.kind or "text")

    def _typed(self, step: Told, act: Act, state: ScreenState) -> Acted:
        """Into a field that is clicked first, in the place of what stands there, with Enter after it: one step."""
        recorder = self.recorder
        if step.at or step.where.place:
            point = field_of(
                state, step.line, self._filled(step, step.at), step.where, self._row(step), nth=self._nth(step)
            )
            entered = recorder.act(Act(id=act.id, kind="click", point=point, keep=step.keep))
            if entered.state == "held":
                entered = self._answer(step)
            if entered.state != "done":
                return entered
        if step.clear:
            cleared = recorder.keys(Act(id=act.id, kind="press_keys", keys="ctrl+a", keep=step.keep))
            if cleared.state != "done":
                return cleared
        end = "\n" if step.enter else ""
        name = sole_name(step.what)
        vault = next((one.vault for one in self.story.variables if one.name == name and one.vault), "")
        if vault:
            login = open_credential(vault, reason=f"{self.recorder.lesson.lesson_id}: {step.line}")
            act = replace(act, text=step.what.strip(), secret=login.password.reveal())
            self._calm(step.line)  # what the click made of the screen is seen before the field is hidden
            try:
                self.secrets.about_to_type(act)
            except Unheard as error:
                raise BadStory(step.line, worded(error.args[0])) from error
            return recorder.type_text(replace(act, secret=act.secret + end))
        text = self._filled(step, step.what)
        return recorder.type_text(replace(act, text=text + end, kept=step.what))

    def _call(self, step: Told) -> None:
        """Noted, done by hand, and done: where it leads is what shows then."""
        assert step.call is not None
        call = Call(
            workflow_id=step.what,
            number=version_of(step),
            values=dict(step.call.values),
            outputs=dict(step.call.outputs),
        )
        try:
            begin_call(self.recorder, call, str(step.line))
            for one in step.call.by_hand:
                self._do(one, self._calm(one.line))
                self._shows(one)
            self._shows(step)
            end_call(self.recorder, str(step.line))
        except Unheard as error:
            raise BadStory(step.line, worded(error.args[0])) from error
        for name, value in step.call.brought:
            self.recorder.here.remember(name, value)

    # --- where ------------------------------------------------------------------------------------------------------
    def _place(self, step: Told, text: str, state: ScreenState) -> Point:
        """Where the step points; a variable can only say which of several."""
        place = pointed(state, step.line, self._filled(step, text), step.where, self._row(step), nth=self._nth(step))
        if sole_name(step.where.nth):
            found = self.recorder.hover(place)
            if found is not None and not found.is_ambiguous:
                raise BadStory(step.line, _("There is only one here, so no variable says which; leave out “nth”."))
        return place

    def _row(self, step: Told) -> str:
        return self._filled(step, step.where.row)

    def _nth(self, step: Told) -> int:
        said = self._filled(step, step.where.nth)
        number = whole_number(said or "0")
        if number is None or (said and not number):
            raise BadStory(
                step.line, _("“%(text)s” does not say which of several: that is a number from 1.") % {"text": said}
            )
        return number

    def _filled(self, step: Told, text: str) -> str:
        try:
            return str(fill(text, self._values))
        except KeyError as missing:
            words = {"name": missing.args[0]}
            raise BadStory(
                step.line, _("“%(name)s” has no value here; say it with “brought” where it comes.") % words
            ) from None

    def _answer(self, step: Told) -> Acted:
        """What says which one it is, as the story tells it."""
        held = self.recorder.held
        assert held is not None
        if not held.found.is_ambiguous:  # a text that is no variable in the story is always the same
            acted = self.recorder.answer(str(held.step.index), ALWAYS, {})
            assert acted is not None
            return acted
        row, variable = folded(self._row(step)), sole_name(step.where.nth)
        for answer in held.found.answers:
            by_row = row and any(row in folded(str(fill(text, self._values))) for text in answer.row)
            by_number = step.where.nth and not row and answer.number
            if answer.code == "this_place" if step.where.this_place else by_row or by_number:
                acted = self.recorder.answer(
                    str(held.step.index), answer.code, {"variable": variable} if variable else {}
                )
                if acted is not None:
                    return acted
        self.recorder.cancel(str(held.step.index))
        raise BadStory(
            step.line, _("It could mean several; say “row”, “nth” or “this_place” for which one a run takes.")
        )

    # --- which screen -----------------------------------------------------------------------------------------------
    def _is_called(self, name: str, line: int) -> None:
        """What shows is the screen that the story calls so: one that it has named before, or one of its own."""
        here = self.recorder.here
        known = Node.objects.filter(pk=self._screens.get(name, 0)).first()
        if known is not None:
            if here.node() != known:
                here.is_screen(known)
            return
        now = here.node()
        if now is None or now.pk in self._screens.values():
            here.is_screen(None)
            now = here.node()
        if now is None:
            raise BadStory(line, _("The screen does not stand still, or cannot be read."))
        self._screens[name] = now.pk
        change_screen(self.recorder.lesson, now.node_id, name=name)
        here.begin()

    # --- looking ----------------------------------------------------------------------------------------------------
    def _shows(self, step: Told) -> ScreenState:
        """The screen after a step, still and read, with what was expected of it."""
        if step.said.expect:
            self._expect(step, tuple(self._filled(step, text) for text in step.said.expect))
        gone = [self._filled(step, text) for text in step.said.gone]
        self._await(
            step, lambda: [text for text in gone if self._sees(text) is not False], _("“%(text)s” does not go.")
        )
        return self._calm(step.line)

    def _expect(self, step: Told, texts: tuple[str, ...]) -> None:
        self._await(step, lambda: [text for text in texts if not self._sees(text)], _("“%(text)s” does not show."))

    def _await(self, step: Told, open_: Callable[[], list[str]], why: str) -> None:
        """Until nothing is open any more, or BadStory."""
        until = time.monotonic() + max(LONGEST_S, float(dict(step.said.params).get("timeout_s", 0)))
        while missing := open_():
            if time.monotonic() > until and not self.sight.is_reading:
                raise BadStory(step.line, why % {"text": missing[0]})
            self._pause.wait(LOOK_EVERY_S)

    def _sees(self, text: str) -> bool | None:
        """None while the screen is not read."""
        state = self.sight.current()
        return None if state is None else ScreenWords.of(state.texts).seen(text) >= SEEN

    def _calm(self, line: int) -> ScreenState:
        """The screen once it stays as it is; each that is read on the way the recorder sees."""
        until, since, last = time.monotonic() + LONGEST_S, time.monotonic(), None
        while time.monotonic() < until or self.sight.is_reading:
            state = self.sight.current()
            if state is None or state is not last:
                last, since = state, time.monotonic()
                if state is not None:
                    self.recorder.seen(state)
            elif time.monotonic() - since > CALM_S:
                self.recorder.tick()
                return state
            self._pause.wait(LOOK_EVERY_S)
        raise BadStory(line, _("The screen does not stand still, or cannot be read."))
