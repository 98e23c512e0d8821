"""Questions about what a person did by hand: it is done already, so it is kept, and asked about afterwards (S6.2).

Until it is answered its target says no more than what was seen, and a run asks which of several is meant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from execution.lesson.here import Here, Pending
from execution.lesson.proving import counts_of
from execution.lesson.understanding import Answer, Understood, taught
from execution.lesson.undoing import drop_unused
from execution.models import LessonStep
from execution.types import ScreenState
from sentences.said import say, to_json, told_by
from workflows.exceptions import DomainError


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What could have been meant; `state` is the screen that it was done on, as it may be kept."""

    step: LessonStep
    found: Understood
    state: ScreenState


class Afterwards:
    """The open questions of one lesson; with the process that saw the screens they are gone."""

    def __init__(self, here: Here) -> None:
        self._here = here
        self._asked: dict[int, Asked] = {}  # by the key of the edge: a text may come into the field that was clicked

    def ask(self, pending: Pending, found: Understood, state: ScreenState, question: dict[str, Any]) -> None:
        """About the step that was kept last."""
        step = pending.step
        step.question = question
        step.save(update_fields=["question"])
        step.note(why=to_json(say("lesson.not_said_which")))
        self._asked[pending.edge.pk] = Asked(step=step, found=found, state=state)

    def open(self) -> list[LessonStep]:
        """The steps that are asked about, in order."""
        kept = self._here.lesson.steps.kept().filter(edge__in=list(self._asked), answered={})
        return [step for step in kept if step.question]

    def asked(self, question: str) -> Asked | None:
        """What was asked by that number; None where it is no open question."""
        step = next((step for step in self.open() if str(step.index) == question), None)
        found = self._asked.get(step.edge_id) if step is not None and step.edge_id is not None else None
        return replace(found, step=step) if found is not None and step is not None else None

    def answer(self, asked: Asked, answer: Answer, variable: str, *, answered: dict[str, Any]) -> None:
        """Its target is the one that the answer says."""
        step, here = asked.step, self._here
        edge = step.edge
        assert edge is not None
        step.answered = answered
        with transaction.atomic():
            try:
                spec = taught(
                    asked.found, asked.state, store=here.draft.store, known=here.known, answer=answer, variable=variable
                )
                target = here.draft.add_target(spec)
            except (ValueError, DomainError, OSError) as error:
                drop_unused(here.lesson, here.draft.new_variables())
                self._close(step, why=to_json(say("lesson.no_target", why=told_by(error))))
                return
            before, edge.target = edge.target, target
            edge.save(update_fields=["target"])
            if before is not None:
                before.delete()
            step.made = {**step.made, "targets": [target.pk]}
            step.brings(here.draft.new_variables())
            self._close(step, counts=counts_of(spec, asked.found.alike))

    def let_be(self, question: str) -> bool:
        """Nobody says which one: a run asks. False where that is not asked any more."""
        asked = self.asked(question)
        if asked is None:
            return False
        asked.step.answered = {"code": ""}
        self._close(asked.step, why=asked.step.screen.get("why"))
        return True

    def _close(self, step: LessonStep, **told: Any) -> None:
        step.screen = {key: value for key, value in step.screen.items() if key != "why"} | told
        step.save()
        if step.edge_id is not None:
            self._asked.pop(step.edge_id, None)
        self._here.begin()  # the step that is waited for may be this one
