"""Secrets of a lesson: of what is typed as one nothing is kept, and of what is said to be one later (S6.1, S10.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from execution.lesson.acts import Act
from execution.lesson.hearing import Unheard
from execution.lesson.recorder import Recorder
from execution.models import Lesson, LessonStep, ReferenceReading, ReferenceVector
from execution.record.redaction import Redaction
from execution.record.secret_values import hiding
from execution.types import ElementState
from sentences.said import say
from workflows.graph import NormBox
from workflows.models import Edge, Node, Picture, Target
from workflows.pictures import PictureStore
from workflows.secret_names import holds_secret
from workflows.specs import variable_spec
from workflows.text import VARIABLE, sole_name


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

    def hide(self, values: Mapping[str, str]) -> None:
        """What was typed as it stands and is said to be secret: neither it nor its field is shown from now on."""
        for name, value in values.items():
            self._values[f"{name} {len(self._values)}"] = value
        self._redaction.values = hiding(self._values)
        for place in typed_before(self._recorder.lesson):
            self._redaction.typed_secret(place)

    def _field(self) -> NormBox | None:
        """Where the last click went, or what has the focus."""
        pending, state = self._recorder.here.pending, self._recorder.sight.current()
        if pending is not None and (box := pending.step.screen.get("box")):
            return (box[0], box[1], box[2], box[3])
        focused = next((e.box for e in state.elements if ElementState.FOCUSED in e.states), None) if state else None
        return focused.grown(2, state.frame.size).normalised(state.frame.size) if focused and state else None


def typed_before(lesson: Lesson) -> list[NormBox]:
    """Where secrets were typed in this lesson before its run loop began anew."""
    secret = {v.name for v in lesson.workflow.variables.all() if holds_secret(variable_spec(v))}
    typed = lesson.steps.filter(act="type_text")
    boxes = [step.screen.get("box") for step in typed if sole_name(str(step.params.get("text", ""))) in secret]
    return [(box[0], box[1], box[2], box[3]) for box in boxes if box]


def conceal(lesson: Lesson, text: str, name: str) -> None:
    """In the rows of the draft and of the lesson {{name}} stands in the place of `text`; pictures that may show it go.

    Which pictures show it nobody can tell, so those of every step from the one that typed it on are gone; a screen, or
    a target, that was known by one of them is known by its other signs. Call inside a transaction.
    """
    plain = text.strip()
    if not plain:
        return
    put = "{{" + name + "}}"
    steps = list(lesson.steps.order_by("index"))
    first = next((step.index for step in steps if _holds(step.params, plain) or _holds_edge(step, plain)), None)
    digests: set[str] = set()
    for step in steps:
        shows = first is not None and step.index >= first
        if shows:
            digests |= {step.picture_after, *([step.picture_before] if step.index > first else [])} - {""}  # type: ignore[operator]
        for field in ("params", "screen", "question", "answered", "made"):
            setattr(step, field, _without(getattr(step, field), plain, put))
    for row, fields in _rows(lesson):
        for field in fields:
            setattr(row, field, _without(getattr(row, field), plain, put))
        row.save(update_fields=list(fields))
    lesson.values = {key: value for key, value in lesson.values.items() if value != text and key != name}
    lesson.save(update_fields=["values"])
    _forget(lesson, digests)
    for step in steps:
        if step.picture_after in digests:
            step.picture_after = ""
        if step.picture_before in digests:
            step.picture_before = ""
        step.save()


def _forget(lesson: Lesson, digests: set[str]) -> None:
    """The draft's pictures among `digests`, and their files; one that a published version shows was seen before."""
    rows = Picture.objects.filter(digest__in=digests)
    lesson.workflow.nodes.filter(reference__in=rows).update(reference=None)
    for node in lesson.workflow.nodes.filter(looks__in=rows).distinct():
        node.looks.remove(*rows)
    for target in lesson.workflow.targets.filter(context__in=rows) | lesson.workflow.targets.filter(picture__in=rows):
        target.context = target.picture = None
        target.save(update_fields=["context", "picture"])
    ReferenceReading.objects.filter(picture__in=digests).delete()
    ReferenceVector.objects.filter(picture__in=digests).delete()
    store = PictureStore()
    for digest in digests:
        if not _is_used(digest):
            Picture.objects.filter(digest=digest).delete()
            store.path(digest).unlink(missing_ok=True)


def _is_used(digest: str) -> bool:
    """Whether another draft or an earlier lesson shows the same pixels."""
    row = Picture.objects.filter(digest=digest).first()
    if row is None:
        return False
    return (
        Node.objects.filter(reference=row).exists()
        or Node.objects.filter(looks=row).exists()
        or Target.objects.filter(picture=row).exists()
        or Target.objects.filter(context=row).exists()
    )


def _holds(value: Any, text: str) -> bool:
    return _without(value, text, "") != value


def _holds_edge(step: LessonStep, text: str) -> bool:
    return step.edge is not None and _holds(step.edge.params, text)


def _rows(lesson: Lesson) -> list[tuple[Node | Edge | Target, tuple[str, ...]]]:
    workflow = lesson.workflow
    nodes = [(node, ("name", "texts", "absent", "window_title", "aside")) for node in workflow.nodes.all()]
    edges = [(edge, ("params", "before", "expect", "identity")) for edge in workflow.edges.all()]
    targets = [(target, ("label", "text", "evidence")) for target in workflow.targets.all()]
    return [*nodes, *edges, *targets]


def _without(value: Any, text: str, put: str) -> Any:
    """The value with `put` in the place of every text in it that holds the secret; what is a {{variable}} stays."""
    if isinstance(value, str):
        return value if VARIABLE.fullmatch(value.strip()) else value.replace(text, put)
    if isinstance(value, dict):
        return {key: _without(inner, text, put) for key, inner in value.items()}
    return [_without(inner, text, put) for inner in value] if isinstance(value, list) else value
