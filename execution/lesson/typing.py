"""Keys that make one text: whatever is typed in one go is one step, however it came (S6.1)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from django.db import transaction

from execution.choices import LessonStepState
from execution.desktop.base import Desktop, DesktopError, DesktopLost
from execution.lesson.acts import Act, Acted, do
from execution.lesson.here import Here, Pending
from execution.lesson.sight import Looks
from execution.lesson.undoing import take_out
from execution.models import LessonStep
from execution.types import ElementState, ScreenState
from sentences.said import say, to_json, told_by
from workflows.graph import NormBox
from workflows.models import Edge, Node, Target

IDLE_S = 0.7  # so long after its last key a text is typed to its end, for now
_ENTER = frozenset({"enter", "return"})
_CHOOSES_ALL = "ctrl+a"
_ENTERED = ("field", "")  # roles of what a text may be typed into; a text area often shows no frame


@dataclass(slots=True)
class _Open:
    step: LessonStep
    text: str
    before: ScreenState | None
    edge: Edge | None
    secret: bool
    last_at: float
    into: Pending | None = None  # the click into the field that it is typed in
    clears: Pending | None = None  # the keys that chose all that stood there
    kept: str = ""  # as the draft has it, where somebody said so


class Keeps(Protocol):
    """What a recorder does with any act."""

    desktop: Desktop
    sight: Looks
    here: Here

    def screen_of_keys(self, act: Act) -> ScreenState | None: ...

    def new_step(self, act: Act, state: LessonStepState) -> LessonStep: ...

    def made(self, step: LessonStep, source: Node, edge: Edge, target: Target | None) -> None: ...

    def await_screen(self, step: LessonStep, edge: Edge, before: ScreenState | None, typed: str = "") -> None: ...

    def acted(self, act: Act, acted: Acted) -> Acted: ...

    def refused(self, act: Act, why: str) -> Acted: ...


class Typing:
    """The text that is being typed, until something else is done."""

    def __init__(self, recorder: Keeps) -> None:
        self._recorder = recorder
        self._open: _Open | None = None

    @property
    def is_open(self) -> bool:
        return self._open is not None

    def is_busy(self) -> bool:
        """Whether more of it may come at once."""
        return self._open is not None and time.monotonic() - self._open.last_at < IDLE_S

    def type(self, act: Act) -> Acted:
        """Type a piece of text; the row says so before."""
        recorder = self._recorder
        if self._open is not None and (self._open.secret != bool(act.secret) or act.kept):
            self.close()  # a secret is a step of its own: what is typed behind it is no part of its variable
        if self._open is None and not self._goes_on(act):
            state = recorder.screen_of_keys(act)
            if state is None and recorder.here.cursor is None:
                return recorder.refused(act, say("lesson.reading"))
            step = recorder.new_step(act, LessonStepState.DOING)
            if place := field_of(recorder.here.pending, recorder.sight.current()):
                step.note(box=list(place))  # hidden from now on, should it be said to be secret
            into, clears = self._entered()
            first = into or clears
            before = first.before if first else recorder.here.before()
            self._open = _Open(step, "", before, None, bool(act.secret), time.monotonic(), into, clears)
        open_ = self._open
        assert open_ is not None
        open_.kept = act.kept
        self._intend(open_, open_.text + act.text)
        return self._carry_out(open_, act)

    def takes_back(self, act: Act) -> bool:
        """Whether a backspace takes back a character of what is being typed; done then."""
        if self._open is None:
            self._goes_on(act)
        open_ = self._open
        if open_ is None or not open_.text or open_.secret:
            return False
        self._intend(open_, open_.text[:-1])
        do(self._recorder.desktop, act)
        self._recorder.sight.stirred()
        open_.last_at = time.monotonic()
        return True

    def note(self, why: str) -> None:
        """A word about what is being typed, for whoever reads the step."""
        if self._open is not None:
            self._open.step.screen = {**self._open.step.screen, "why": to_json(why)}
            self._open.step.save()

    def close(self) -> None:
        """It is a step now: an edge that leads to whatever shows next."""
        open_, self._open = self._open, None
        if open_ is None:
            return
        recorder, here = self._recorder, self._recorder.here
        if not LessonStep.objects.open().filter(pk=open_.step.pk).exists():
            here.left_unkept()  # somebody has deleted it meanwhile
            return
        if open_.into is not None and not Edge.objects.filter(pk=open_.into.edge.pk).exists():
            with transaction.atomic():
                take_out(open_.step)  # with the click into its field, which somebody has deleted
            here.left_unkept()
            return
        text = open_.kept or self._as_variable(open_.text)
        with transaction.atomic():
            source = open_.edge.source if open_.edge else here.source()
            if open_.edge is None:
                open_.edge = self._edge(open_, source, text)
            else:
                open_.edge.params = {**open_.edge.params, "text": text}
                open_.edge.save(update_fields=["params"])
            open_.step.params = {"text": text}
            recorder.made(open_.step, source, open_.edge, open_.edge.target)
        if not open_.secret:
            here.typed(open_.text, open_.step, fixed=text == open_.text)
        recorder.await_screen(open_.step, open_.edge, open_.before, typed="" if open_.secret else open_.text)

    def _entered(self) -> tuple[Pending | None, Pending | None]:
        """The click into a field that came right before, and what chose all in it; each None where there was none."""
        here = self._recorder.here
        clears = here.pending if _is(here.pending, "press_keys") and _keys(here.pending) == _CHOOSES_ALL else None
        into = clears.after if clears is not None else here.pending
        if not _is(into, "click") or into is None or into.edge.target is None or into.edge.target.role not in _ENTERED:
            return None, clears
        return into, clears

    def _edge(self, open_: _Open, source: Node, text: str) -> Edge:
        """One edge for the click into the field and the text; what was chosen there before is cleared."""
        draft, into, clears = self._recorder.here.draft, open_.into, open_.clears
        params = {"text": text, **({"clear": True} if clears else {})}
        for one in filter(None, (into, clears)):
            open_.step.made = {**one.step.made, **open_.step.made}
        if clears is not None:
            _absorb(clears.step)
            clears.edge.delete()
        if into is None:
            return draft.add_edge(source, source, action_type="type_text", params=params)
        called = into.edge.target.label if into.edge.target else ""
        _absorb(into.step)
        open_.step.screen = {**into.step.screen, **open_.step.screen}
        open_.step.picture_before = into.step.picture_before
        open_.step.question, open_.step.answered = into.step.question, into.step.answered
        return draft.change_edge(into.edge, action_type="type_text", params=params, called=called)

    def _goes_on(self, act: Act) -> bool:
        """Whether it goes on with the text that was typed last: nothing else was done since but Enter."""
        here = self._recorder.here
        pending = here.pending
        if pending is None or act.secret or act.kept or pending.edge.source_id != pending.edge.destination_id:
            return False
        if pending.edge.action_type == "type_text" and pending.typed:
            self._take_up(pending.step, pending.edge, pending.typed, pending.before)
            return True
        if act.kind == "type_text" and pending.edge.params.get("keys") in _ENTER:
            return self._across_enter(pending.step, pending.edge)
        return False

    def _across_enter(self, enter: LessonStep, edge: Edge) -> bool:
        """A line break within a text: Enter between two pieces of it, on a screen that stayed."""
        here = self._recorder.here
        last = here.lesson.steps.filter(index__lt=enter.index).order_by("-index").first()
        if (
            last is None
            or last.edge is None
            or last.state != LessonStepState.DONE
            or last.act != "type_text"
            or last.edge.destination_id != edge.source_id
            or "{{" in str(last.params.get("text"))
        ):
            return False
        with transaction.atomic():
            edge.delete()
            enter.edge = None
            enter.state = LessonStepState.UNKEPT
            enter.save()
        self._take_up(last, last.edge, f"{last.params['text']}\n", self._recorder.here.before())
        return True

    def _take_up(self, step: LessonStep, edge: Edge, text: str, before: ScreenState | None) -> None:
        step.state = LessonStepState.DOING
        self._open = _Open(step, text, before, edge, False, time.monotonic())

    def _intend(self, open_: _Open, text: str) -> None:
        open_.text = text
        open_.step.params = {"text": text}
        open_.step.state = LessonStepState.DOING
        open_.step.save(update_fields=["params", "state"])

    def _carry_out(self, open_: _Open, act: Act) -> Acted:
        recorder = self._recorder
        try:
            do(recorder.desktop, act)
        except DesktopLost:
            self._open = None
            LessonStep.objects.filter(pk=open_.step.pk).update(state=LessonStepState.DOUBT)
            raise
        except DesktopError as error:
            self._intend(open_, open_.text[: len(open_.text) - len(act.text)])
            return recorder.refused(act, say("lesson.not_done", why=told_by(error)))
        recorder.sight.stirred()
        open_.last_at = time.monotonic()
        took = 1000 * (time.perf_counter() - act.heard_at)
        return recorder.acted(act, Acted(state="done", ms=took))

    def _as_variable(self, text: str) -> str:
        """With {{name}} for the text, or each line of it, that is a variable's value here."""
        names = dict[str, str]()
        for name, value in self._recorder.here.known.values.items():
            names.setdefault(value, "{{" + name + "}}")
        if text.strip() in names:
            return names[text.strip()]
        return "\n".join(names.get(line, line) if line else "" for line in text.split("\n"))


def field_of(pending: Pending | None, state: ScreenState | None) -> NormBox | None:
    """Where a text goes that is typed now: where the last click went, or what has the focus; None if nobody knows."""
    if pending is not None and (box := pending.step.screen.get("box")):
        return (box[0], box[1], box[2], box[3])
    focused = next((e.box for e in state.elements if ElementState.FOCUSED in e.states), None) if state else None
    return focused.grown(2, state.frame.size).normalised(state.frame.size) if focused and state else None


def _is(pending: Pending | None, action_type: str) -> bool:
    """Whether the last step is such an act, on a screen that stayed."""
    if pending is None or pending.edge.action_type != action_type:
        return False
    return bool(pending.edge.source_id == pending.edge.destination_id)


def _keys(pending: Pending | None) -> str:
    return str(pending.edge.params.get("keys", "")) if pending else ""


def _absorb(step: LessonStep) -> None:
    """What it did is a part of a later step now."""
    step.edge, step.state = None, LessonStepState.UNKEPT
    step.save()
