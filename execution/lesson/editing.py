"""What a teacher changes of the draft on its page: rows, so it works with a desktop and without (S6.10, S6.11).

Every change is one function; each raises BadEdit with a sentence where it cannot be made, and then changes nothing.
Whether somebody may change anything is the caller's to check.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.translation import gettext as _

from execution.exceptions import BadEdit as BadEdit
from execution.language.read_values import parsed_date
from execution.lesson import step_order, ways
from execution.lesson.concealing import conceal
from execution.lesson.drafting import declare, free
from execution.lesson.not_possible import mark
from execution.lesson.read_backs import change_effect, change_proof
from execution.lesson.signs import Level, set_level
from execution.lesson.taking import answer_offer
from execution.lesson.undoing import take_out
from execution.models import MEND, Lesson, LessonStep
from execution.teaching.values import put_back, tells_anywhere
from sentences.said import say, worded
from workflows.catalogue import ACTIONS, VALUE_PARAMS, allowed_values
from workflows.choices import VariableKind
from workflows.models import Edge, Node, Target, Variable, Workflow
from workflows.specs import graph_of
from workflows.text import VARIABLE, fill, names, sole_name
from workflows.typed_text import plain_breaks

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,49}")
_TELLS = "tells"
_OF_EDGES = ("params", "before", "expect", "identity", "condition", "proof")
_TOLD_PARAMS = frozenset({"text", "label", "columns"})  # by which a run looks for something
_KINDS = {"date": VariableKind.DATE}  # of a variable that is made of such a parameter


def new_workflow(name: str) -> Workflow:
    """An empty draft of that name, with an id made of it."""
    plain = "_".join(re.findall("[a-z0-9]+", name.lower()))[:60]
    known = set(Workflow.objects.values_list("workflow_id", flat=True))
    return _saved(Workflow(workflow_id=free(f"wf_{plain or 'taught'}", known), name=name.strip()))


def change_workflow(lesson: Lesson, *, name: str | None = None, description: str | None = None) -> None:
    _set(lesson.workflow, name=name and name.strip(), description=description)


# --- screens ---------------------------------------------------------------------------------------------------------
@transaction.atomic
def change_screen(
    lesson: Lesson,
    node_id: str,
    *,
    texts: Sequence[Mapping[str, str]] = (),
    order: Sequence[str] | None = None,
    exception: str | None = None,
    **columns: Any,
) -> None:
    """`texts` are those whose kind changes: tells, data or left_out; `order` all steps of the screen, by edge id, as a
    run is to try them; `exception` why the work is not possible there; `columns` name, is_entry, is_end and regions."""
    node = _of(lesson.workflow.nodes, _("There is no screen “%(id)s” in this draft."), node_id=node_id)
    for one in texts:
        _sort_text(node, one["text"].strip(), one["kind"])
    if order is not None:
        ways.put_in_order(node, order)
    if columns.get("is_end") is not None:
        columns["ends_too"] = columns["is_end"]
    _set(node, texts=node.texts, aside=node.aside, **columns)
    if exception is not None:
        mark(node, exception)


def _sort_text(node: Node, text: str, kind: str) -> None:
    node.texts = [known for known in node.texts if known != text]
    node.aside = [one for one in node.aside if one["text"] != text]
    if not text:
        return
    if kind == _TELLS:
        node.texts.append(text)
    else:
        node.aside.append({"text": text, "kind": kind})


# --- steps -----------------------------------------------------------------------------------------------------------
@transaction.atomic
def change_step(
    lesson: Lesson,
    index: int,
    *,
    label: str | None = None,
    signs: Mapping[str, str] | None = None,
    always: bool = False,
    expect: Sequence[str] | None = None,
    gone: Sequence[str] | None = None,
    identity: Sequence[Mapping[str, str]] | None = None,
    value: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    optional: bool | None = None,
    condition: Sequence[Mapping[str, Any]] | None = None,
    record: str = "",
    offer: str = "",
    changes_nothing: bool | None = None,
    move: str = "",
    **nullable: Any,
) -> None:
    """What is changed of a step: its target's name and signs, the texts after it, whose record, what it types, when.

    A text that holds a variable's value as it was shown holds that variable, in what is seen after it and looked for.

    `record` and `offer` accept or decline what was proposed; `repeat` None ends a repetition,
    `proof` None that it is read back. `move` changes places with the step beside it on its screen. `always`: its
    target's text is the one that was shown, in every run.
    """
    step = _step(lesson, index)
    edge = _edge_of(step)
    if move:
        step_order.move(edge, graph_of(lesson.workflow), later=move == "later")
    if offer:
        answer_offer(lesson, step, accepted=offer == "accept")
        edge.refresh_from_db()
    if label is not None or signs:
        _change_target(edge, label, signs or {})
    if always:
        _fix_text(lesson, edge)
    if expect is not None:
        _expect(step, edge, [_by_variable(lesson, text) for text in expect])
    if gone is not None:
        edge.expect = {**edge.expect, "gone": [_by_variable(lesson, text) for text in gone]}
        edge.save(update_fields=["expect"])
    if value is not None:
        _change_value(lesson, step, edge, value)
    if params:
        _change_params(lesson, edge, params)
    if condition is not None:
        ways.change_condition(lesson, edge, condition)
    if "repeat" in nullable:
        ways.change_repeat(lesson, step, edge, nullable["repeat"])
    if "proof" in nullable:
        change_proof(lesson, edge, nullable["proof"])
    if changes_nothing is not None:
        change_effect(edge, changes_nothing=changes_nothing)
    if record:
        ways.accept_record(step, accepted=record == "accept")
        edge.refresh_from_db()
    wanted = None
    if identity is not None:
        wanted = [{k: v for k, v in one.items() if v.strip()} for one in identity if one.get("value", "").strip()]
    changed = {name: getattr(edge, name) for name in ("params", "condition", "repeat", "proof", "effect_class")}
    _set(edge, identity=wanted, optional=optional, **changed)


def _change_target(edge: Edge, label: str | None, signs: Mapping[str, str]) -> None:
    target = edge.target
    if target is None:
        raise BadEdit(_("This step has no target."))
    for sign, level in signs.items():
        try:
            set_level(target, sign, Level(level))
        except ValueError:
            raise BadEdit(_("This sign cannot count like that.")) from None
    _set(target, label=label and label.strip(), evidence=target.evidence, text=target.text, picture=target.picture)


def _fix_text(lesson: Lesson, edge: Edge) -> None:
    """The text of the target is the value that its variables had when it was shown."""
    target, shown = edge.target, _shown_with(lesson)
    if target is None or not names(target.text) <= shown.keys():
        raise BadEdit(_("This step has no target whose text is a variable."))
    _set(target, text=str(fill(target.text, shown)), label=str(fill(target.label, shown)))


def _shown_with(lesson: Lesson) -> dict[str, str]:
    """The values that its variables have in this lesson; those of secrets are kept nowhere."""
    variables = lesson.workflow.variables.exclude(kind=VariableKind.SECRET)
    shown = {v.name: str(lesson.values.get(v.name) or v.example or v.default) for v in variables}
    return {name: value for name, value in shown.items() if value}


def _by_variable(lesson: Lesson, text: str) -> str:
    return put_back(text, {name: value for name, value in _shown_with(lesson).items() if tells_anywhere(value)})


def _expect(step: LessonStep, edge: Edge, texts: Sequence[str]) -> None:
    """What is not wanted any more stays known, to be taken back."""
    wanted = list(dict.fromkeys(text.strip() for text in texts if text.strip()))
    were = [*(edge.expect.get("texts") or []), *(step.screen.get("after") or [])]
    step.note(after=[text for text in dict.fromkeys(were) if text not in wanted])
    edge.expect = {**{k: v for k, v in edge.expect.items() if k != "texts"}, **({"texts": wanted} if wanted else {})}
    edge.save(update_fields=["expect"])


def _change_value(lesson: Lesson, step: LessonStep, edge: Edge, value: Mapping[str, Any]) -> None:
    """What the step types or sets: always this, a variable, or a secret of which nothing stays."""
    param = VALUE_PARAMS.get(edge.action_type, "")
    if not param:
        raise BadEdit(_("This step types nothing."))
    allowed = allowed_values(edge.action_type, param)
    kind, was = value["kind"], str(edge.params.get(param, ""))
    if kind == "secret" and edge.action_type != "type_text":
        raise BadEdit(_("What stands in the open on the screen afterwards is no secret."))
    known = lesson.workflow.variables.filter(name=sole_name(was)).first()
    if kind == "fixed":
        if known is not None and known.kind == VariableKind.SECRET:
            raise BadEdit(_("A secret is kept nowhere, so it cannot be typed always the same. Write the text anew."))
        text = value.get("text") or (str(lesson.values.get(known.name) or known.example) if known else was)
        edge.params = {**edge.params, param: _fixed(edge, param, text)}
        return
    name = str(value.get("name") or "")
    _checked_name(name)
    typed = "" if known is not None else was
    variable = lesson.workflow.variables.filter(name=name).first()
    if variable is None:
        order = (lesson.workflow.variables.aggregate(last=models.Max("order"))["last"] or 0) + 1
        variable = Variable(workflow=lesson.workflow, name=name, label=name.replace("_", " ").capitalize(), order=order)
        variable.kind = VariableKind.SECRET if kind == "secret" else _KINDS.get(param, VariableKind.TEXT)
        variable.choices = list(allowed)
    if (variable.kind == VariableKind.SECRET) != (kind == "secret"):
        raise BadEdit(_("The variable “%(name)s” is of another kind. Choose another name.") % {"name": name})
    if typed and kind == "variable" and "\n" not in typed:
        variable.example = variable.example or typed[:500]
        lesson.values = {**lesson.values, name: lesson.values.get(name) or typed}
        lesson.save(update_fields=["values"])
    if variable.pk is None:
        step.brings({name: []})
        step.save(update_fields=["made"])
    _saved(variable)
    edge.params = {**edge.params, param: "{{" + name + "}}"}
    if kind == "secret":
        edge.save(update_fields=["params"])
        conceal(lesson, typed, name)
        edge.refresh_from_db()
    elif typed:
        step.note(typed=typed)
        declare(lesson.workflow, name, typed)
        edge.refresh_from_db(fields=["expect", "before"])


def _fixed(edge: Edge, param: str, text: str) -> str:
    """What is always the same, as the act takes it."""
    if edge.action_type == "type_text":
        return plain_breaks(text)
    allowed, form = allowed_values(edge.action_type, param), str(edge.params.get("format") or "")
    if not text.strip() or (allowed and text not in allowed):
        raise BadEdit(_("This step does not take “%(text)s”.") % {"text": text})
    if param == "date" and not parsed_date(text, form):
        raise BadEdit(worded(say("turn.value_no_date", text=text)))
    return text.strip()


def _change_params(lesson: Lesson, edge: Edge, params: Mapping[str, Any]) -> None:
    """Other parameters of the act; the name of a value that is read is put wherever the old one stands."""
    spec = ACTIONS.get(edge.action_type)
    if spec is None or not set(params) <= {param.name for param in spec.params}:
        raise BadEdit(_("This step has no such setting."))
    was, name = edge.params.get("name"), params.get("name")
    if VALUE_PARAMS.get(edge.action_type) in params:
        raise BadEdit(_("What a step types is changed as its value."))
    if name and name != was:
        _checked_name(name)
        taken = {e.params.get("name") for e in lesson.workflow.edges.filter(action_type="read_value")}
        if name in taken or lesson.workflow.variables.filter(name=name).exists():
            raise BadEdit(_("There is a variable “%(name)s” already.") % {"name": name})
        if was:
            _replace_name(lesson, str(was), name)
            edge.refresh_from_db()
    told = {n: _by_variable(lesson, str(text)) for n, text in params.items() if n in _TOLD_PARAMS}
    edge.params = {**edge.params, **params, **told}


@transaction.atomic
def remove_step(lesson: Lesson, index: int) -> None:
    """Out of the draft; a step that leads on has its screen's other steps lead on in its place."""
    step = _step(lesson, index)
    if step.act == MEND:
        raise BadEdit(_("What was mended is taken back by Undo, after the steps that came later."))
    edge = step.edge
    if edge is not None:
        leads_on = edge.source_id != edge.destination_id
        others = edge.source.outgoing.exclude(pk=edge.pk)
        if leads_on and not others.exclude(destination=edge.source).exists():
            last = others.filter(order__lte=edge.order).order_by("order").last()
            if last is not None:
                last.destination = edge.destination
                last.save(update_fields=["destination"])
    take_out(step)


# --- variables -------------------------------------------------------------------------------------------------------
@transaction.atomic
def change_variable(lesson: Lesson, name: str, changes: Mapping[str, Any]) -> None:
    """A new one where there is none of that name. A new `name` is put wherever the old one stands."""
    known = lesson.workflow.variables.filter(name=name).first()
    if known is None:
        _checked_name(name)
        order = (lesson.workflow.variables.aggregate(last=models.Max("order"))["last"] or 0) + 1
        known = Variable(workflow=lesson.workflow, name=name, label=name.replace("_", " ").capitalize(), order=order)
    renamed = changes.get("name")
    if renamed and renamed != name:
        _checked_name(renamed)
        if lesson.workflow.variables.filter(name=renamed).exists():
            raise BadEdit(_("There is a variable “%(name)s” already.") % {"name": renamed})
        _replace_name(lesson, name, renamed)
    became_secret = changes.get("kind") == VariableKind.SECRET and known.kind != VariableKind.SECRET
    was_secret = known.kind == VariableKind.SECRET and changes.get("kind", known.kind) != VariableKind.SECRET
    if was_secret:
        raise BadEdit(_("What is secret stays secret. Make another variable."))
    for field, value in changes.items():
        setattr(known, field, value)
    if became_secret:
        values = {known.example, known.default, str(lesson.values.get(known.name, ""))}
        known.example = known.default = ""
        known.choices = []
        for value in values:
            conceal(lesson, value, known.name)
    _saved(known)


@transaction.atomic
def remove_variable(lesson: Lesson, name: str) -> None:
    """One that is used nowhere; what uses it would have no value."""
    found = lesson.workflow.variables.filter(name=name)
    if not found.exists():
        raise BadEdit(_("There is no variable “%(name)s”.") % {"name": name})
    asked = {one["value"] for edge in lesson.workflow.edges.exclude(condition=[]) for one in edge.condition}
    if name in asked or any(name in VARIABLE.findall(text) for text in _all_texts(lesson)):
        raise BadEdit(_("“%(name)s” is used in a step or a screen. Take it out there first.") % {"name": name})
    found.delete()


def _checked_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise BadEdit(
            _("“%(name)s” is no name for a variable: letters, digits and _, and a letter first.") % {"name": name}
        )


def _replace_name(lesson: Lesson, name: str, renamed: str) -> None:
    def put(text: str) -> str:
        return VARIABLE.sub(lambda found: "{{" + renamed + "}}" if found[1] == name else found[0], text)

    for row, fields in _rows(lesson):
        for field in fields:
            setattr(row, field, _mapped(getattr(row, field), put))
        row.save(update_fields=list(fields))
    for edge in lesson.workflow.edges.exclude(condition=[]):
        edge.condition = [{**one, "value": renamed if one["value"] == name else one["value"]} for one in edge.condition]
        edge.save(update_fields=["condition"])
    for step in lesson.steps.filter(made__variables__has_key=name):
        step.made["variables"][renamed] = step.made["variables"].pop(name)
        step.save(update_fields=["made"])
    if name in lesson.values:
        lesson.values = {renamed if key == name else key: value for key, value in lesson.values.items()}
        lesson.save(update_fields=["values"])


def _rows(lesson: Lesson) -> Iterable[tuple[models.Model, tuple[str, ...]]]:
    """Every row of the draft that may hold {{variables}}, with those fields."""
    yield from ((node, ("texts", "absent", "window_title", "aside")) for node in lesson.workflow.nodes.all())
    yield from ((edge, _OF_EDGES) for edge in lesson.workflow.edges.all())
    yield from ((target, ("text", "label", "evidence")) for target in lesson.workflow.targets.all())


def _all_texts(lesson: Lesson) -> Iterable[str]:
    found: list[str] = []

    def hear(text: str) -> str:
        found.append(text)
        return text

    for row, fields in _rows(lesson):
        for field in fields:
            _mapped(getattr(row, field), hear)
    return found


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """The value with every text in it changed, however deep it lies."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _mapped(inner, change) for key, inner in value.items()}
    return [_mapped(inner, change) for inner in value] if isinstance(value, list) else value


# --- rows ------------------------------------------------------------------------------------------------------------
def _step(lesson: Lesson, index: int) -> LessonStep:
    return _of(lesson.steps, _("There is no step %(index)s in this lesson."), index=index)


def _edge_of(step: LessonStep) -> Edge:
    if step.edge is None:
        raise BadEdit(_("This step is not part of the draft, so there is nothing to change."))
    return step.edge


def _of(rows: Any, sentence: str, **key: Any) -> Any:
    row = rows.filter(**key).first()
    if row is None:
        raise BadEdit(sentence % {"id": key.get("node_id", ""), **key})
    return row


def _set(row: Workflow | Node | Edge | Target, **columns: Any) -> None:
    """Sets what is given (None: not), and saves the row if its own rules allow it."""
    for name, value in columns.items():
        if value is not None:
            setattr(row, name, value)
    _saved(row)


def _saved(row: Any) -> Any:
    try:
        row.full_clean()
    except ValidationError as error:
        raise BadEdit("; ".join(error.messages)) from None
    row.save()
    return row
