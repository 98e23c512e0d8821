"""Secrets of a lesson: of what is typed as one nothing is kept (S6.1, S10.4)."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from execution.lesson.acts import Act
from execution.lesson.concealing import conceal
from execution.lesson.drafting import variable_name
from execution.lesson.hearing import Unheard
from execution.lesson.recorder import Recorder
from execution.lesson.typing import field_of
from execution.models import Lesson
from execution.record.redaction import Redaction
from execution.record.secret_values import hiding
from sentences.said import say
from workflows.choices import VariableKind
from workflows.graph import NormBox
from workflows.secret_names import holds_secret, is_secret
from workflows.specs import variable_spec
from workflows.text import sole_name


class TypedSecrets:
    """The secrets that were typed in this lesson: kept in memory alone, so that no picture, row or log shows them."""

    def __init__(self, recorder: Recorder, redaction: Redaction) -> None:
        self._recorder, self._redaction = recorder, redaction
        self._values: dict[str, str] = {}

    def about_to_type(self, act: Act) -> None:
        """Hide the secret, and the field that it is typed into, before anything is typed.

        Raises Unheard where no secret variable has that name, or where nobody can tell which field it is.
        """
        self._recorder.typing.close()
        lesson = self._recorder.lesson
        variable = lesson.workflow.variables.filter(name=sole_name(act.text)).first()
        if variable is None or not holds_secret(variable_spec(variable)):
            raise Unheard(say("lesson.no_secret"))
        place = field_of(self._recorder.here.pending, self._recorder.sight.current())
        if place is None:
            raise Unheard(say("lesson.secret_where"))
        self._values[f"{variable.name} {len(self._values)}"] = act.secret
        self._redaction.values = hiding(self._values)
        self._redaction.typed_secret(place)

    def was_typed(self, value: str, called: str) -> str:
        """The secret variable for what a person has typed by hand, named after its field; hidden from now on."""
        here = self._recorder.here
        name = next((key.split()[0] for key, known in self._values.items() if known == value), "")
        if not name:
            taken = list(here.draft.workflow.variables.values_list("name", flat=True))
            name = variable_name(called if is_secret(called) else "secret", taken)
            here.draft.add_variable(name, label=called, kind=VariableKind.SECRET)
        self.hide({name: value})
        self._redaction.typed_secret(field_of(here.pending, self._recorder.sight.current()))
        here.show_anew()
        return name

    def was_kept(self, text: str, name: str) -> None:
        """The beginning of a secret that showed and was kept in clear: it goes out of everything that was kept."""
        here = self._recorder.here
        with transaction.atomic():
            conceal(self._recorder.lesson, text, name)
        here.concealed()
        here.look_anew()

    def hide(self, values: Mapping[str, str]) -> None:
        """What was typed as it stands and is said to be secret: neither it nor its field is shown from now on."""
        for name, value in values.items():
            self._values[f"{name} {len(self._values)}"] = value
        self._redaction.values = hiding(self._values)
        self._place(values)
        for place in typed_before(self._recorder.lesson):
            self._redaction.typed_secret(place)

    def _place(self, values: Mapping[str, str]) -> None:
        """Where such a text stands now; its row says so, for the run loop after this one, which knows no value."""
        state = self._recorder.sight.current()
        for step in self._recorder.lesson.steps.filter(act="type_text") if state is not None else ():
            typed = values.get(sole_name(str(step.params.get("text", ""))), "").strip()
            if state is not None and typed:
                lines = [line.box.grown(2, state.frame.size) for line in state.texts if typed in line.text]
                step.note(places=[list(box.normalised(state.frame.size)) for box in lines])


def typed_before(lesson: Lesson) -> list[NormBox]:
    """Where secrets were typed in this lesson before its run loop began anew."""
    secret = {v.name for v in lesson.workflow.variables.all() if holds_secret(variable_spec(v))}
    typed = lesson.steps.filter(act="type_text")
    mine = [step.screen for step in typed if sole_name(str(step.params.get("text", ""))) in secret]
    boxes = [box for screen in mine for box in (screen.get("box"), *screen.get("places", [])) if box]
    return [(box[0], box[1], box[2], box[3]) for box in boxes]
