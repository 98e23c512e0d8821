"""Secrets of a lesson: of what is typed as one nothing is kept (S6.1, S10.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction

from execution.lesson.acts import Act
from execution.lesson.concealing import conceal
from execution.lesson.drafting import variable_name
from execution.lesson.hearing import Unheard
from execution.lesson.recorder import Recorder
from execution.lesson.typing import field_of
from execution.models import Lesson, LessonStep
from execution.record.redaction import Redaction
from execution.record.secret_values import hiding
from execution.record.typed_places import TypedPlace
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
        place = self._field()
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
            here.draft.add_variable_of_step(name, label=called, kind=VariableKind.SECRET)
        self.hide({name: value})
        if place := self._field():
            self._redaction.typed_secret(place)
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
        for place in (*self._noted(values), *_fields(self._recorder.lesson)):
            self._redaction.typed_secret(place)

    def _field(self) -> TypedPlace | None:
        """Where a text goes that is typed now, on the screen that shows."""
        state = self._recorder.sight.current()
        box = field_of(self._recorder.here.pending, state)
        if box is None or state is None:
            return TypedPlace(box) if box else None
        return TypedPlace.on(box, state.frame.pixels)

    def _noted(self, values: Mapping[str, str]) -> list[TypedPlace]:
        """Where such a text stands now; its row says so, for the run loop after this one, which knows no value."""
        state, found = self._recorder.sight.current(), []
        for step in self._recorder.lesson.steps.filter(act="type_text") if state is not None else ():
            typed = values.get(sole_name(str(step.params.get("text", ""))), "").strip()
            if state is not None and typed:
                size = state.frame.size
                boxes = [line.box.grown(2, size).normalised(size) for line in state.texts if typed in line.text]
                step.note(places=[list(box) for box in boxes])
                found += [TypedPlace.on(box, state.frame.pixels) for box in boxes]
        return found


def typed_before(lesson: Lesson) -> list[TypedPlace]:
    """Where secrets were typed in this lesson before its run loop began anew."""
    noted = [box for step in _typing_secrets(lesson) for box in step.screen.get("places", [])]
    return [*_fields(lesson), *(TypedPlace(_box(box)) for box in noted)]


def _fields(lesson: Lesson) -> list[TypedPlace]:
    """The fields of secrets; the click into one has the picture of what it was like right before."""
    boxes = [_box(step.screen["box"]) for step in _typing_secrets(lesson) if step.screen.get("box")]
    acted = lesson.steps.exclude(picture_before="").order_by("index")
    pictures = {_box(step.screen["box"]): step.picture_before for step in acted if step.screen.get("box")}
    return [TypedPlace.on_kept(box, pictures.get(box, "")) for box in boxes]


def _typing_secrets(lesson: Lesson) -> list[LessonStep]:
    secret = {v.name for v in lesson.workflow.variables.all() if holds_secret(variable_spec(v))}
    typed = lesson.steps.filter(act="type_text")
    return [step for step in typed if sole_name(str(step.params.get("text", ""))) in secret]


def _box(kept: Sequence[float]) -> NormBox:
    return (kept[0], kept[1], kept[2], kept[3])
